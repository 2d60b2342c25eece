"""What leaves the warehouse's file: old sessions into cold storage, deleted ones for good.

Cold storage is Parquet beside the file; the same views read it. A file there counts from the moment the
warehouse says so and not before, so that a crash leaves sessions in one place, never in two or none. Knows
nothing about the journal: who deletes a session deletes it there first.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

import duckdb

from nightschool.core.errors import StoreUnwritable
from nightschool.warehouse.file import ROW_GROUP, cold_folder, opened, quoted
from nightschool.warehouse.reader import Reader
from nightschool.warehouse.schema import cold_files, count_of, migrate, named_query, refresh_views
from nightschool.warehouse.store import Warehouse, transaction

__all__ = ["Removal", "archive", "delete_sessions", "family_of", "sessions_before"]

_WAIT_SECONDS: Final = 10.0
_HERE: Final = "warehouse"


@dataclass(frozen=True, slots=True, kw_only=True)
class Removal:
    """What left the warehouse's file."""

    sessions: int
    events: int


def sessions_before(reader: Reader, before: datetime) -> list[str]:
    """Return the sessions whose last event was recorded before a time; experiments' own logs are none."""
    frame = reader.query(named_query("sessions_before", events="all_events"), [before])
    return frame["session_id"].to_list()


def family_of(reader: Reader, session_id: str) -> list[str]:
    """Return a session and every session that it started, at any depth; empty when there is none such."""
    return [str(found) for found in reader.query(named_query("family"), [session_id])["session_id"]]


def archive(warehouse: Warehouse, *, before: datetime) -> Removal:
    """Move the sessions whose last event was recorded before a time into cold storage.

    Raises:
        StoreBusy: the file is open elsewhere.
        StoreFull: there is no room for the copy; nothing was moved.
        StoreUnwritable: the cold folder cannot be written; nothing was moved.
    """
    with _at_work(warehouse) as storage:
        old = named_query("sessions_before", events="events")
        sessions = [str(row[0]) for row in storage.connection.execute(old, [before]).fetchall()]
        if not sessions:
            return Removal(sessions=0, events=0)
        file = storage.write("write_cold", sessions)
        with transaction(storage.connection):
            events = storage.count_in(file)
            storage.drop(sessions, "events")
            storage.refresh()
    return Removal(sessions=len(sessions), events=events)


def delete_sessions(warehouse: Warehouse, session_ids: Sequence[str], *, upto_position: int) -> Removal:
    """Delete sessions from the warehouse and its cold storage, for good.

    Args:
        warehouse: where from.
        session_ids: which; unknown ones are passed over.
        upto_position: the journal's last position when they were deleted there. Copies of earlier entries
            that arrive later are left out; later entries (the same transcript imported again) are kept.

    Raises:
        StoreBusy: the file is open elsewhere; nothing was deleted.
        StoreFull: there is no room to rewrite a cold file; nothing was deleted.
    """
    sessions = sorted(set(session_ids))
    with _at_work(warehouse) as storage:
        replaced = {file: storage.without(file, sessions) for file in storage.files_with(sessions)}
        with transaction(storage.connection):
            found = storage.count(sessions, "all_events")
            for old, new in replaced.items():
                storage.connection.execute(named_query("drop_cold"), [old.name])
                if new is not None:
                    storage.count_in(new)
            for table in ("events", "session_index", "trial_events"):
                storage.drop(sessions, table)
            noted = {"sessions": sessions, "upto_position": upto_position, "now": storage.now}
            storage.connection.execute(named_query("note_deletion"), noted)
            storage.refresh()
    return found


@contextmanager
def _at_work(warehouse: Warehouse) -> Iterator[_Storage]:
    """Hold the warehouse's file, and leave nothing in the cold folder that does not count."""
    folder = cold_folder(warehouse.path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreUnwritable(f"{folder} cannot be made: {error.strerror}", path=str(folder)) from error
    with opened(warehouse.path, wait_seconds=_WAIT_SECONDS) as connection:
        storage = _Storage(connection, folder, warehouse.clock.now())
        with transaction(connection):
            migrate(connection, _HERE, cold=folder, now=storage.now)
        storage.sweep()
        yield storage
        storage.sweep()


@dataclass(frozen=True, slots=True)
class _Storage:
    """The warehouse's file, held, and the cold folder."""

    connection: duckdb.DuckDBPyConnection
    folder: Path
    now: datetime

    def files(self) -> tuple[Path, ...]:
        return cold_files(self.connection, _HERE, self.folder)

    def files_with(self, sessions: Sequence[str]) -> list[Path]:
        return [file for file in self.files() if self.count(sessions, f"read_parquet({quoted(file)})").events]

    def count(self, sessions: Sequence[str], relation: str) -> Removal:
        query = named_query("count_of_sessions", relation=relation)
        found, events = self.connection.execute(query, {"sessions": list(sessions)}).fetchall()[0]
        return Removal(sessions=found, events=events)

    def drop(self, sessions: Sequence[str], table: str) -> None:
        self.connection.execute(named_query("drop_rows", table=table), {"sessions": list(sessions)})

    def write(self, query: str, sessions: Sequence[str], **places: str) -> Path:
        """Write some sessions to a file that is whole on disk when it gets its name."""
        identity = "\0".join([query, *places.values(), *sessions, self.now.isoformat()])
        file = self.folder / f"{hashlib.sha256(identity.encode()).hexdigest()[:24]}.parquet"
        part = file.with_suffix(".part")
        sql = named_query(query, file=quoted(part), rows=str(ROW_GROUP), **places)
        self.connection.execute(sql, {"sessions": list(sessions)})
        _settle(part, file)
        return file

    def without(self, file: Path, sessions: Sequence[str]) -> Path | None:
        """Write a cold file anew without some sessions; None when nothing would be left."""
        inside = count_of(self.connection, named_query("stored_rows_in", file=quoted(file)))
        if inside == self.count(sessions, f"read_parquet({quoted(file)})").events:
            return None
        return self.write("rewrite_cold", sessions, source=quoted(file))

    def count_in(self, file: Path) -> int:
        """Let a file count from the transaction's commit on; return its events."""
        inside = self.connection.execute(named_query("count_cold", file=quoted(file))).fetchall()[0]
        with file.open("rb") as opened_file:
            digest = hashlib.file_digest(opened_file, "sha256").hexdigest()
        self.connection.execute(named_query("add_cold"), [file.name, *inside, digest, self.now])
        return int(inside[1])

    def refresh(self) -> None:
        refresh_views(self.connection, _HERE, cold=self.folder, now=self.now)

    def sweep(self) -> None:
        """Remove what a crash left, and what counts no more."""
        counting = set(self.files())
        for file in self.folder.iterdir():
            if file.suffix in {".parquet", ".part"} and file not in counting:
                file.unlink()


def _settle(part: Path, file: Path) -> None:
    """Put a written file on disk before it gets its name, and the name before anything relies on it."""
    _flush(part)
    part.rename(file)
    _flush(file.parent)


def _flush(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
