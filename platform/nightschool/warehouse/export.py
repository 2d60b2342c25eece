"""A whole log as files that anybody can read, and back.

    events.jsonl     every event with its place, a line each, in the order it was recorded
    v1_*.parquet     what the views say
    manifest.json    counts, and the SHA-256 of each file; written last, so that its presence means whole

Knows nothing about journals beyond their tail and their append.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Protocol

import duckdb
from pydantic import BaseModel, ConfigDict, ValidationError

from nightschool.core.errors import InvalidInput, Malformed, NotFound, StoreBusy, StoreFull, StoreUnwritable
from nightschool.events.union import Event, parse_event
from nightschool.warehouse.batch import JournalTail, LogEntry
from nightschool.warehouse.file import our_error, quoted, turn
from nightschool.warehouse.schema import VIEWS, named_query
from nightschool.warehouse.store import SyncStatus, Warehouse

__all__ = ["Manifest", "SessionSink", "export_log", "import_log", "read_manifest"]

_FORMAT: Final = "nightschool-log"
_CHUNK: Final = 5_000
_NO_SPACE: Final = 28


class _File(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    sha256: str
    bytes: int


class Manifest(BaseModel):
    """What an export holds."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: str = _FORMAT
    version: int = 1
    created_at: str
    events: int
    sessions: int
    files: dict[str, _File]


class SessionSink(Protocol):
    """Where sessions are kept. Appending an event again changes nothing."""

    def append(self, session_id: str, events: Sequence[Event], *, epoch: int) -> Sequence[object]:
        """Add events to the end of a session, all or none; those it has already are passed over."""

    def epoch(self, session_id: str) -> int:
        """Return the session's epoch; 0 when there is no such session."""


def export_log(folder: Path, warehouse: Warehouse, journal: JournalTail) -> Manifest:
    """Write everything committed so far into a new folder.

    Raises:
        InvalidInput: the folder holds something already.
        StoreBusy: the warehouse is open elsewhere.
        StoreFull: the disk is full; the folder has no manifest then.
        StoreUnwritable: the folder cannot be written.
    """
    if folder.exists() and any(folder.iterdir()):
        raise InvalidInput(f"{folder} is not empty; name a new folder")
    if warehouse.sync(journal).status is SyncStatus.BUSY:
        raise StoreBusy(
            f"{warehouse.path} is open elsewhere; export when it is closed", path=str(warehouse.path)
        )
    with _writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        sessions = _write_views(folder, warehouse.path)
        events = _write_events(folder / "events.jsonl", journal)
        files = {path.name: _describe(path) for path in sorted(folder.iterdir())}
        created_at = warehouse.clock.now().isoformat()
        manifest = Manifest(created_at=created_at, events=events, sessions=sessions, files=files)
        part = folder / "manifest.part"
        part.write_text(manifest.model_dump_json(indent=2) + "\n", "utf-8")
        part.rename(folder / "manifest.json")
    return manifest


@contextmanager
def _writing(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        kind = StoreFull if error.errno == _NO_SPACE else StoreUnwritable
        raise kind(f"{folder} cannot be written: {error.strerror}", path=str(folder)) from error


def _write_views(folder: Path, warehouse: Path) -> int:
    """Write each view as Parquet; return how many sessions there are."""
    with turn(warehouse, wait_seconds=10.0), duckdb.connect() as connection:
        try:
            connection.execute("SET TimeZone = 'UTC'")
            connection.execute(f"ATTACH {quoted(warehouse)} AS stored (READ_ONLY)")
            connection.execute("USE stored")
            for view in VIEWS:
                file = quoted(folder / f"{view}.parquet")
                connection.execute(named_query("write_view", view=view, file=file))
            count = connection.execute(named_query("count_sessions")).fetchall()
        except duckdb.Error as error:
            raise our_error(error, warehouse) from error
    return int(count[0][0])


def _write_events(path: Path, journal: JournalTail) -> int:
    count, after = 0, 0
    with path.open("w", encoding="utf-8") as file:
        while entries := journal.tail(after, _CHUNK):
            file.writelines(map(_line, entries))
            count, after = count + len(entries), entries[-1].position
    return count


def _line(entry: LogEntry) -> str:
    place = {
        "position": entry.position,
        "session_id": entry.session_id,
        "seq": entry.seq,
        "epoch": entry.epoch,
        "recorded_at": entry.recorded_at.isoformat(),
    }
    body = entry.body.replace("\n", " ")  # between tokens only: inside a string JSON has no bare newline
    return f'{json.dumps(place)[:-1]}, "event": {body}}}\n'


def _describe(path: Path) -> _File:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return _File(sha256=digest, bytes=path.stat().st_size)


def read_manifest(folder: Path) -> Manifest:
    """Return an export's manifest once every file is seen to be what it says.

    Raises:
        NotFound: there is no whole export.
        Malformed: the manifest is not one, or a file is missing or changed; names it.
    """
    path = folder / "manifest.json"
    try:
        manifest = Manifest.model_validate_json(path.read_text("utf-8"))
    except FileNotFoundError as error:
        raise NotFound(f"{folder} holds no whole export: it has no manifest.json") from error
    except (ValidationError, UnicodeDecodeError) as error:
        raise Malformed(f"{path} is not the manifest of an export: {error}", path=str(path)) from error
    if (manifest.format, manifest.version) != (_FORMAT, 1):
        raise Malformed(
            f"{path}: {manifest.format} {manifest.version} is not known here; upgrade", path=str(path)
        )
    for name, expected in manifest.files.items():
        _check_file(folder / name, expected)
    return manifest


def _check_file(path: Path, expected: _File) -> None:
    if not path.is_file():
        raise Malformed(f"{path} is missing from the export", path=str(path))
    if _describe(path) != expected:
        raise Malformed(f"{path} is not what was exported: its hash differs", path=str(path))


def import_log(folder: Path, sink: SessionSink) -> Manifest:
    """Append an export's sessions to a log; doing it again adds nothing.

    Events keep their text, ids and order inside a session; when they were recorded is told anew.

    Raises:
        NotFound: there is no whole export in the folder.
        Malformed: a file is not what was exported, or a line is not an event; nothing after it is added.
        StoreError: the log could not take a session; what was added before stays.
    """
    manifest = read_manifest(folder)
    for waiting in _in_chunks(folder / "events.jsonl"):
        for session_id, events in waiting.items():
            sink.append(session_id, events, epoch=max(1, sink.epoch(session_id)))
    return manifest


def _in_chunks(path: Path) -> Iterator[dict[str, list[Event]]]:
    """Yield the next some thousand events by session, each session's in order."""
    waiting: dict[str, list[Event]] = defaultdict(list)
    with path.open(encoding="utf-8") as file:
        for number, line in enumerate(file, start=1):
            session_id, event = _read_line(path, number, line)
            waiting[session_id].append(event)
            if number % _CHUNK == 0:
                yield waiting
                waiting = defaultdict(list)
    yield waiting


def _read_line(path: Path, number: int, line: str) -> tuple[str, Event]:
    try:
        fields = json.loads(line)
        return str(fields["session_id"]), parse_event(fields["event"])
    except (ValueError, TypeError, KeyError, Malformed) as error:
        raise Malformed(f"{path}, line {number}: {error}", path=str(path), line=number) from error
