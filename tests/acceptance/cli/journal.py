"""Looking at a run's journal from outside while the run writes it."""

from __future__ import annotations

import sqlite3
import subprocess
import time
from contextlib import closing
from pathlib import Path

__all__ = ["count", "wait_for"]

_DEADLINE_SECONDS = 120.0
_LOOK_SECONDS = 0.002


def count(data: Path, event_type: str = "%") -> int:
    """Return how many events of a type (a LIKE pattern) are stored; 0 before there is a journal."""
    try:
        with closing(sqlite3.connect(f"file:{data / 'journal.sqlite'}?mode=ro", uri=True)) as journal:
            return int(
                journal.execute("SELECT count(*) FROM event WHERE type LIKE ?", [event_type]).fetchone()[0]
            )
    except sqlite3.OperationalError:
        return 0


def wait_for(running: subprocess.Popen[str], data: Path, events: int, event_type: str = "%") -> bool:
    """Wait until so many events are stored; return False if the run ended before."""
    deadline = time.monotonic() + _DEADLINE_SECONDS
    while count(data, event_type) < events:
        if running.poll() is not None:
            return False
        assert time.monotonic() < deadline, f"{events} events were not stored in time"
        time.sleep(_LOOK_SECONDS)
    return True
