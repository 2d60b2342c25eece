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
from nightschool.journal.journal import Journal
from nightschool.warehouse.reader import open_warehouse
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


def _strace(path: Path, call: str, points: range, *options: str) -> None:
    """Run the syncs once for each point."""
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed")
    runner = ["-m", sync_fault_runner.__name__, str(path), call, str(points[-1]), *map(str, points)]
    done = subprocess.run(
        ["strace", "-f", "-qq", "-e", f"trace={call}", *options, sys.executable, *runner],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if "ptrace" in done.stderr and "not permitted" in done.stderr:
        pytest.skip("tracing processes is not permitted here")
    assert 0 == done.returncode, done.stderr


def _status(path: Path, point: int) -> int:
    return int((path / str(point) / "status").read_text())


def _calls(path: Path, call: str) -> int:
    """Count the calls that the syncs make on the warehouse's files; DuckDB and the schema decide."""
    path.mkdir()
    _write_journal(Folder(path))
    _strace(path, call, range(1, 2), "-y", "-o", str(path / "calls"))
    return sum("nightschool.duckdb" in line for line in (path / "calls").read_text().splitlines())


def _check(folder: Folder) -> None:
    """Readers see everything, and the next sync takes the warehouse there, whatever the file was left as."""
    entries = everything(folder)
    assert len(entries) > sync_fault_runner.STAGES[-1]
    with (
        closing(Journal.open(folder.journal, clock=SystemClock(), read_only=True)) as journal,
        open_warehouse(folder.warehouse, journal=journal) as reader,
    ):
        seen = reader.query("SELECT position FROM v1_events ORDER BY position")["position"]
    assert [entry.position for entry in entries] == seen.to_list()
    catch_up(folder)
    assert_warehouse_is_journal(folder, entries)


def _try(call: str, fault: str, path: Path, points: range) -> None:
    _write_journal(Folder(path))
    inject = f"inject={call}:{fault}:when={points[-1]}"
    _strace(path, call, points, "-o", "/dev/null", "-e", inject)
    struck = [_status(path, point) for point in points if _status(path, point) != 0]
    assert len(struck) >= 0.8 * len(points), "the faults must really have struck"
    assert all((status == -9) == (fault == KILL) for status in struck), struck
    for point in points:
        _check(Folder(path / str(point)))


MAKING = 3
"""DuckDB writes a new file's three headers one by one."""
WHOLE = [
    *((call, KILL) for call in ("pwrite64", "write", "fdatasync", "unlink")),
    *((call, EIO) for call in ("pwrite64", "write", "fdatasync")),
    *((call, ENOSPC) for call in ("pwrite64", "write")),
]


def test_a_sync_killed_while_it_makes_the_file_costs_nothing(tmp_path: Path) -> None:
    _try("pwrite64", KILL, tmp_path, range(1, MAKING + 1))


@pytest.mark.parametrize(
    ("call", "fault", "points"),
    [
        ("pwrite64", KILL, range(6, 31, 12)),
        ("fdatasync", KILL, range(1, 4)),  # among them: in the middle of a checkpoint
        ("write", ENOSPC, range(5, 26, 20)),
    ],
)
def test_a_fault_in_a_sync_costs_nothing(tmp_path: Path, call: str, fault: str, points: range) -> None:
    _try(call, fault, tmp_path, points)


@pytest.mark.nightly
@pytest.mark.timeout(900)
@pytest.mark.parametrize(("call", "fault"), WHOLE)
def test_a_fault_at_any_write_of_a_sync_costs_nothing(tmp_path: Path, call: str, fault: str) -> None:
    first = 1 + MAKING if call == "pwrite64" else 1
    calls = _calls(tmp_path / "counted", call)
    assert calls >= first + 3
    _try(call, fault, tmp_path, range(first, calls + 1))
