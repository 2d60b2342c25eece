from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from nightschool.core.clock import SystemClock
from nightschool.core.errors import ModelError, TaskTimeout
from nightschool.orchestration.coordination import replay
from nightschool.orchestration.escalation import Action, Decision, Escalation
from nightschool.orchestration.plan import OnFailure, Plan, Task
from nightschool.orchestration.plan_log import MemoryPlanLog
from nightschool.orchestration.scheduler import Scheduler
from nightschool.orchestration.simulated_time import SimulatedTime
from nightschool.orchestration.slots import Done, Order, Slots
from tests.unit.orchestration.workers import Killed, KilledLog, random_plan, task

pytestmark = pytest.mark.anyio


def _cost(task_id: str) -> float:
    return round(random.Random(task_id).uniform(0.5, 9.0), 3)


async def _work(order: Order) -> Done:
    return Done(value={"did": order.task.id}, seconds=_cost(order.task.id))


async def _seconds(tasks: Sequence[Task], width: int, log: MemoryPlanLog | None = None) -> float:
    timed = SimulatedTime(log or MemoryPlanLog(), _work, SystemClock())
    slots = Slots(max_parallel_agents=width)
    plan = Plan(id="plan_x", goal="g", tasks=tuple(tasks))
    await Scheduler(worker=timed, log=timed, clock=timed, slots=slots).run(plan)
    return timed.seconds


@pytest.mark.parametrize("width", [1, 2, 3, 8, 32])
async def test_a_run_takes_as_long_as_the_same_plan_carried_out_on_paper(width: int) -> None:
    tasks = [task(f"t{n}", *(f"t{m}" for m in range(max(0, n - 6), n - 3))) for n in range(24)]
    plan = Plan(id="plan_x", goal="g", tasks=tuple(tasks))

    on_paper = replay(plan, {each.id: _cost(each.id) for each in tasks}, width)

    assert on_paper.makespan == pytest.approx(await _seconds(tasks, width))


async def test_a_run_broken_off_at_any_append_takes_as_long_as_an_unbroken_one() -> None:
    tasks = [task("a"), task("b"), task("c", "a"), task("d", "b"), task("e", "c", "d"), task("f")]
    whole = await _seconds(tasks, 2)
    for appends in range(1, 20):
        log = KilledLog(appends_left=appends)
        try:
            await _seconds(tasks, 2, log)
        except (Killed, BaseExceptionGroup):
            log.appends_left = 100
            assert whole == pytest.approx(await _seconds(tasks, 2, log)), appends
        else:
            return
    raise AssertionError("the plan takes fewer appends")


async def test_what_fails_or_is_late_takes_its_time_and_what_code_joins_takes_none() -> None:
    async def work(order: Order) -> Done:
        if order.task.id == "broken" and not order.tries:
            raise ModelError("nothing that fits", seconds=4.0)
        if order.task.id == "late" and not order.tries:
            raise TaskTimeout("late", seconds=5.0)
        return Done(value={}, seconds=1.0)

    tasks = [
        task("broken", on_failure=OnFailure.RETRY),
        task("late"),
        task("joined", "broken", "late", merge={"strategy": "join"}),
        task("last", "joined"),
    ]
    timed = SimulatedTime(MemoryPlanLog(), work, SystemClock())
    plan = Plan(id="plan_x", goal="g", tasks=tuple(tasks))
    await Scheduler(worker=timed, log=timed, clock=timed).run(plan)

    assert 7.0 == timed.seconds


async def test_time_waits_for_the_orchestrators_decision() -> None:
    decided: list[float] = []

    async def work(order: Order) -> Done:
        if order.task.id == "bad":
            raise ModelError("broken", seconds=1.0)
        return Done(value={}, seconds=10.0)

    async def decide(escalation: Escalation) -> Decision:
        decided.append(timed.seconds)
        return Decision(action=Action.ACCEPT, note="so be it")

    timed = SimulatedTime(MemoryPlanLog(), work, SystemClock())
    tasks = (task("bad", on_failure=OnFailure.CRITICAL), task("long"))
    await Scheduler(worker=timed, log=timed, clock=timed, decide=decide).run(
        Plan(id="plan_x", goal="g", tasks=tasks)
    )

    assert 10.0 == timed.seconds


@pytest.mark.parametrize("seed", range(20))
async def test_a_random_plan_with_failures_comes_to_its_end(seed: int) -> None:
    plan, recorder = random_plan(random.Random(seed), 25)
    timed = SimulatedTime(MemoryPlanLog(), recorder, SystemClock())

    board = await Scheduler(worker=timed, log=timed, clock=timed, slots=Slots(max_parallel_agents=4)).run(
        plan
    )

    assert board.is_closed
