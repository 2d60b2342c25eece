"""Opens connections to the journal's file with the settings its promises rest on.

Knows nothing about tables. WAL lets readers and a writer work at the same time; ``synchronous=FULL``
makes a commit an fsync, so that what was acknowledged survives a power cut.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Final
from urllib.parse import quote

from nightschool.core.errors import NotFound, StoreError, StoreUnwritable
from nightschool.journal.failures import translated

__all__ = ["ReaderPool", "connect", "make_folder"]

_CACHE_KIB: Final = 8192
_KEPT_READERS: Final = 8
_KEPT_WAL_BYTES: Final = 64 * 1024 * 1024
"""A log that grew while somebody read for long is cut back to this."""


def make_folder(path: Path) -> None:
    """Make the folder that ``path`` goes into.

    Raises:
        StoreUnwritable: it cannot be made, or ``path`` itself is a folder.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreUnwritable(
            f"The folder {path.parent} cannot be made: {error.strerror}. Choose another data folder with "
            "--data or NIGHTSCHOOL_DATA.",
            path=str(path.parent),
        ) from error
    if path.is_dir():
        raise StoreUnwritable(
            f"{path} is a folder. Name the journal's file in it: {path / 'journal.sqlite'}", path=str(path)
        )


def connect(path: Path, *, read_only: bool, busy_seconds: float) -> sqlite3.Connection:
    """Open one connection.

    Raises:
        NotFound: ``read_only`` and there is no such file.
        StoreError: the file cannot be opened, in the kind that says why.
    """
    if read_only and not path.exists():
        raise NotFound(f"There is no journal at {path}: nothing has been run in this data folder yet.")
    with translated(path):
        connection = sqlite3.connect(
            _address(path, read_only=read_only),
            uri=True,
            timeout=busy_seconds,
            isolation_level=None,
            check_same_thread=False,
        )
        try:
            _configure(connection, read_only=read_only)
        except BaseException:
            connection.close()
            raise
    return connection


def _address(path: Path, *, read_only: bool) -> str:
    mode = "ro" if read_only else "rwc"
    immutable = "&immutable=1" if read_only and _is_frozen(path) else ""
    return f"file:{quote(str(path.absolute()))}?mode={mode}{immutable}"


def _is_frozen(path: Path) -> bool:
    """Whether we may not write beside the file and nobody else does now.

    To read it, SQLite would want to make its shared-memory file there, unless told that nothing changes.
    """
    return not os.access(path.parent, os.W_OK) and not path.with_name(f"{path.name}-wal").exists()


def _configure(connection: sqlite3.Connection, *, read_only: bool) -> None:
    if not read_only:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        # Elsewhere than on macOS an fsync reaches the disk by itself; there it needs to be asked to.
        connection.execute("PRAGMA fullfsync = ON")
        connection.execute(f"PRAGMA journal_size_limit = {_KEPT_WAL_BYTES}")
    connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
    connection.execute("PRAGMA schema_version").fetchone()


class ReaderPool:
    """Connections for reading, lent to one thread at a time; each statement sees the last commit."""

    def __init__(self, path: Path, *, read_only: bool, busy_seconds: float) -> None:
        """Open nothing yet."""
        self._path = path
        self._read_only = read_only
        self._busy_seconds = busy_seconds
        self._idle: list[sqlite3.Connection] = []
        self._closed = False
        self._lock = Lock()  # protects _idle and _closed

    @contextmanager
    def lend(self) -> Iterator[sqlite3.Connection]:
        """Lend a connection; what goes wrong with it is translated, and it is not lent again."""
        with self._lock:
            if self._closed:
                raise StoreError(f"{self._path} is closed; open it again to read.", path=str(self._path))
            idle = self._idle.pop() if self._idle else None
        connection = idle or connect(self._path, read_only=self._read_only, busy_seconds=self._busy_seconds)
        try:
            with translated(self._path):
                yield connection
        except BaseException:
            connection.close()
            raise
        self._take_back(connection)

    def close(self) -> None:
        """Close the connections; one that is lent is closed when it comes back."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _take_back(self, connection: sqlite3.Connection) -> None:
        # A connection to a frozen file would not notice the file's owner beginning to write.
        frozen = self._read_only and _is_frozen(self._path)
        with self._lock:
            if not frozen and not self._closed and len(self._idle) < _KEPT_READERS:
                self._idle.append(connection)
                return
        connection.close()
