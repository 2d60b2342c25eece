from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import anyio
import pytest

from nightschool.core.errors import InvalidInput, ModelUnavailable, StoreFull
from nightschool.orchestration.in_memory import run_plan
from nightschool.orchestration.plan import OnFailure, Plan, Task
from nightschool.orchestration.slots import Slots, TaskResult

pytestmark = pytest.mark.anyio


def _plan(*tasks: Task) -> Plan:
    return Plan(id="plan_x", goal="g", tasks=tasks)


def _task(name: str, *needed: str, on_failure: OnFailure = OnFailure.BEST_EFFORT) -> Task:
    return Task(id=name, title=name, depends_on=needed, on_failure=on_failure)


async def test_a_task_gets_the_results_it_waited_for() -> None:
    async def run(task: Task, inputs: Mapping[str, TaskResult], attempt: int) -> Mapping[str, Any]:
        return {"saw": sorted(inputs)}

    results = await run_plan(_plan(_task("a"), _task("b"), _task("c", "a", "b")), run, Slots())

    assert {"saw": ["a", "b"]} == results["c"].value


async def test_never_more_tasks_at_work_than_slots() -> None:
    at_work, most = 0, 0

    async def run(task: Task, inputs: Mapping[str, TaskResult], attempt: int) -> Mapping[str, Any]:
        nonlocal at_work, most
        at_work += 1
        most = max(most, at_work)
        await anyio.lowlevel.checkpoint()
        at_work -= 1
        return {}

    await run_plan(_plan(*[_task(str(n)) for n in range(30)]), run, Slots(max_parallel_agents=4))

    assert 4 == most


async def test_best_effort_goes_on_without_the_failed_task() -> None:
    async def run(task: Task, inputs: Mapping[str, TaskResult], attempt: int) -> Mapping[str, Any]:
        if task.id == "a":
            raise InvalidInput("a is broken")
        return {"lacking": [name for name, result in inputs.items() if result.is_failed]}

    results = await run_plan(_plan(_task("a"), _task("b"), _task("c", "a", "b")), run, Slots())

    assert {"lacking": ["a"]} == results["c"].value
    assert results["a"].is_failed


async def test_a_critical_task_that_fails_blocks_what_waits_for_it() -> None:
    async def run(task: Task, inputs: Mapping[str, TaskResult], attempt: int) -> Mapping[str, Any]:
        raise InvalidInput("broken")

    plan = _plan(_task("a", on_failure=OnFailure.CRITICAL), _task("b", "a"))
    results = await run_plan(plan, run, Slots())

    assert "task b waits for a, which failed" == str(results["b"].error)


async def test_only_failures_that_can_be_retried_are() -> None:
    attempts: list[tuple[str, int]] = []

    async def run(task: Task, inputs: Mapping[str, TaskResult], attempt: int) -> Mapping[str, Any]:
        attempts.append((task.id, attempt))
        raise ModelUnavailable("busy") if task.id == "a" else InvalidInput("wrong")

    await run_plan(_plan(_task("a"), _task("b")), run, Slots(max_attempts=2))

    assert [("a", 1), ("a", 2), ("b", 1)] == sorted(attempts)


async def test_a_task_past_its_time_is_ended_and_tried_again() -> None:
    attempts: list[int] = []

    async def run(task: Task, inputs: Mapping[str, TaskResult], attempt: int) -> Mapping[str, Any]:
        attempts.append(attempt)
        if attempt == 1:
            await anyio.Event().wait()
        return {"attempt": attempt}

    results = await run_plan(_plan(_task("a")), run, Slots(max_seconds=0.01, max_attempts=2))

    assert {"attempt": 2} == results["a"].value


async def test_a_full_disk_stops_the_plan() -> None:
    async def run(task: Task, inputs: Mapping[str, TaskResult], attempt: int) -> Mapping[str, Any]:
        raise StoreFull

    with pytest.raises(StoreFull):
        await run_plan(_plan(_task("a"), _task("b")), run, Slots())
