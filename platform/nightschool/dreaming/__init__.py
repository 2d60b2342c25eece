"""Learning between sessions: what the log shows becomes a new memory store, adopted by a separate step."""
