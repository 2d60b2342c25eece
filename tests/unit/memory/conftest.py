"""A journal for memories."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from nightschool.core.clock import FrozenClock
from nightschool.core.ids import IdSource
from nightschool.journal.journal import Journal
from nightschool.memory.store import MemoryStore


@pytest.fixture
def journal(tmp_path: Path, clock: FrozenClock) -> Iterator[Journal]:
    opened = Journal.open(tmp_path / "journal.sqlite", clock=clock)
    yield opened
    opened.close()


@pytest.fixture
def store(journal: Journal, clock: FrozenClock, ids: IdSource) -> MemoryStore:
    made = MemoryStore(journal=journal, clock=clock, ids=ids, store_id="memstore_1")
    made.create("default")
    return made
