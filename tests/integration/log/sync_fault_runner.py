"""Runs the same syncs once for each of many fault points, under ``strace``.

    strace -f -e inject=CALL:FAULT:when=MOST ... python sync_fault_runner.py FOLDER CALL MOST POINT [POINT ..]

As `fault_runner` does for the journal: each point has a process of its own, forked here, which makes
MOST - POINT calls that do not matter, so that the POINT-th call of its own work is the one that fails. The
work is four syncs of a journal that was written before; the first makes the file. DuckDB is given one thread,
because strace counts the calls of each thread by itself.
"""

from __future__ import annotations

import functools
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import duckdb
import pandera.polars  # noqa: F401  loaded before the fork, as everything else

from nightschool.core.clock import SystemClock
from nightschool.core.errors import NightschoolError
from nightschool.journal.entry import Entry
from nightschool.journal.journal import Journal
from nightschool.warehouse.store import Warehouse
from tests.integration.log.sound import Folder

STAGES = (25, 50, 51, 90)
"""Positions up to which the syncs copy; the journal reaches a little further."""
ATTEMPTS = 3


class Stretch:
    """A journal as it was when it reached a position."""

    def __init__(self, journal: Journal, last: int) -> None:
        self._journal = journal
        self._last = last

    def tail(self, after_position: int, limit: int) -> Sequence[Entry]:
        return [entry for entry in self._journal.tail(after_position, limit) if entry.position <= self._last]

    def last_position(self) -> int:
        return min(self._last, self._journal.last_position())


def burn(call: str, count: int, scratch: Path) -> None:
    """Make calls that do not matter."""
    file = os.open(scratch, os.O_CREAT | os.O_RDWR)
    for _ in range(count):
        if call == "pwrite64":
            os.pwrite(file, b"x", 0)
        elif call == "write":
            os.write(file, b"x")
        elif call == "fdatasync":
            os.fdatasync(file)
        elif call == "ftruncate":
            os.ftruncate(file, 1)
        elif call == "unlink":
            scratch.with_name("link").touch()
            scratch.with_name("link").unlink()
    os.close(file)


def sync_all(folder: Folder) -> int:
    """Sync stage by stage, again after an error as a run's sync does; return how many errors there were."""
    errors = 0
    journal = Journal.open(folder.journal, clock=SystemClock(), read_only=True)
    warehouse = Warehouse.open(folder.warehouse)
    for last in STAGES:
        for _ in range(ATTEMPTS):
            try:
                warehouse.sync(Stretch(journal, last))
            except NightschoolError:
                errors += 1
            else:
                break
    return errors


def _note(path: Path, status: int) -> None:
    """Write a number by a call that is never the one that fails: this process's own are counted, too."""
    file = os.open(path, os.O_CREAT | os.O_WRONLY)
    os.pwritev(file, [str(status).encode()], 0)
    os.close(file)


def main() -> None:
    """Fork a process for each point, one after the other."""
    source, call, most, *points = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), *map(int, sys.argv[4:])
    duckdb.connect = functools.partial(duckdb.connect, config={"threads": 1})
    for point in points:
        own = source / str(point)
        own.mkdir()
        shutil.copy(Folder(source).journal, own)
        child = os.fork()
        if child == 0:
            burn(call, most - point, own / "scratch")
            os._exit(sync_all(Folder(own)))
        _, status = os.waitpid(child, 0)
        _note(own / "status", os.waitstatus_to_exitcode(status))


if __name__ == "__main__":
    main()
