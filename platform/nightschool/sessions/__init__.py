"""A session as everything above sees it: emit events, read them, fold them into a state, wake it.

Knows nothing about files or SQL (that is ``journal``) and nothing about what an agent does next.
"""
