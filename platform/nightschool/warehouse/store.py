"""The warehouse itself: what is new in the journal is copied in, in batches that are whole or absent.

Knows nothing about who runs or reads. The file is open only while a batch is written; whoever reads it goes
first: a busy file is an outcome, not an error.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final, NamedTuple

import duckdb
import pyarrow as pa

from nightschool.core.clock import Clock, SystemClock
from nightschool.core.errors import StoreBusy, StoreUnwritable
from nightschool.warehouse.batch import Batch, JournalTail, LogEntry, batch_of
from nightschool.warehouse.file import ROW_GROUP, cold_folder, opened
from nightschool.warehouse.guards import check_batch
from nightschool.warehouse.schema import count_of, migrate, named_query

__all__ = ["SyncOutcome", "SyncStatus", "Warehouse", "insert", "transaction", "watermark_of"]

_TURN_SECONDS: Final = 0.02
_BATCH_CHARACTERS: Final = 12_000_000
"""Of events' text, after which a batch ends: two are in memory at a time, each some ten times over."""
_PAGE: Final = 256
_MAIN: Final = "warehouse.main"


class SyncStatus(StrEnum):
    """How a sync ended."""

    CURRENT = "current"
    """The warehouse holds all that the journal had."""
    BUSY = "busy"
    """Somebody has the file open; what was copied before stays, the rest waits for the next sync."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncOutcome:
    """What one sync did."""

    status: SyncStatus
    events: int
    """Events copied."""
    watermark: int
    """Position up to which the journal is copied, as far as this process knows."""


class _Reached(NamedTuple):
    """Where the file stands: up to which position, with how many rows."""

    watermark: int
    rows: int

    @property
    def room(self) -> int:
        """Rows that still fit into the last row group; a batch that ends with one is never rewritten."""
        return ROW_GROUP - self.rows % ROW_GROUP

    def after(self, batch: Batch) -> _Reached:
        """Where it stands once the batch is in."""
        return _Reached(batch.last_position, self.rows + batch.events.num_rows)


@dataclass(slots=True)
class Warehouse:
    """A DuckDB file fed from a journal. Any number of processes may hold one; the file settles who writes."""

    path: Path
    clock: Clock
    sleep: Callable[[float], None] = time.sleep
    _reached: _Reached | None = None
    """Where the file stood when last seen: a guess, checked before each write that relies on it."""

    @classmethod
    def open(cls, path: Path, *, clock: Clock | None = None) -> Warehouse:
        """Return the warehouse at ``path``; the file is made by the first sync.

        Raises:
            StoreUnwritable: its folder cannot be made.
        """
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreUnwritable(
                f"{path.parent} cannot be made: {error.strerror}", path=str(path)
            ) from error
        return cls(path=path, clock=clock or SystemClock())

    def sync(self, tail: JournalTail) -> SyncOutcome:
        """Copy what is new. Twice is once; killed anywhere, the next sync goes on where a batch ended.

        Raises:
            StoreFull: the disk is full; what was copied before stays.
            StoreUnwritable: the file or its folder cannot be written.
            StoreCorrupt: the file is not a sound warehouse, or the journal holds what is not an event.
        """
        copied = 0
        try:
            for batch in self._batches(tail):
                copied += batch.events.num_rows
        except StoreBusy:
            return self._outcome(SyncStatus.BUSY, copied)
        return self._outcome(SyncStatus.CURRENT, copied)

    def _outcome(self, status: SyncStatus, copied: int) -> SyncOutcome:
        return SyncOutcome(
            status=status, events=copied, watermark=self._reached.watermark if self._reached else 0
        )

    def _batches(self, tail: JournalTail) -> Iterator[Batch]:
        """Write batch after batch and yield each once it is in.

        The next batch is prepared in a second thread while one is written. Between two the file is left
        alone for a moment, so that whoever waits for it has a turn.
        """
        with ThreadPoolExecutor(1, thread_name_prefix="sync") as ahead:
            reached = self._reached or self._look()
            batch = _next_batch(tail, reached)
            while batch is not None:
                following = ahead.submit(_next_batch, tail, reached.after(batch))
                found = self._enter(batch, reached)
                if found == reached:
                    self._reached = reached = reached.after(batch)
                    yield batch
                    batch = following.result()
                else:  # another process wrote meanwhile: start again from where the file stands now
                    self._reached = reached = found
                    batch = _next_batch(tail, reached)
                if batch is not None:
                    self.sleep(_TURN_SECONDS)

    def _look(self) -> _Reached:
        """Make the file or bring it up to this version, and see where it stands."""
        with opened(self.path) as connection:
            with transaction(connection):
                migrate(connection, "warehouse", cold=cold_folder(self.path), now=self.clock.now())
            self._reached = _reached(connection)
        return self._reached

    def _enter(self, batch: Batch, reached: _Reached) -> _Reached:
        """Write the batch if the file still stands where the batch begins; return where it stood."""
        receipt = [batch.first_position, batch.last_position, batch.events.num_rows, batch.digest]
        with opened(self.path) as connection:
            found = _reached(connection)
            if found == reached:
                with transaction(connection):
                    insert(connection, batch, target=_MAIN, known=_MAIN, deleted=_MAIN)
                    connection.execute(named_query("add_batch"), [*receipt, self.clock.now()])
        return found


def _next_batch(tail: JournalTail, reached: _Reached) -> Batch | None:
    entries = list(_next_entries(tail, reached))
    return check_batch(batch_of(entries)) if entries else None


def _next_entries(tail: JournalTail, reached: _Reached) -> Iterator[LogEntry]:
    position, room, characters = reached.watermark, reached.room, 0
    while room and characters < _BATCH_CHARACTERS and (page := tail.tail(position, min(room, _PAGE))):
        yield from page
        position, room = page[-1].position, room - len(page)
        characters += sum(len(entry.body) for entry in page)


def _reached(connection: duckdb.DuckDBPyConnection) -> _Reached:
    rows = count_of(connection, named_query("stored_rows", schema=_MAIN))
    return _Reached(watermark_of(connection), rows)


def watermark_of(connection: duckdb.DuckDBPyConnection, *, schema: str = _MAIN) -> int:
    """Return the position up to which a database holds the journal."""
    return count_of(connection, named_query("watermark", schema=schema))


def insert(
    connection: duckdb.DuckDBPyConnection, batch: Batch, *, target: str, known: str, deleted: str
) -> None:
    """Add a batch's rows to the schema ``target``.

    Args:
        connection: sees all three schemas.
        batch: the rows.
        target: where they go.
        known: where earlier sessions are looked up.
        deleted: where it stands which sessions are gone; their rows are left out.
    """
    with _frames(connection, batch_events=batch.events, batch_sessions=batch.sessions):
        for name in ("add_sessions", "add_events", "add_trials"):
            connection.execute(named_query(name, target=target, known=known, deleted=deleted))


@contextmanager
def transaction(connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Commit the block whole; a block that fails leaves nothing, as closing the connection rolls it back."""
    connection.begin()
    yield
    connection.commit()


@contextmanager
def _frames(connection: duckdb.DuckDBPyConnection, **frames: pa.Table) -> Iterator[None]:
    """Let SQL read frames under their names for the length of a block."""
    for name, frame in frames.items():
        connection.register(name, frame)
    yield
    for name in frames:
        connection.unregister(name)
