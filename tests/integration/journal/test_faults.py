"""A fault at every single write and sync: the kernel kills the writer there, or answers with an error.

`make crash` tries every point; each change tries a sample of them.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from nightschool.core.clock import SystemClock
from nightschool.journal.journal import Journal
from nightschool.journal.verify import verify
from tests.integration.journal import fault_runner
from tests.integration.journal.writer_process import batches

pytestmark = [pytest.mark.integration, pytest.mark.crash]

ROOT = Path(__file__).parents[3]
KILL, EIO, ENOSPC = "signal=KILL", "error=EIO", "error=ENOSPC"


class Written(NamedTuple):
    """What one writer left behind."""

    point: int
    status: int
    acknowledged: list[tuple[str, str]]
    errors: list[str]
    journal: Path


def _strace(call: str, fault: str, folder: Path, points: range) -> list[Written]:
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed")
    most = points[-1]
    runner = ["-m", fault_runner.__name__, str(folder), call, str(most), *map(str, points)]
    inject = ["-e", f"trace={call}", "-e", f"inject={call}:{fault}:when={most}"]
    done = subprocess.run(
        ["strace", "-f", "-qq", "-o", "/dev/null", *inject, sys.executable, *runner],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if "ptrace" in done.stderr and "not permitted" in done.stderr:
        pytest.skip("tracing processes is not permitted here")
    assert 0 == done.returncode, done.stderr
    writers = [_written(folder / str(point), point) for point in points]
    assert {-9 if fault == KILL else 0} == {writer.status for writer in writers}
    return writers


def _written(folder: Path, point: int) -> Written:
    notes = folder / "acknowledged"
    lines = [line.split() for line in notes.read_text().splitlines()] if notes.exists() else []
    return Written(
        point=point,
        status=int((folder / "status").read_text()),
        acknowledged=[(first, second) for first, second, *_ in lines if first != "error"],
        errors=[second for first, second, *_ in lines if first == "error"],
        journal=folder / "journal.sqlite",
    )


def _everything() -> list[tuple[str, str]]:
    return [
        (session_id, event.id)
        for session_id, events in batches("sesn_a", fault_runner.APPENDS, ["sesn_b"])
        for event in events
    ]


def _check(written: Written) -> None:
    """Nothing acknowledged is lost, nothing is doubled; and the work can be finished."""
    journal = Journal.open(written.journal, clock=SystemClock())
    stored = [(entry.session_id, entry.event_id) for entry in journal.tail(0, 10_000)]
    assert set(written.acknowledged) <= set(stored), f"lost at point {written.point}"
    assert len(set(stored)) == len(stored)
    assert stored == [pair for pair in _everything() if pair in set(stored)], "out of order"
    for session_id, events in batches("sesn_a", fault_runner.APPENDS, ["sesn_b"]):
        journal.append(session_id, events, epoch=1)
    assert _everything() == [(entry.session_id, entry.event_id) for entry in journal.tail(0, 10_000)]
    found = verify(journal)
    assert (True, ()) == (found.is_sound, found.problems)
    journal.close()


SAMPLE = [
    ("pwrite64", KILL, range(1, 260, 24)),
    ("fdatasync", KILL, range(1, 70, 9)),
    ("pwrite64", EIO, range(1, 260, 40)),
    ("pwrite64", ENOSPC, range(1, 260, 40)),
    ("fdatasync", EIO, range(1, 70, 12)),
]
WHOLE = [
    *((call, KILL, range(start, start + 60)) for call in ("pwrite64",) for start in range(1, 300, 60)),
    ("fdatasync", KILL, range(1, 80)),
    ("ftruncate", KILL, range(1, 6)),
    *((call, fault, range(1, 300, 3)) for call in ("pwrite64",) for fault in (EIO, ENOSPC)),
    ("fdatasync", EIO, range(1, 80)),
    ("ftruncate", EIO, range(1, 6)),
]


def _name(case: object) -> str:
    return f"{case.start}-{case.stop}" if isinstance(case, range) else str(case)


@pytest.mark.parametrize(("call", "fault", "points"), SAMPLE, ids=_name)
def test_a_fault_at_a_write_loses_nothing_acknowledged(
    tmp_path: Path, call: str, fault: str, points: range
) -> None:
    writers = _strace(call, fault, tmp_path, points)

    # An error in a checkpoint is nobody's to hear: it is made up for by the next one.
    struck = [writer for writer in writers if writer.status == -9 or writer.errors]
    assert len(points) // 2 <= len(struck), "the faults must really have struck"
    for written in writers:
        _check(written)


@pytest.mark.nightly
@pytest.mark.timeout(900)
@pytest.mark.parametrize(("call", "fault", "points"), WHOLE, ids=_name)
def test_a_fault_at_any_write_loses_nothing_acknowledged(
    tmp_path: Path, call: str, fault: str, points: range
) -> None:
    for written in _strace(call, fault, tmp_path, points):
        _check(written)
