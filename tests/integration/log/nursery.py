"""Starts processes that do one part each, kills them at given moments, and says what became of them.

    python -m tests.integration.log.nursery FOLDER

One command a line on standard input, one answer a line on standard output:

    start PART [SECONDS]        fork a process that plays the part (see `parts`) until told or killed
    kill PART MILLISECONDS      wait so long, send it SIGKILL, answer its exit status
    wait PART                   wait for its end, answer its exit status
    await NOTES                 wait until one more line has been noted there, answer the size

Python and the libraries are loaded once, here, so that a part is at work a few milliseconds after its start.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import traceback
from pathlib import Path
from typing import Self

import pandera.polars  # noqa: F401  loaded before the fork, as everything else

from tests.integration.log.parts import PARTS
from tests.integration.log.sound import Folder

ROOT = Path(__file__).parents[3]
AT_WORK_SECONDS = 30.0


class Nursery:
    """The test's side of it."""

    def __init__(self, folder: Folder) -> None:
        """Start it."""
        command = [sys.executable, "-m", "tests.integration.log.nursery", str(folder.path)]
        self._process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._folder = folder

    def __enter__(self) -> Self:
        """Return it."""
        return self

    def __exit__(self, *_: object) -> None:
        """End it; what still runs in it is killed."""
        self._process.communicate("")

    def start(self, part: str, seconds: float = 3600.0) -> None:
        """Let a part begin."""
        self._ask(f"start {part} {seconds}")

    def kill(self, part: str, *, after_milliseconds: int) -> int:
        """Kill a part; return its exit status, -9 when it was still at work."""
        return self._ask(f"kill {part} {after_milliseconds}")

    def wait(self, part: str) -> int:
        """Return a part's exit status once it has ended."""
        return self._ask(f"wait {part}")

    def await_more(self, notes: str) -> None:
        """Return once a part has noted one more thing done."""
        self._ask(f"await {notes}")

    def error(self, part: str) -> str:
        """Return what went wrong in a part; empty when nothing did."""
        path = self._folder.path / f"{part}.error"
        return path.read_text() if path.exists() else ""

    def _ask(self, line: str) -> int:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())


def _play(folder: Folder, part: str, seconds: float) -> int:
    try:
        PARTS[part](folder, time.monotonic() + seconds)
    except BaseException:  # noqa: BLE001  the test is told what it was
        (folder.path / f"{part}.error").write_text(traceback.format_exc())
        return 1
    return 0


def _start(folder: Folder, part: str, seconds: float) -> int:
    pid = os.fork()
    if pid == 0:
        os._exit(_play(folder, part, seconds))
    return pid


def _ended(pid: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def _await_more(notes: Path) -> int:
    before = size = _size(notes)
    deadline = time.monotonic() + AT_WORK_SECONDS
    while size == before and time.monotonic() < deadline:
        time.sleep(0.005)
        size = _size(notes)
    return size


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def main() -> None:
    """Do what the lines say."""
    folder, running = Folder(Path(sys.argv[1])), dict[str, int]()
    for line in sys.stdin:
        verb, part, *numbers = line.split()
        if verb == "start":
            running[part] = answer = _start(folder, part, float(numbers[0]))
        elif verb == "kill":
            time.sleep(int(numbers[0]) / 1000)
            os.kill(running[part], signal.SIGKILL)
            answer = _ended(running.pop(part))
        elif verb == "await":
            answer = _await_more(folder.path / part)
        else:
            answer = _ended(running.pop(part))
        os.write(1, f"{answer}\n".encode())
    for pid in running.values():
        os.kill(pid, signal.SIGKILL)


if __name__ == "__main__":
    main()
