"""A warehouse of any size, drawn by SQL where it lies: for page times, benchmarks and tries.

Everything in it is simulated and says so. Ten million events take long through a journal, so there is none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Final

import duckdb

from nightschool.core.errors import InvalidInput
from nightschool.warehouse.batch import LogEntry
from nightschool.warehouse.file import opened
from nightschool.warehouse.store import Warehouse

__all__ = ["BIG_ARMS", "BIG_DOCUMENTS", "BIG_REPEATS", "LONG_SESSION", "long_session_id", "write_big"]

BIG_ARMS: Final = ("single", "subagents", "orchestrated")
BIG_DOCUMENTS: Final = tuple(f"c-{number:03}" for number in range(100))
BIG_REPEATS: Final = 3
LONG_SESSION: Final = 20_000
"""Events of the one long session that comes after all others."""

_PER_SESSION: Final = 20
_PER_TRIAL: Final = 5 * _PER_SESSION
_PER_EXPERIMENT: Final = len(BIG_ARMS) * len(BIG_DOCUMENTS) * BIG_REPEATS
_PIECE: Final = 500_000


class _NoJournal:
    """The tail of a journal that has nothing."""

    def tail(self, after_position: int, limit: int, /) -> Sequence[LogEntry]:  # noqa: ARG002
        return ()

    def last_position(self) -> int:
        return 0


def write_big(
    path: Path,
    events: int,
    *,
    manifest: str,
    digest: str,
    on_progress: Callable[[int], None] = lambda _: None,
) -> None:
    """Make a new warehouse of so many events, rounded down to whole trials, and one long session.

    Args:
        path: the warehouse's file; it must not exist.
        events: 100 or more.
        manifest: what its experiments are declared as (JSON).
        digest: the manifest's hash.
        on_progress: is told how many events there are so far.

    Raises:
        InvalidInput: the file exists, or too few events.
        StoreError: the file cannot be written; the kind says why.
    """
    if path.exists():
        raise InvalidInput(f"{path} exists; name a new folder")
    if events < _PER_TRIAL:
        raise InvalidInput(f"{events} events are less than one trial; ask for {_PER_TRIAL} or more")
    events -= events % _PER_TRIAL
    Warehouse.open(path).sync(_NoJournal())
    for first in range(0, events, _PIECE):
        _run(path, "big_events", first=first, last=min(first + _PIECE, events), per_session=_PER_SESSION)
        on_progress(min(first + _PIECE, events))
    with opened(path) as connection:
        _finish(connection, events, manifest, digest)


def long_session_id(events: int) -> str:
    """Return the id of the long session of a warehouse of so many events."""
    return f"sesn_{_long_starts_at(events - events % _PER_TRIAL) // LONG_SESSION:026}"


def _long_starts_at(events: int) -> int:
    """Its number must be no other session's, and its first event comes after all others."""
    return LONG_SESSION * (events // _PER_SESSION + 1)


def _run(path: Path, name: str, **values: object) -> None:
    with opened(path) as connection:
        connection.execute(_statement(name), values)


def _finish(connection: duckdb.DuckDBPyConnection, events: int, manifest: str, digest: str) -> None:
    trials, start = events // _PER_TRIAL, _long_starts_at(events)
    experiments = -(-trials // _PER_EXPERIMENT)
    last = start + LONG_SESSION
    values = {"first": start, "last": last, "per_session": LONG_SESSION}
    connection.execute(_statement("big_events"), values)
    connection.execute(_statement("big_sessions"))
    connection.execute(_statement("big_trials"), {"trials": trials})
    declared = {"after": last, "experiments": experiments, "manifest": manifest, "hash": digest}
    connection.execute(_statement("big_experiments"), declared)
    total = events + LONG_SESSION + 2 * experiments
    connection.execute(_statement("big_batch"), {"last": last + 2 * experiments, "events": total})


def _statement(name: str) -> str:
    return _statements()[name]


@cache
def _statements() -> dict[str, str]:
    parts = files("nightschool.warehouse").joinpath("big.sql").read_text("utf-8").split("-- name: ")[1:]
    named = (part.partition("\n") for part in parts)
    return {name.strip(): sql for name, _, sql in named}
