"""A journal in memory and a warehouse beside it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from nightschool.core.clock import FrozenClock
from nightschool.warehouse.reader import Reader, open_warehouse
from nightschool.warehouse.store import Warehouse
from tests.integration.warehouse.memory_journal import MemoryJournal


@pytest.fixture
def journal() -> MemoryJournal:
    """An empty journal."""
    return MemoryJournal()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the warehouse will be."""
    return tmp_path / "data" / "nightschool.duckdb"


@pytest.fixture
def warehouse(path: Path, clock: FrozenClock) -> Warehouse:
    """A warehouse that was never synced."""
    return Warehouse.open(path, clock=clock)


@pytest.fixture
def reader(path: Path, journal: MemoryJournal) -> Iterator[Reader]:
    """A reader of both that does not wait."""
    with open_warehouse(path, journal=journal, wait_seconds=0) as opened:
        yield opened
