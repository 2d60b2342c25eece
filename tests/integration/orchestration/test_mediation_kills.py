"""A process that dies at any moment of a mediation, and the plan that is woken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from nightschool.core.clock import SystemClock
from nightschool.events.base import EventBase
from nightschool.events.lock import MediationDecided, MediationRequested
from nightschool.journal.journal import Journal
from nightschool.journal.versions import Versioned, Versions
from nightschool.orchestration.aggregate import answer_of
from nightschool.orchestration.plan import Plan, Task
from nightschool.orchestration.plan_log import MemoryPlanLog
from nightschool.orchestration.scheduler import Scheduler
from nightschool.orchestration.shared import Reading, SharedResources
from nightschool.orchestration.slots import Done, Order
from tests.unit.orchestration.workers import Killed

pytestmark = [pytest.mark.anyio, pytest.mark.integration]

PLAN = Plan(
    id="plan_x",
    goal="g",
    tasks=(
        Task(id="a", title="a"),
        Task(id="b", title="b", depends_on=("a",)),
        Task(id="c", title="c", depends_on=("b",)),
    ),
)
STEPS = 21
"""What the plan takes: appends to its log and writes to the store, each counted before and after."""


@dataclass
class Life:
    """How many more steps that leave a trace the process lives for; None: to the end."""

    steps_left: int | None = None

    def step(self) -> None:
        if self.steps_left is not None:
            if not self.steps_left:
                raise Killed
            self.steps_left -= 1


@dataclass
class MortalLog(MemoryPlanLog):
    """A log whose process may die before an append, or right after it."""

    life: Life = field(default_factory=Life)

    async def append(self, events: Sequence[EventBase]) -> None:
        self.life.step()
        known = {event.id for event in self.events}
        self.events.extend(event for event in events if event.id not in known)
        self.life.step()


@dataclass
class MortalStore:
    """A store whose process may die before a write, or right after it."""

    versions: Versions
    life: Life

    def get(self, name: str) -> Versioned | None:
        return self.versions.get(name)

    def put(self, name: str, value: Any, *, expected: int) -> Versioned:
        self.life.step()
        written = self.versions.put(name, value, expected=expected)
        self.life.step()
        return written


async def _run(log: MortalLog, store: MortalStore) -> dict[str, Any]:
    """Let `a` write, `b` write on what was there before `a` so often that it is mediated, and `c` read."""
    shared = SharedResources(store, log, SystemClock())

    async def work(order: Order) -> Done:
        name = order.task.id
        if name == "a":
            await shared.change("table:t", lambda old: {**(old or {}), "a": 1}, task_id=name, write_id="a1")
        if name == "b":
            stale = Reading(0, None, {})
            await shared.write("table:t", {"b": 2}, base=stale, task_id=name, write_id="b1", conflicts=2)
        return Done(value={"seen": (await shared.read("table:t")).value})

    scheduler = Scheduler(worker=work, log=log, clock=SystemClock())
    return answer_of(await scheduler.run(PLAN))


async def _lived_through(log: MortalLog, store: MortalStore) -> bool:
    try:
        await _run(log, store)
    except (Killed, BaseExceptionGroup):
        return False
    return True


@pytest.mark.parametrize("steps", range(STEPS + 1))
async def test_a_kill_at_any_step_loses_nothing_and_the_plan_ends_the_same(
    tmp_path: Path, steps: int
) -> None:
    journal = Journal.open(tmp_path / "journal.sqlite", clock=SystemClock())
    try:
        versions = Versions(journal=journal, clock=SystemClock(), scope="shared")
        life = Life(steps)
        log = MortalLog(life=life)
        lived = await _lived_through(log, MortalStore(versions, life))
        life.steps_left = None
        answer = await _run(log, MortalStore(versions, life))
    finally:
        journal.close()

    assert (steps >= STEPS) is lived
    assert {"results": {"c": {"seen": {"a": 1, "b": 2}}}} == answer
    # However often it was asked about and decided, it is on record once.
    assert 1 == sum(isinstance(event, MediationRequested) for event in log.events)
    assert [{"a": 1, "b": 2}] == [e.value for e in log.events if isinstance(e, MediationDecided)]
