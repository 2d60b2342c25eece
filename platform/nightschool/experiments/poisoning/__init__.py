"""Attacks on what is learnt, and how far each of them comes: learnt, recallable, in a prompt."""
