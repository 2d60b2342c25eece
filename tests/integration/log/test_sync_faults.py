"""A fault at every single write, flush and removal of a sync: killed there, or answered with an error.

`make crash` tries every point; each change tries a sample of them.
"""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from nightschool.core.clock import SystemClock
from nightschool.core.errors import StoreCorrupt
from nightschool.journal.journal import Journal
from tests.integration.journal.writer_process import batches
from tests.integration.log import sync_fault_runner
from tests.integration.log.sound import Folder, assert_warehouse_is_journal, catch_up, everything

pytestmark = [pytest.mark.integration, pytest.mark.crash]

ROOT = Path(__file__).parents[3]
KILL, EIO, ENOSPC = "signal=KILL", "error=EIO", "error=ENOSPC"


def _write_journal(folder: Folder) -> None:
    journal = Journal.open(folder.journal, clock=SystemClock())
    for session_id, events in batches("sesn_a", 32, ["sesn_b"]):
        journal.append(session_id, events, epoch=1)
    journal.close()
    with closing(sqlite3.connect(folder.journal)) as connection:
        # Without a write-ahead log, reading it writes nothing: all writes counted are the sync's.
        connection.execute("PRAGMA journal_mode = DELETE").fetchall()


def _strace(call: str, fault: str, path: Path, points: range) -> list[int]:
    """Run the syncs once for each point; return the exit statuses."""
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed")
    most = points[-1]
    runner = ["-m", sync_fault_runner.__name__, str(path), call, str(most), *map(str, points)]
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
    return [int((path / str(point) / "status").read_text()) for point in points]


def _check(folder: Folder) -> None:
    """The next sync takes the warehouse to the journal's end, whatever the file was left as."""
    entries = everything(folder)
    assert len(entries) > sync_fault_runner.STAGES[-1]
    catch_up(folder)
    assert_warehouse_is_journal(folder, entries)


def _try(call: str, fault: str, path: Path, points: range) -> None:
    _write_journal(Folder(path))
    statuses = _strace(call, fault, path, points)
    if fault == KILL:
        assert {-9} == set(statuses)
    else:
        assert all(status >= 0 for status in statuses)
        assert any(statuses), "the faults must really have struck"
    for point in points:
        _check(Folder(path / str(point)))


def _name(case: object) -> str:
    return f"{case.start}-{case.stop}" if isinstance(case, range) else str(case)


SAMPLE = [("pwrite64", KILL, range(6, 31, 12)), ("write", ENOSPC, range(5, 37, 20))]
# As many of each as the syncs make, but for the three writes that make the file.
POINTS = {
    "pwrite64": range(4, 31),
    "write": range(1, 37),
    "fdatasync": range(1, 22),
    "unlink": range(1, 6),
    "ftruncate": range(1, 2),
}
WHOLE = [
    *((call, fault, points) for fault in (KILL, EIO) for call, points in POINTS.items()),
    *((call, ENOSPC, POINTS[call]) for call in ("pwrite64", "write")),
]


@pytest.mark.xfail(
    raises=StoreCorrupt,
    reason="DuckDB writes a new file's three headers one by one: killed there, the next sync refuses it",
)
def test_a_sync_killed_while_it_makes_the_file_costs_nothing(tmp_path: Path) -> None:
    _try("pwrite64", KILL, tmp_path, range(1, 4))


@pytest.mark.parametrize(("call", "fault", "points"), SAMPLE, ids=_name)
def test_a_fault_in_a_sync_costs_nothing(tmp_path: Path, call: str, fault: str, points: range) -> None:
    _try(call, fault, tmp_path, points)


@pytest.mark.nightly
@pytest.mark.timeout(900)
@pytest.mark.parametrize(("call", "fault", "points"), WHOLE, ids=_name)
def test_a_fault_anywhere_in_a_sync_costs_nothing(
    tmp_path: Path, call: str, fault: str, points: range
) -> None:
    _try(call, fault, tmp_path, points)
