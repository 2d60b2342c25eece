"""Deleting sessions from the journal, for good. Knows nothing about copies elsewhere.

Positions are never given out again: whoever follows the log by position is not led astray.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection
from dataclasses import dataclass

from nightschool.journal.journal import Journal
from nightschool.journal.statements import sql

__all__ = ["Deletion", "delete_sessions"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Deletion:
    """What was deleted."""

    events: int
    upto_position: int
    """The log's last position at that moment: copies of earlier entries are copies of what is gone."""


def delete_sessions(journal: Journal, session_ids: Collection[str]) -> Deletion:
    """Delete sessions with all their events; unknown ones are passed over. Twice is once.

    Raises:
        StoreError: nothing was deleted; the kind says why.
    """
    ids = json.dumps(sorted(set(session_ids)))

    def change(connection: sqlite3.Connection) -> Deletion:
        (last,) = connection.execute(sql("last_position")).fetchone()
        connection.execute(sql("keep_position"), (last,))
        events = connection.execute(sql("delete_events"), (ids,)).rowcount
        connection.execute(sql("delete_sessions"), (ids,))
        return Deletion(events=events, upto_position=last)

    return journal.transact(change)
