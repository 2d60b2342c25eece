"""The turn to write."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from nightschool.core.errors import StoreBusy, StoreUnwritable
from nightschool.journal.lock import WriteLock


@pytest.fixture
def locks(tmp_path: Path) -> Iterator[tuple[WriteLock, WriteLock]]:
    """The same lock as two processes have it."""
    first, second = (WriteLock(tmp_path / "j", busy_seconds=0.01) for _ in range(2))
    yield first, second
    first.close()
    second.close()


def test_one_holder_at_a_time(locks: tuple[WriteLock, WriteLock]) -> None:
    first, second = locks

    with first.held(), pytest.raises(StoreBusy, match=r"held it for 0\.01 s"), second.held():
        pass
    with second.held():
        pass


def test_an_error_gives_the_lock_back(locks: tuple[WriteLock, WriteLock]) -> None:
    first, second = locks

    with pytest.raises(KeyError), first.held():
        raise KeyError
    with second.held():
        pass


def test_a_lock_file_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreUnwritable, match="j-lock cannot be opened: No such file"):
        WriteLock(tmp_path / "missing" / "j", busy_seconds=0.0)
