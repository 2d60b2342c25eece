from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import anyio
import pytest

from nightschool.core.clock import SystemClock
from nightschool.core.errors import StoreFull
from nightschool.events.base import EventBase
from nightschool.orchestration.board import Board
from nightschool.orchestration.plan_log import MemoryPlanLog
from nightschool.orchestration.scheduler import Scheduler
from nightschool.orchestration.write_behind import write_behind
from tests.unit.orchestration.workers import random_plan

pytestmark = pytest.mark.anyio


@dataclass(slots=True)
class SlowLog(MemoryPlanLog):
    """A log whose commits take a while; counts them, and keeps none after so many."""

    commits: int = 0
    room: int = 1_000_000

    async def append(self, events: Sequence[EventBase]) -> None:
        for _ in range(20):
            await anyio.lowlevel.checkpoint()
        self.commits += 1
        if self.commits > self.room:
            raise StoreFull
        self.events.extend(events)


async def test_everything_is_safe_at_the_end_in_its_order_and_in_fewer_commits() -> None:
    plan, worker = random_plan(random.Random(5), 40)
    strict, behind = SlowLog(), SlowLog()
    expected = await Scheduler(worker=worker, log=strict, clock=SystemClock()).run(plan)

    async with write_behind(behind) as log:
        board = await Scheduler(worker=worker, log=log, clock=SystemClock()).run(plan)

    assert board.tasks == expected.tasks == Board.of(plan, behind.events).tasks
    assert [event.type for event in strict.events] == [event.type for event in behind.events]
    assert behind.commits < strict.commits


async def test_a_log_that_fails_stops_the_plan() -> None:
    plan, worker = random_plan(random.Random(5), 40)

    with pytest.raises(StoreFull):
        async with write_behind(SlowLog(room=2)) as log:
            await Scheduler(worker=worker, log=log, clock=SystemClock()).run(plan)


async def test_what_is_read_is_what_was_taken() -> None:
    plan, worker = random_plan(random.Random(5), 3)
    async with write_behind(SlowLog()) as log:
        await Scheduler(worker=worker, log=log, clock=SystemClock()).run(plan)

        assert "plan.completed" == (await log.read())[-1].type
