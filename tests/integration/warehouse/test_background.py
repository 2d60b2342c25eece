"""A sync beside a run."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from nightschool.core.errors import StoreCorrupt
from nightschool.warehouse.background import following
from nightschool.warehouse.store import SyncStatus, Warehouse
from tests.integration.warehouse.memory_journal import MemoryEntry, MemoryJournal, a_session
from tests.integration.warehouse.other_process import held_elsewhere


def test_the_end_of_a_run_is_in_the_warehouse(journal: MemoryJournal, warehouse: Warehouse) -> None:
    with following(warehouse, journal, interval_seconds=60) as follower:
        journal.append("sesn_a", *a_session("sesn_a"))
    assert follower.outcome is not None
    assert (SyncStatus.CURRENT, 7) == (follower.outcome.status, follower.outcome.events)


def test_the_warehouse_keeps_up_while_the_run_goes_on(warehouse: Warehouse) -> None:
    asked_again = threading.Event()

    class Watched(MemoryJournal):
        def tail(self, after_position: int, limit: int) -> list[MemoryEntry]:
            if after_position >= 20:
                asked_again.set()
            return list(super().tail(after_position, limit))

    journal = Watched()
    journal.append("sesn_a", *a_session("sesn_a"))
    with following(warehouse, journal, interval_seconds=0.01):
        assert asked_again.wait(timeout=30)


def test_a_copy_that_fails_does_not_reach_the_run(warehouse: Warehouse, path: Path) -> None:
    journal = MemoryJournal()
    journal.append("sesn_a", "not an event")
    with following(warehouse, journal, interval_seconds=60) as follower:
        pass
    assert isinstance(follower.error, StoreCorrupt)


def test_a_run_ends_at_once_while_somebody_reads(
    journal: MemoryJournal, warehouse: Warehouse, path: Path
) -> None:
    warehouse.sync(journal)
    journal.append("sesn_a", *a_session("sesn_a"))
    with held_elsewhere(path), following(warehouse, journal, interval_seconds=60) as follower:
        pass
    assert follower.outcome is not None
    assert SyncStatus.BUSY == follower.outcome.status


def test_a_runs_own_error_passes_through(journal: MemoryJournal, warehouse: Warehouse) -> None:
    with pytest.raises(KeyError), following(warehouse, journal, interval_seconds=60):
        raise KeyError("the run's")
