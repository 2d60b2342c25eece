"""Data folders that cannot be written, disks that fill up, files that others hold."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from tests.acceptance.cli.command import complaint, here
from tests.acceptance.cli.journal import count

pytestmark = [pytest.mark.integration, pytest.mark.timeout(240)]

_LETTERS = ("run", "letters", "--repeats", "1", "--arms", "single,orchestrated")
_HOLDER = """
import sys, duckdb
with duckdb.connect(sys.argv[1]) as held:
    held.execute("CREATE TABLE theirs (a INT)")
    print("held", flush=True)
    sys.stdin.readline()
    held.execute("DROP TABLE theirs")
"""

Disk = Callable[[str], Path]


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    """Return a way to mount a disk of some size, again to change how it is mounted."""
    if os.geteuid() != 0:
        pytest.skip("only root may mount a small disk")
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = False

    def mount(options: str) -> Path:
        nonlocal mounted
        how = ("-o", f"remount,{options}") if mounted else ("-t", "tmpfs", "-o", options, "tmpfs")
        done = subprocess.run(["mount", *how, str(folder)], capture_output=True, text=True, check=False)
        if done.returncode:
            pytest.skip(f"mounting is not permitted here: {done.stderr.strip()}")
        mounted = True
        return folder

    yield mount
    if mounted:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


@contextmanager
def _held(path: Path) -> Iterator[None]:
    """Have another process keep the warehouse open for writing, for the length of a block."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with subprocess.Popen(
        [sys.executable, "-c", _HOLDER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None and "held\n" == holder.stdout.readline()
        yield
        holder.communicate("done\n")


def _trials(data: Path) -> int:
    answer = here("sql", "SELECT count(*) AS n FROM v1_trials", "--format", "csv", data=data)
    assert 0 == answer.code, answer.err
    return int(answer.out.split()[-1])


@pytest.mark.parametrize(
    "command", [_LETTERS, ("import", "tau-bench", "x-y.json"), ("sync",)], ids=lambda c: c[0]
)
def test_a_folder_that_cannot_be_made_is_said(command: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    (tmp_path / "x-y.json").write_text("[]")
    arguments = [str(tmp_path / word) if word.endswith(".json") else word for word in command]
    outcome = here(*arguments, data=tmp_path / "file" / "data")

    assert 6 == outcome.code
    assert "file/data cannot be made: Not a directory. Choose another data folder" in complaint(outcome)


def test_a_folder_for_reading_only_can_be_read_and_not_run_in(disk: Disk) -> None:
    data = disk("size=64m") / "data"
    run = ("run", "letters", "--repeats", "1", "--arms", "single", "--samples", "letter-1,letter-2")
    assert 0 == here(*run, data=data).code
    disk("ro,size=64m")

    for command in (["compare"], ["experiments"], ["sql", "SELECT 1"], ["verify"]):
        assert 0 == here(*command, data=data).code, command
    for command in ([*run], ["run", "--resume", "LAST"], ["sync"]):
        outcome = here(*command, data=data)
        assert 6 == outcome.code, command
        assert "Read-only file system" in complaint(outcome)
        assert "--data or NIGHTSCHOOL_DATA" in complaint(outcome)
    assert 6 == here("doctor", data=data).code


def test_a_disk_that_fills_up_stops_the_run_and_more_room_lets_it_go_on(disk: Disk) -> None:
    data = disk("size=3500k") / "data"
    outcome = here(*_LETTERS, data=data)
    disk("size=64m")
    done = count(data, "trial.completed")

    assert 6 == outcome.code, outcome.err
    assert "the disk is full. Everything acknowledged is kept." in complaint(outcome)
    assert "nightschool run --resume exp_" in complaint(outcome)
    assert 0 < done < 16
    assert 0 == here("run", "--resume", "LAST", data=data).code
    assert 0 == here("verify", data=data).code
    assert 16 == _trials(data) == count(data, "trial.completed")


def test_a_warehouse_held_by_another_program_does_not_hold_up_a_run(tmp_path: Path) -> None:
    with _held(tmp_path / "nightschool.duckdb"):
        run = here(*_LETTERS, "--samples", "letter-1,letter-2", data=tmp_path)
        busy = here("sync", data=tmp_path)
        asked = _trials(tmp_path)

    assert 0 == run.code, run.err
    assert "could not be written now" in run.err and "nightschool sync" in run.err
    assert 6 == busy.code
    assert "is open elsewhere" in complaint(busy)
    assert 4 == asked

    caught_up = here("sync", data=tmp_path)
    assert 0 == caught_up.code
    assert f"{count(tmp_path):,} events copied" in caught_up.out
    assert 4 == _trials(tmp_path)
    assert "0 events copied" in here("sync", data=tmp_path).out


@pytest.fixture
def imported(tmp_path: Path) -> Path:
    """A small data folder with one session."""
    traj = [{"role": "user", "content": "Hello."}, {"role": "assistant", "content": "Good day."}]
    (tmp_path / "a-b.json").write_text(json.dumps([{"task_id": 0, "trial": 0, "reward": 1.0, "traj": traj}]))
    data = tmp_path / "data"
    assert 0 == here("import", "tau-bench", str(tmp_path / "a-b.json"), data=data).code
    return data


def test_a_sound_folder_is_called_sound(imported: Path) -> None:
    doctor, verify = here("doctor", data=imported), here("verify", data=imported)

    assert (0, 0) == (doctor.code, verify.code)
    assert "wrong" not in doctor.out
    assert "1 sessions, 5 events · every one is as it was written" in verify.out


def test_a_changed_event_is_found(imported: Path) -> None:
    with closing(sqlite3.connect(imported / "journal.sqlite")) as journal, journal:
        journal.execute("UPDATE event SET body = replace(body, 'Good day', 'Good bye')")
    outcome = here("verify", data=imported)

    assert 6 == outcome.code
    assert "1 problems" in outcome.out
    assert "sesn_" in outcome.err


@pytest.mark.parametrize(
    "command", [["verify"], ["doctor"], ["compare"], ["run", "letters"], ["trace", "sesn_x"]]
)
def test_a_file_that_is_no_journal_is_said(command: list[str], tmp_path: Path) -> None:
    (tmp_path / "journal.sqlite").write_bytes(b"this is no database" * 400)
    outcome = here(*command, data=tmp_path)

    assert 6 == outcome.code
    assert "Traceback" not in outcome.err
    assert "journal.sqlite" in outcome.out + outcome.err


def test_a_file_that_is_no_warehouse_does_not_stop_a_run(tmp_path: Path) -> None:
    (tmp_path / "nightschool.duckdb").write_bytes(b"this is no database" * 400)
    run = here("run", "letters", "--repeats", "1", "--arms", "single", "--samples", "letter-1", data=tmp_path)
    sync = here("sync", data=tmp_path)

    assert 0 == run.code
    assert "could not be written now" in run.err
    assert 6 == sync.code
    assert "is not a sound warehouse" in complaint(sync)
    assert "the next sync rebuilds it from the journal" in complaint(sync)

    (tmp_path / "nightschool.duckdb").unlink()
    assert 0 == here("sync", data=tmp_path).code
    assert 1 == _trials(tmp_path)
