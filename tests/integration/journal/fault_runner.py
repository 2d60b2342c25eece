"""Runs the same writing once for each of many fault points, under ``strace``.

    strace -f -e inject=CALL:FAULT:when=MOST ... python fault_runner.py FOLDER CALL MOST POINT [POINT ...]

strace counts the calls of each process by itself and lets the MOST-th fail. Each point has a process of its
own, forked here so that Python starts once: it makes MOST - POINT calls that do not matter and then writes a
journal, so that its POINT-th own call is the one that fails. What was acknowledged is noted beside it.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from nightschool.core.clock import SystemClock
from nightschool.core.errors import NightschoolError
from nightschool.journal.journal import Journal
from tests.integration.journal.writer_process import batches

APPENDS = 30
ATTEMPTS = 3


def burn(call: str, count: int, scratch: Path) -> None:
    """Make calls that do not matter."""
    file = os.open(scratch, os.O_CREAT | os.O_RDWR)
    for _ in range(count):
        if call == "pwrite64":
            os.pwrite(file, b"x", 0)
        elif call == "fdatasync":
            os.fdatasync(file)
        elif call == "ftruncate":
            os.ftruncate(file, 1)
    os.close(file)


def write(folder: Path) -> None:
    """Write a journal with checkpoints on the way, trying again after an error as a caller would."""
    notes = os.open(folder / "acknowledged", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    journal = _open(folder / "journal.sqlite")
    journal.transact(lambda connection: connection.execute("PRAGMA wal_autocheckpoint = 25").fetchall())
    for session_id, events in batches("sesn_a", APPENDS, ["sesn_b"]):
        for attempt in range(ATTEMPTS):
            try:
                journal.append(session_id, events, epoch=1)
            except NightschoolError as error:
                os.write(notes, f"error {error.code} {attempt}\n".encode())
            else:
                os.write(notes, "".join(f"{session_id} {event.id}\n" for event in events).encode())
                break
    journal.close()


def _open(path: Path) -> Journal:
    try:
        return Journal.open(path, clock=SystemClock())
    except NightschoolError:
        return Journal.open(path, clock=SystemClock())


def main() -> None:
    """Fork a writer for each point, one after the other."""
    folder, call, most, *points = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), *map(int, sys.argv[4:])
    for point in points:
        own = folder / str(point)
        own.mkdir()
        child = os.fork()
        if child == 0:
            burn(call, most - point, own / "scratch")
            write(own)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        (own / "status").write_text(str(os.waitstatus_to_exitcode(status)))


if __name__ == "__main__":
    main()
