"""The warehouse's file and the journal's tail as one relation, in memory and for one question at a time.

Knows nothing about questions. The tail stays in memory between questions and shrinks as syncs catch up; the
file is attached read-only for the length of a question. While it cannot be, the whole journal stands in.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import duckdb

from nightschool.core.clock import Clock, SystemClock
from nightschool.core.errors import NotFound, StoreBusy, StoreError
from nightschool.warehouse.batch import JournalTail, batch_of
from nightschool.warehouse.file import cold_folder, is_broken_off, our_error, quoted, turn
from nightschool.warehouse.schema import (
    cold_files,
    create_part,
    create_tables,
    events_query,
    latest_migration,
    named_query,
    newer_schema,
    parts_for,
    reached_migration,
)
from nightschool.warehouse.store import insert, watermark_of

__all__ = ["Relation"]

_BESIDE: Final = ("session_index", "trial_events")
_TABLES: Final = ("events", *_BESIDE)
_CHUNK: Final = 20_000
_RETRY_SECONDS: Final = 0.02


@dataclass(slots=True, kw_only=True)
class Relation:
    """A private in-memory database in which ``events`` is everything committed. Not for several threads."""

    path: Path
    journal: JournalTail | None = None
    wait_seconds: float = 2.0
    sleep: Callable[[float], None] = time.sleep
    clock: Clock = field(default_factory=SystemClock)
    _connection: duckdb.DuckDBPyConnection | None = None
    _after: int = 0
    """Memory holds the entries after this position ..."""
    _upto: int = 0
    """... up to and with this one."""
    _joined: str | None = None
    """What the views read from; None before it exists."""
    _created: set[str] = field(default_factory=set)
    """The views that exist, those that were asked."""

    @contextmanager
    def current(self, question: str) -> Iterator[duckdb.DuckDBPyConnection]:
        """Give a locked-down connection that sees all that is committed now, with the views of a question.

        Raises:
            NotFound: there is neither a file nor a journal.
            StoreBusy: the file is held by somebody else and there is no journal to answer from.
            StoreError: the file was written by a newer nightschool.
            StoreCorrupt: the file is not a sound warehouse.
        """
        connection = self._connection = self._connection or _private(self.path)
        with ExitStack() as held:
            stored = self._attach(connection, held)
            missing = self._forget_what_is_stored(connection, stored=stored)
            self._join(connection, stored=stored, tailed=missing or self._upto > self._after)
            if missing:
                self._catch_up(connection, stored=stored)
            self._create(connection, question)
            yield connection

    def close(self) -> None:
        """Let go of what is held in memory."""
        if self._connection is not None:
            self._connection.close()
        self._connection, self._after, self._upto, self._joined = None, 0, 0, None
        self._created.clear()

    def _attach(self, connection: duckdb.DuckDBPyConnection, held: ExitStack) -> bool:
        """Attach the file, waiting a little for whoever has it; false when the journal must do alone."""
        deadline = self.clock.monotonic() + self.wait_seconds
        while self.path.exists():
            try:
                return self._attach_once(connection, held)
            except StoreBusy:
                if self.clock.monotonic() >= deadline:
                    if self.journal is None:
                        raise
                    return False
                self.sleep(_RETRY_SECONDS)
        if self.journal is None:
            message = f"there is no warehouse at {self.path} yet; run an experiment first"
            raise NotFound(message, path=str(self.path))
        return False

    def _attach_once(self, connection: duckdb.DuckDBPyConnection, held: ExitStack) -> bool:
        with ExitStack() as attempt:
            attempt.enter_context(turn(self.path))
            try:
                connection.execute(f"ATTACH {quoted(self.path)} AS stored (READ_ONLY)")
            except duckdb.Error as error:
                if self.journal is not None and is_broken_off(self.path):
                    return False
                raise our_error(error, self.path) from error
            attempt.callback(connection.execute, "DETACH stored")
            usable = self._is_usable(reached_migration(connection, "stored"))
            if usable:
                held.push(attempt.pop_all())
            return usable

    def _is_usable(self, reached: int) -> bool:
        """An older file waits for the next sync to bring it up to date; meanwhile the journal answers."""
        if reached > latest_migration():
            raise newer_schema(reached)
        if reached < latest_migration() and self.journal is None:
            raise StoreError(f"{self.path} has an older schema; `nightschool sync` brings it up to date")
        return reached == latest_migration()

    def _join(self, connection: duckdb.DuckDBPyConnection, *, stored: bool, tailed: bool) -> None:
        """Let the views read from what there is now.

        A file that has everything is read alone: a union with nothing hides from the planner what the file's
        order and statistics would spare (the last 100 of ten million events: 17 ms against 270).
        """
        files = cold_files(connection, "stored", cold_folder(self.path)) if stored else ()
        place = {(True, True): "", (True, False): "_without_tail", (False, True): "_without_file"}
        suffix = place[stored, tailed or not stored]
        events = events_query(f"reader_events{suffix}", files)
        if events == self._joined:
            return
        connection.execute(events)
        for table in _BESIDE:
            connection.execute(named_query(f"reader_table{suffix}", table=table))
        self._joined = events

    def _create(self, connection: duckdb.DuckDBPyConnection, question: str) -> None:
        for part in parts_for(question):
            if part not in self._created:
                create_part(connection, part)
                self._created.add(part)

    def _forget_what_is_stored(self, connection: duckdb.DuckDBPyConnection, *, stored: bool) -> bool:
        """Drop from memory what the file has or has deleted; return whether the journal has yet more."""
        if self.journal is None:
            return False
        synced = watermark_of(connection, schema="stored.main") if stored else 0
        if synced < self._after:  # the file is gone or held: what memory forgot must come from the journal
            _forget(connection, self._upto)
            self._upto = synced
        elif synced > self._after:
            _forget(connection, synced)
        self._after, self._upto = synced, max(self._upto, synced)
        if stored and self._upto > self._after:
            for table in _TABLES:
                connection.execute(named_query("forget_deleted", table=table))
        return self._upto < self.journal.last_position()

    def _catch_up(self, connection: duckdb.DuckDBPyConnection, *, stored: bool) -> None:
        """Take into memory what the journal has beyond it."""
        if self.journal is None:
            return
        deleted = "stored.main" if stored else "memory.tail"
        last = self.journal.last_position()
        while self._upto < last and (entries := self.journal.tail(self._upto, _CHUNK)):
            batch = batch_of(entries)
            insert(connection, batch, target="memory.tail", known="memory.main", deleted=deleted)
            self._upto = batch.last_position


def _private(path: Path) -> duckdb.DuckDBPyConnection:
    """Make an in-memory database that can read this one file, its cold storage and nothing else."""
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'")
    connection.execute("CREATE SCHEMA tail")
    connection.execute("USE memory.tail")
    create_tables(connection)
    connection.execute("USE memory.main")
    # What DuckDB looks for beside the file; the last two after a sync that was killed in a checkpoint.
    beside = [path.with_name(path.name + suffix) for suffix in (".wal", ".wal.checkpoint", ".wal.recovery")]
    connection.execute(f"SET allowed_directories = [{quoted(cold_folder(path))}]")
    connection.execute(f"SET allowed_paths = [{', '.join(map(quoted, (path, *beside)))}]")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    return connection


def _forget(connection: duckdb.DuckDBPyConnection, upto: int) -> None:
    for table in _TABLES:
        connection.execute(named_query("forget", table=table), [upto])
