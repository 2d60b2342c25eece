"""Hands: what an agent can do in the world. Knows nothing about models or about why a tool is called."""
