"""Every brain, reached one way: the Messages API. Knows nothing about agents, sessions or stores."""
