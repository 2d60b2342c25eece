"""A plan over the real journal: killed, woken elsewhere, shown."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from anyio import to_thread

from nightschool.core.clock import SystemClock
from nightschool.core.errors import StaleWriter
from nightschool.core.ids import IdSource
from nightschool.events.plan import PlanCompleted
from nightschool.events.session import AgentSnapshot
from nightschool.journal.journal import Journal
from nightschool.orchestration.plan_log import SessionPlanLog
from nightschool.orchestration.scheduler import Scheduler
from nightschool.orchestration.slots import Done, Order
from nightschool.sessions.log import SessionLog
from tests.acceptance.cli.command import here
from tests.unit.orchestration.workers import Recorder, random_plan

pytestmark = [pytest.mark.anyio, pytest.mark.integration]

ORCHESTRATOR = AgentSnapshot(name="orchestrator", model="code")


@pytest.fixture
def log(tmp_path: Path) -> Iterator[SessionLog]:
    clock = SystemClock()
    journal = Journal.open(tmp_path / "journal.sqlite", clock=clock)
    yield SessionLog(journal, clock=clock, ids=IdSource())
    journal.close()


async def test_a_session_woken_elsewhere_ends_the_first_orchestrator_and_the_second_finishes(
    log: SessionLog, tmp_path: Path
) -> None:
    plan, worker = random_plan(random.Random(3), 12)
    writer = await log.create("sesn_o", agent=ORCHESTRATOR)

    async def taken_over(order: Order) -> Done:
        if len(worker.orders) == 5:
            await log.wake("sesn_o")
        return await worker(order)

    with pytest.raises(StaleWriter):
        await Scheduler(worker=taken_over, log=SessionPlanLog(log, writer), clock=SystemClock()).run(plan)
    second = Recorder(fails=worker.fails)
    woken = SessionPlanLog(log, await log.wake("sesn_o"))
    board = await Scheduler(worker=second, log=woken, clock=SystemClock()).run(plan)

    assert all(state.status.is_over for state in board.tasks.values())
    assert 1 == sum(isinstance(event, PlanCompleted) for event in await woken.read())
    shown = await to_thread.run_sync(lambda: here("plan", "show", "sesn_o", data=tmp_path))
    assert "12 tasks in" in shown.out


async def test_a_finished_plan_is_not_run_again(log: SessionLog) -> None:
    plan, worker = random_plan(random.Random(3), 5)
    place = SessionPlanLog(log, await log.create("sesn_o", agent=ORCHESTRATOR))
    await Scheduler(worker=worker, log=place, clock=SystemClock()).run(plan)
    events = len(await place.read())

    again = Recorder()
    await Scheduler(worker=again, log=place, clock=SystemClock()).run(plan)

    assert [] == again.orders
    assert events == len(await place.read())
