"""The session log while it is being written: one SQLite file that many processes append to and read.

Knows nothing about what events mean. Appending is in ``journal.py``, sharing a commit in ``commit.py``,
SQL in ``migrations/`` and ``queries/``.
"""
