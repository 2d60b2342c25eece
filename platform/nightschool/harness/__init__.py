"""One agent at work: log in, model, tools, log out. Knows nothing about plans, arms or grades."""
