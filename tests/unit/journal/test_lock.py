"""The turn to write."""

from __future__ import annotations

from pathlib import Path

import pytest

from nightschool.core.errors import StoreBusy, StoreUnwritable
from nightschool.journal.lock import WriteLock


def test_one_holder_at_a_time(tmp_path: Path) -> None:
    first = WriteLock(tmp_path / "j", busy_seconds=0.01)
    second = WriteLock(tmp_path / "j", busy_seconds=0.01)

    with first.held(), pytest.raises(StoreBusy, match=r"held it for 0\.01 s"), second.held():
        pass
    with second.held():
        pass


def test_an_error_gives_the_lock_back(tmp_path: Path) -> None:
    lock = WriteLock(tmp_path / "j", busy_seconds=0.0)

    with pytest.raises(KeyError), lock.held():
        raise KeyError
    with WriteLock(tmp_path / "j", busy_seconds=0.0).held():
        pass


def test_a_lock_file_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreUnwritable, match="j-lock cannot be opened: No such file"):
        WriteLock(tmp_path / "missing" / "j", busy_seconds=0.0)
