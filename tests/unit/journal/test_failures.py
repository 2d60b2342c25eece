"""SQLite's errors in nightschool's words."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from nightschool.core.errors import StoreBusy, StoreCorrupt, StoreError, StoreFull, StoreUnwritable
from nightschool.journal import failures
from nightschool.journal.failures import free_bytes, translate


def _error(number: int, name: str = "SQLITE_X") -> sqlite3.OperationalError:
    error = sqlite3.OperationalError("what SQLite says")
    error.sqlite_errorcode = number
    error.sqlite_errorname = name
    return error


@pytest.mark.parametrize(
    ("number", "kind"),
    [
        (sqlite3.SQLITE_FULL, StoreFull),
        (sqlite3.SQLITE_READONLY, StoreUnwritable),
        (sqlite3.SQLITE_READONLY_CANTINIT, StoreUnwritable),
        (sqlite3.SQLITE_CANTOPEN, StoreUnwritable),
        (sqlite3.SQLITE_PERM, StoreUnwritable),
        (sqlite3.SQLITE_CORRUPT, StoreCorrupt),
        (sqlite3.SQLITE_CORRUPT_INDEX, StoreCorrupt),
        (sqlite3.SQLITE_NOTADB, StoreCorrupt),
        (sqlite3.SQLITE_BUSY, StoreBusy),
        (sqlite3.SQLITE_BUSY_RECOVERY, StoreBusy),
        (sqlite3.SQLITE_IOERR_FSYNC, StoreError),
        (sqlite3.SQLITE_ERROR, StoreError),
    ],
)
def test_each_kind_names_the_file_and_says_what_to_do(
    tmp_path: Path, number: int, kind: type[StoreError]
) -> None:
    error = translate(_error(number), tmp_path / "journal.sqlite")

    assert kind is type(error)
    assert str(tmp_path / "journal.sqlite") in error.message
    assert any(word in error.message for word in ("Free", "Check", "Leave", "Try"))
    assert "SQLITE_X" == error.details["sqlite"]


def test_an_io_error_on_a_disk_without_space_is_a_full_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite cannot grow its shared memory then, and reports no more than an I/O error."""
    monkeypatch.setattr(failures, "free_bytes", lambda _: 0)

    assert StoreFull is type(translate(_error(sqlite3.SQLITE_IOERR_SHMSIZE), tmp_path / "j"))
    assert StoreUnwritable is type(translate(_error(sqlite3.SQLITE_READONLY), tmp_path / "j"))


def test_an_error_without_a_number_is_translated_too(tmp_path: Path) -> None:
    error = translate(sqlite3.ProgrammingError("Cannot operate on a closed database."), tmp_path / "j")

    assert "ProgrammingError: Cannot operate" in error.message


def test_space_that_cannot_be_told_is_not_called_full(tmp_path: Path) -> None:
    assert 0 < free_bytes(tmp_path / "j")
    assert free_bytes(tmp_path / "missing" / "j") > 1 << 40
