"""Whether a journal can be used here and now: folder, file, disk, lock. For ``nightschool doctor``.

Changes nothing. Knows nothing about the events themselves: that is `verify`.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from nightschool.core.errors import NightschoolError, StoreBusy, StoreCorrupt, StoreFull, StoreUnwritable
from nightschool.journal.connection import connect
from nightschool.journal.failures import free_bytes, translated
from nightschool.journal.lock import WriteLock
from nightschool.journal.migrate import applied_version, migrations

__all__ = ["Finding", "check"]

_MEGABYTE: Final = 1024 * 1024
_LEAST_FREE_BYTES: Final = 256 * _MEGABYTE
_BUSY_SECONDS: Final = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """The answer to one question about the journal."""

    name: str
    """What was looked at."""
    ok: bool
    """Whether it is as it should be."""
    message: str
    """What was found and, when it is not well, what to do."""
    code: str | None = None
    """The error code of what is wrong."""


def check(path: Path, *, deep: bool = True) -> list[Finding]:
    """Return what there is to know about the journal at ``path``, whether or not it exists.

    Args:
        path: the journal's file.
        deep: also read the whole file for SQLite's integrity check; takes about a second per GB.
    """
    questions: list[tuple[str, Callable[[], str]]] = [
        ("folder", lambda: _folder(path)),
        ("free space", lambda: _space(path)),
    ]
    if path.exists():
        questions += [("file", lambda: _file(path)), ("write lock", lambda: _lock(path))]
        if deep:
            questions += [("integrity", lambda: _integrity(path))]
    return [_answer(name, ask) for name, ask in questions]


def _answer(name: str, ask: Callable[[], str]) -> Finding:
    try:
        return Finding(name=f"journal {name}", ok=True, message=ask())
    except NightschoolError as error:
        return Finding(name=f"journal {name}", ok=False, message=error.message, code=error.code)


def _folder(path: Path) -> str:
    nearest = next(folder for folder in path.absolute().parents if folder.exists())
    if not nearest.is_dir() or not os.access(nearest, os.W_OK | os.X_OK):
        raise StoreUnwritable(
            f"{nearest} cannot be written. Change its permissions, or choose another data folder with --data "
            "or NIGHTSCHOOL_DATA.",
            path=str(nearest),
        )
    if path.exists():
        return f"{path.parent} can be written"
    return f"nothing has been run here yet; {nearest} can be written"


def _space(path: Path) -> str:
    nearest = next(folder for folder in path.absolute().parents if folder.exists())
    free = free_bytes(nearest / path.name)
    if free < _LEAST_FREE_BYTES:
        raise StoreFull(
            f"{nearest} has {free // _MEGABYTE} MB left. Free some space before the next run: a full disk "
            "stops it, though nothing acknowledged is lost and it can be resumed.",
            path=str(nearest),
        )
    return f"{free // _MEGABYTE} MB left"


def _file(path: Path) -> str:
    if not os.access(path, os.W_OK):
        raise StoreUnwritable(
            f"{path} can be read but not written: change its permissions to run anything in this folder.",
            path=str(path),
        )
    with _reading(path) as connection, translated(path):
        have, newest = applied_version(connection), migrations()[-1].version
        (mode,) = connection.execute("PRAGMA journal_mode").fetchone()
    if have > newest:
        raise StoreUnwritable(
            f"{path} has schema {have}, this version knows up to {newest}: upgrade nightschool.",
            path=str(path),
        )
    state = "" if have == newest else f", will become {newest} with the next run"
    return f"opens; schema {have}{state}; {mode} mode; SQLite {sqlite3.sqlite_version}"


def _lock(path: Path) -> str:
    lock = WriteLock(path, busy_seconds=_BUSY_SECONDS)
    try:
        with lock.held():
            return "free"
    except StoreBusy as error:
        raise StoreBusy(
            f"a process has held {path} for over {_BUSY_SECONDS:g} s: look for one that is stopped or hangs "
            f"(`fuser {path}` names it).",
            path=str(path),
        ) from error
    finally:
        lock.close()


@contextmanager
def _reading(path: Path) -> Iterator[sqlite3.Connection]:
    connection = connect(path, read_only=True, busy_seconds=_BUSY_SECONDS)
    try:
        yield connection
    finally:
        connection.close()


def _integrity(path: Path) -> str:
    with _reading(path) as connection, translated(path):
        found = _damage(connection)
    if found:
        raise StoreCorrupt(
            f"{path} is damaged: {'; '.join(found)}. Copy it away with the files beside it, then run "
            "`nightschool verify` to see which sessions are affected.",
            path=str(path),
        )
    return "sound"


def _damage(connection: sqlite3.Connection) -> list[str]:
    try:
        found = [str(row[0]) for row in connection.execute("PRAGMA integrity_check(5)")]
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_CORRUPT:
            raise
        return [str(error)]
    return [] if found == ["ok"] else found
