"""What is remembered between sessions: texts with versions, and which of them a task recalls."""
