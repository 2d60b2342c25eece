"""The turn to write, passed between processes.

SQLite has a write lock of its own; this one stands before it for two reasons. Waiting for SQLite's means
sleeping up to 100 ms at a time, which starves a writer among busy ones for more than a second; here the
waits are short. And a checkpoint, which SQLite runs at the end of a commit but outside its write lock,
then never meets another process's write: up to version 3.51.2 that meeting can, very rarely, lose a
commit (https://www.sqlite.org/wal.html#walresetbug), and Python brings its own, often older SQLite.

Knows nothing about SQL.
"""

from __future__ import annotations

import fcntl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from nightschool.core.errors import StoreBusy, StoreUnwritable

__all__ = ["WriteLock"]

_SHORTEST_PAUSE_SECONDS: Final = 0.0001
_LONGEST_PAUSE_SECONDS: Final = 0.005


class WriteLock:
    """Held by one writer at a time; the kernel gives it back when its holder dies."""

    def __init__(self, path: Path, *, busy_seconds: float) -> None:
        """Open the lock file that belongs to the journal ``path``."""
        self._path = path
        self._busy_seconds = busy_seconds
        name = f"{path}-lock"
        try:
            self._file = Path(name).open("ab")  # noqa: SIM115  kept open as long as the lock may be taken
        except OSError as error:
            raise StoreUnwritable(
                f"{name} cannot be opened: {error.strerror}. Check the permissions of it and of its folder, "
                "or choose another data folder with --data or NIGHTSCHOOL_DATA.",
                path=name,
            ) from error

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the lock.

        Raises:
            StoreBusy: others held it for too long.
        """
        self._take()
        try:
            yield
        finally:
            fcntl.flock(self._file, fcntl.LOCK_UN)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _take(self) -> None:
        # The sum of the pauses stands for the time: the clock may be a test's, and stand still.
        waited = 0.0
        while not self._taken():
            if waited >= self._busy_seconds:
                raise StoreBusy(
                    f"{self._path}: another process has held it for {self._busy_seconds:g} s. Try again "
                    "shortly; if it stays so, look for a stopped nightschool process.",
                    path=str(self._path),
                )
            pause = min(max(waited / 100, _SHORTEST_PAUSE_SECONDS), _LONGEST_PAUSE_SECONDS)
            time.sleep(pause)
            waited += pause

    def _taken(self) -> bool:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
