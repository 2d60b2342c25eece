"""SQLite's errors in nightschool's words: the one place that translates them.

Knows nothing about what was being stored.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from nightschool.core.errors import StoreBusy, StoreCorrupt, StoreError, StoreFull, StoreUnwritable

__all__ = ["free_bytes", "translate", "translated"]

_ELSEWHERE: Final = "choose another data folder with --data or NIGHTSCHOOL_DATA"
_FULL: Final = {sqlite3.SQLITE_FULL}
_UNWRITABLE: Final = {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN}
_CORRUPT: Final = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT}
_BUSY: Final = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_NEEDED_BYTES: Final = 64 * 1024
"""With less than this left, SQLite's shared-memory file cannot grow and it reports a bare I/O error."""


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turn an error of SQLite's on ``path`` into one of `nightschool.core.errors`."""
    try:
        yield
    except sqlite3.Error as error:
        raise translate(error, path) from error


def translate(error: sqlite3.Error, path: Path) -> StoreError:
    """Return the nightschool error that says what happened to ``path`` and what to do."""
    number = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    name = getattr(error, "sqlite_errorname", type(error).__name__)
    primary = number & 0xFF
    facts = {"path": str(path), "sqlite": name}
    if primary in _FULL or (_is_io(primary) and free_bytes(path) < _NEEDED_BYTES):
        return StoreFull(
            f"{path}: the disk is full. Everything acknowledged is kept. Free some space and run again: "
            "unfinished work resumes.",
            **facts,
        )
    if primary in _UNWRITABLE:
        return StoreUnwritable(
            f"{path} cannot be opened or written ({error}). Check the permissions of it and of its folder, "
            f"or {_ELSEWHERE}.",
            **facts,
        )
    if primary in _CORRUPT:
        return StoreCorrupt(
            f"{path} is not a sound journal ({error}). Leave it and the files beside it as they are, run "
            f"`nightschool doctor`, and meanwhile {_ELSEWHERE}.",
            **facts,
        )
    if primary in _BUSY:
        return StoreBusy(f"{path}: another process has held it for too long. Try again shortly.", **facts)
    return StoreError(
        f"{path}: the journal could not be used ({name}: {error}). Everything acknowledged is kept. Check "
        "the disk, run `nightschool doctor`, then run again.",
        **facts,
    )


def _is_io(primary: int) -> bool:
    return primary in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN)


def free_bytes(path: Path) -> int:
    """Return what the disk under ``path`` has left for us; a large number when it cannot be told."""
    try:
        facts = os.statvfs(path.parent)
    except OSError:
        return 1 << 62
    return facts.f_bavail * facts.f_frsize
