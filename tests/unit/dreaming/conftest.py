"""A journal with sessions, and somebody who dreams about them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from nightschool.core.clock import FrozenClock
from nightschool.core.ids import IdSource
from nightschool.dreaming.adopt import Adoption
from nightschool.dreaming.pipeline import Dreamer
from nightschool.dreaming.rules import SHARPENED
from nightschool.journal.journal import Journal
from tests.unit.dreaming.sessions import Sessions


@pytest.fixture
def clock() -> FrozenClock:
    """Time stands after all that the sessions tell of."""
    return FrozenClock(datetime(2026, 2, 1, tzinfo=UTC))


@pytest.fixture
def journal(tmp_path: Path, clock: FrozenClock) -> Iterator[Journal]:
    opened = Journal.open(tmp_path / "journal.sqlite", clock=clock)
    yield opened
    opened.close()


@pytest.fixture
def sessions(journal: Journal) -> Sessions:
    return Sessions(journal)


@pytest.fixture
def dreamer(journal: Journal, clock: FrozenClock, ids: IdSource) -> Dreamer:
    return Dreamer(journal=journal, clock=clock, ids=ids, rules=SHARPENED, name="default")


@pytest.fixture
def adoption(journal: Journal, clock: FrozenClock, ids: IdSource) -> Adoption:
    return Adoption(journal=journal, clock=clock, ids=ids)
