"""Opening the warehouse's file: briefly, by one at a time in this process, with errors in our own words.

Knows nothing about tables. DuckDB keeps other processes out with a lock that belongs to the whole process:
closing one of two handles on the same file would lift the other's lock. So inside a process the file is open
once at a time, and the turn is held as long as the file is.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import duckdb

from nightschool.core.errors import StoreBusy, StoreCorrupt, StoreError, StoreFull, StoreUnwritable

__all__ = ["ROW_GROUP", "cold_folder", "is_broken_off", "opened", "our_error", "quoted", "turn"]

ROW_GROUP: Final = 20_480
"""Rows that DuckDB compresses as one piece. A checkpoint rewrites the last, unfinished piece, so it is small:
at DuckDB's own 122,880 a sync of 10,000 events held the file for up to 3.7 s, at this for 0.4 s."""

_HEADER_BYTES: Final = 3 * 4096
"""DuckDB begins a new file with three headers, one after another, and nothing else."""
_MAGIC: Final = b"DUCK"
"""Stands behind the checksum of the first header."""

_turns: Final[dict[Path, threading.Lock]] = {}
_turns_guard: Final = threading.Lock()  # protects _turns: two threads must not make two locks for one file


def quoted(path: Path) -> str:
    """Return a path as SQL text, absolute: DuckDB's idea of the current folder must not matter."""
    return "'" + str(path.resolve()).replace("'", "''") + "'"


def cold_folder(path: Path) -> Path:
    """Return where the cold storage of the warehouse at ``path`` lies."""
    return path.parent / "cold"


def _lock_of(path: Path) -> threading.Lock:
    with _turns_guard:
        return _turns.setdefault(path.resolve(), threading.Lock())


@contextmanager
def turn(path: Path, *, wait_seconds: float = 0.0) -> Iterator[None]:
    """Hold this process's turn on the file.

    Raises:
        StoreBusy: another thread of this process holds it longer than ``wait_seconds``.
    """
    lock = _lock_of(path)
    if not lock.acquire(timeout=max(0.0, wait_seconds)):
        raise StoreBusy(
            f"{path} is in use by another thread of this process; try again shortly", path=str(path)
        )
    try:
        yield
    finally:
        lock.release()


@contextmanager
def opened(path: Path, *, wait_seconds: float = 0.0) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open the file for writing, creating it, and close it at the end; closing writes the checkpoint.

    Raises:
        StoreBusy: another process or thread has it open.
        StoreUnwritable: the file or its folder cannot be written.
        StoreFull: the disk is full.
        StoreCorrupt: the file is not a sound DuckDB database.
    """
    with turn(path, wait_seconds=wait_seconds):
        try:
            with duckdb.connect() as connection:
                _attach(connection, path)
                yield connection
                connection.execute("USE memory")
                connection.execute("DETACH warehouse")
        except duckdb.Error as error:
            raise our_error(error, path) from error


def _attach(connection: duckdb.DuckDBPyConnection, path: Path) -> None:
    """Attach rather than connect: only so can the row group's size be chosen."""
    connection.execute("SET TimeZone = 'UTC'")
    attach = f"ATTACH {quoted(path)} AS warehouse (ROW_GROUP_SIZE {ROW_GROUP})"
    try:
        connection.execute(attach)
    except duckdb.Error as error:
        # Whoever is making the file just now holds it; one that nobody holds would be refused for ever.
        if isinstance(our_error(error, path), StoreBusy) or not is_broken_off(path):
            raise
        path.unlink()
        connection.execute(attach)
    connection.execute("USE warehouse")


def is_broken_off(path: Path) -> bool:
    """Return whether a kill or a full disk ended the making of the file: it lacks headers, and holds nothing.

    Call it with the turn held: closing a file gives up whatever locks this process has on it.
    """
    if not path.is_file():
        return False
    with path.open("rb") as file:
        start = file.read(_HEADER_BYTES)
    return len(start) < _HEADER_BYTES and _MAGIC.startswith(start[8:12])


_SIGNS: Final[tuple[tuple[type[StoreError], str, tuple[str, ...]], ...]] = (
    (
        StoreBusy,
        "{path} is open in another program; close it there or try again shortly",
        ("Could not set lock", "Unique file handle conflict", "different configuration"),
    ),
    (
        StoreFull,
        "the disk holding {path} is full; free some space and run again",
        ("No space left", "Disk quota"),
    ),
    (
        StoreUnwritable,
        "{path} cannot be written; choose another folder with --data or NIGHTSCHOOL_DATA",
        ("Permission denied", "Read-only file system", "No such file or directory", "Is a directory"),
    ),
    (
        StoreCorrupt,
        "{path} is not a sound warehouse: {detail}. Move it away: the next sync rebuilds it from the journal",
        (
            "not a valid DuckDB database",
            "checksum",
            "corrupt",
            "Corrupt",
            "Serialization Error",
            "INTERNAL Error",
        ),
    ),
)


def our_error(error: duckdb.Error, path: Path) -> StoreError:
    """Return what went wrong with the file in nightschool's own terms."""
    text = str(error)
    detail = text.splitlines()[0] if text else type(error).__name__
    for kind, message, signs in _SIGNS:
        if any(sign in text for sign in signs):
            return kind(message.format(path=path, detail=detail), path=str(path), detail=detail)
    return StoreError(f"{path}: {detail}", path=str(path), detail=detail)
