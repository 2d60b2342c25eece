"""Real processes, killed while they write: what was acknowledged is there, once, in order."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest

from nightschool.core.clock import SystemClock
from nightschool.journal.journal import Journal
from nightschool.journal.verify import verify
from tests.integration.journal import writer_process

pytestmark = [pytest.mark.integration, pytest.mark.crash]

SCRIPT = Path(writer_process.__file__)
COUNT = 400
SHARED = ["sesn_shared"]


class Writer:
    """One running writer and what it has promised so far."""

    def __init__(self, path: Path, name: str, *, count: int = COUNT) -> None:
        """Start it."""
        self.name = name
        command = [sys.executable, str(SCRIPT), str(path), name, str(count), *SHARED]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.acknowledged: list[tuple[str, str]] = []

    def kill_after(self, lines: int) -> None:
        """Let it acknowledge so many events, kill it, and take note of what it said until then."""
        assert self.process.stdout is not None
        for _ in range(lines):
            self._note(self.process.stdout.readline())
        self.process.kill()
        self._drain()
        assert -9 == self.process.returncode, "the test is about a killed process"

    def finish(self) -> None:
        """Let it finish."""
        self._drain()
        assert 0 == self.process.returncode

    def _drain(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._note(line)
        self.process.stdout.close()
        self.process.wait(60)

    def _note(self, line: str) -> None:
        assert line.endswith("\n")
        session_id, event_id = line.split()
        self.acknowledged.append((session_id, event_id))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the journal lies."""
    return tmp_path / "data" / "journal.sqlite"


def _stored(journal: Journal) -> list[tuple[str, str]]:
    return [(entry.session_id, entry.event_id) for entry in journal.tail(0, 1_000_000)]


def test_writers_killed_together_have_lost_nothing_they_acknowledged(path: Path) -> None:
    """Four processes in one file, two rounds, each killed at its own moment; then all is finished."""
    moments = random.Random(7)
    acknowledged: set[tuple[str, str]] = set()
    names = ["sesn_a", "sesn_b", "sesn_c", "sesn_d"]
    for _ in range(2):
        writers = [Writer(path, name) for name in names]
        for writer in writers:
            writer.kill_after(moments.randrange(5, 120))
            acknowledged.update(writer.acknowledged)
        _check(path, acknowledged)

    finishing = [Writer(path, name, count=60) for name in names]
    for writer in finishing:
        writer.finish()
        acknowledged.update(writer.acknowledged)

    _check(path, acknowledged)


def _check(path: Path, acknowledged: set[tuple[str, str]]) -> None:
    journal = Journal.open(path, clock=SystemClock())
    found = verify(journal)
    stored = _stored(journal)
    journal.close()
    assert (True, ()) == (found.is_sound, found.problems)
    assert len(set(stored)) == len(stored)
    assert set() == acknowledged - set(stored)


def test_what_a_process_wrote_twice_is_there_once_and_in_its_order(path: Path) -> None:
    """A run that starts again after a crash appends everything anew; ids decide what is new."""
    first = Writer(path, "sesn_a", count=60)
    first.kill_after(50)
    second = Writer(path, "sesn_a", count=60)
    second.finish()

    journal = Journal.open(path, clock=SystemClock())
    expected = [
        event.id
        for session_id, events in writer_process.batches("sesn_a", 60, SHARED)
        for event in events
        if session_id == "sesn_a"
    ]
    assert expected == [entry.event_id for entry in journal.read("sesn_a")]
    assert list(range(1, len(expected) + 1)) == [entry.seq for entry in journal.read("sesn_a")]
    journal.close()


def test_processes_that_are_all_the_first_share_one_new_file(path: Path) -> None:
    writers = [Writer(path, f"sesn_{number}", count=3) for number in range(4)]
    for writer in writers:
        writer.finish()

    journal = Journal.open(path, clock=SystemClock())
    assert 4 * (1 + 2 + 3) + 4 * 3 == len(_stored(journal))
    assert list(range(1, 37)) == [entry.position for entry in journal.tail(0, 100)]
    assert verify(journal).is_sound
    journal.close()


def test_a_reader_of_another_process_sees_only_whole_appends_in_order(path: Path) -> None:
    """Positions appear in order: nothing turns up below what was read before."""
    writers = [Writer(path, f"sesn_{number}", count=60) for number in range(2)]
    journal = Journal.open(path, clock=SystemClock())
    seen: list[int] = []
    total = 2 * (60 * 2 + 60)
    while len(seen) < total:
        assert journal.wait_beyond(seen[-1] if seen else 0, timeout_seconds=30)
        seen += [entry.position for entry in journal.tail(seen[-1] if seen else 0, 50)]
    for writer in writers:
        writer.finish()

    assert list(range(1, total + 1)) == seen
    journal.close()
