"""What `nightschool doctor` is told about a journal."""

from __future__ import annotations

import fcntl
from pathlib import Path

import pytest

from nightschool.core.clock import FrozenClock
from nightschool.journal import check as module
from nightschool.journal.check import Finding, check
from nightschool.journal.connection import connect
from nightschool.journal.journal import Journal


def _by_name(findings: list[Finding]) -> dict[str, Finding]:
    return {finding.name.removeprefix("journal "): finding for finding in findings}


def test_a_sound_journal_has_nothing_to_complain_of(path: Path, journal: Journal) -> None:
    found = _by_name(check(path))

    assert ["folder", "free space", "file", "write lock", "integrity"] == list(found)
    assert all(finding.ok for finding in found.values())
    assert "wal mode" in found["file"].message


def test_where_nothing_was_run_only_the_place_is_looked_at(tmp_path: Path) -> None:
    found = _by_name(check(tmp_path / "new" / "data" / "journal.sqlite"))

    assert ["folder", "free space"] == list(found)
    assert "nothing has been run here yet" in found["folder"].message
    assert not (tmp_path / "new").exists()


def test_a_file_that_is_no_journal_is_found_out(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    path.write_text("a letter to a friend\n" * 100)

    found = _by_name(check(path))

    assert ("store_corrupt", "store_corrupt") == (found["file"].code, found["integrity"].code)


def test_damage_inside_the_file_is_found_out(path: Path, journal: Journal) -> None:
    journal.close()
    data = bytearray(path.read_bytes())
    data[8192:8292] = b"\xff" * 100
    path.write_bytes(data)

    damaged = _by_name(check(path))["integrity"]

    assert (False, "store_corrupt") == (damaged.ok, damaged.code)
    assert "nightschool verify" in damaged.message
    assert "integrity" not in _by_name(check(path, deep=False))


def test_a_lock_that_is_held_is_found_out(
    path: Path, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_BUSY_SECONDS", 0.0)
    with Path(f"{path}-lock").open("r+") as holder:
        fcntl.flock(holder, fcntl.LOCK_EX)

        found = _by_name(check(path))["write lock"]

    assert (False, "store_busy") == (found.ok, found.code)
    assert "look for one that is stopped" in found.message


def test_little_space_is_found_out(path: Path, journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "free_bytes", lambda _: 3 * 1024 * 1024)

    found = _by_name(check(path))["free space"]

    assert (False, "store_full") == (found.ok, found.code)
    assert "has 3 MB left" in found.message


def test_a_file_of_a_newer_version_is_found_out(path: Path, journal: Journal, clock: FrozenClock) -> None:
    connection = connect(path, read_only=False, busy_seconds=1)
    connection.execute("INSERT INTO schema_version VALUES (9999, 'future', 'then')")
    connection.close()

    assert "upgrade nightschool" in _by_name(check(path))["file"].message
