"""A place to dream in: a journal, sessions, dreams by both sets of rules."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest

from nightschool.core.clock import FrozenClock
from nightschool.core.ids import IdSource
from nightschool.dreaming.adopt import Adoption
from nightschool.dreaming.pipeline import Dreamer, DreamResult, Mode
from nightschool.dreaming.rules import PLAIN, SHARPENED, Rules
from nightschool.journal.journal import Journal
from nightschool.memory.heads import Heads
from nightschool.memory.memory import Memory
from nightschool.memory.store import MemoryStore
from tests.unit.dreaming.sessions import Sessions


@dataclass(frozen=True, slots=True)
class Night:
    """One journal and what is dreamt about it."""

    journal: Journal
    clock: FrozenClock
    ids: IdSource

    @property
    def sessions(self) -> Sessions:
        """Writes sessions."""
        return Sessions(self.journal)

    @property
    def adoption(self) -> Adoption:
        """Decides about dreams."""
        return Adoption(journal=self.journal, clock=self.clock, ids=self.ids)

    def dream(
        self, rules: Rules = SHARPENED, *, name: str = "default", mode: Mode = "incremental", tenant: str = ""
    ) -> DreamResult:
        """Dream, and leave the result to be decided about."""
        dreamer = Dreamer(
            journal=self.journal, clock=self.clock, ids=self.ids, rules=rules, name=name, tenant=tenant
        )
        return dreamer.dream(mode=mode)

    def learn(self, rules: Rules = SHARPENED, *, name: str = "default") -> dict[str, Memory]:
        """Dream, adopt what there is, and return the memories that stand."""
        result = self.dream(rules, name=name)
        if result.completed.status != "completed_no_change":
            self.adoption.adopt(result.dream_id, approved=True)
        return self.memories(name)

    def memories(self, name: str = "default") -> dict[str, Memory]:
        """Return the memories a name stands for."""
        head = Heads(journal=self.journal, clock=self.clock).get(name)
        store = self.store(head.store_id)
        return store.memories() if store.exists else {}

    def store(self, store_id: str) -> MemoryStore:
        """Return a store."""
        return MemoryStore(journal=self.journal, clock=self.clock, ids=self.ids, store_id=store_id)


@pytest.fixture
def clock() -> FrozenClock:
    """Time stands after all that the sessions tell of."""
    return FrozenClock(datetime(2026, 2, 1, tzinfo=UTC))


@pytest.fixture
def night(tmp_path: Path, clock: FrozenClock, ids: IdSource) -> Iterator[Night]:
    """Return an empty place."""
    journal = Journal.open(tmp_path / "journal.sqlite", clock=clock)
    yield Night(journal, clock, ids)
    journal.close()


@pytest.fixture(params=[PLAIN, SHARPENED], ids=["plain", "sharpened"])
def rules(request: pytest.FixtureRequest) -> Rules:
    """Return each set of rules in turn."""
    chosen: Rules = request.param
    return chosen
