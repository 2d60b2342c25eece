"""The brain that reads without a language model. Knows nothing but the request it is shown."""
