"""Runs a plan: every task as soon as what it waits for is there, never more at once than there are slots.

Knows nothing about what a task does. Decisions about failure are the plan's; this only carries them out.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import anyio
from anyio import CapacityLimiter

from nightschool.core.errors import (
    STOPPING,
    NightschoolError,
    TaskBlocked,
    TaskTimeout,
)
from nightschool.core.groups import task_group
from nightschool.orchestration.plan import OnFailure, Plan, Task

__all__ = ["RunTask", "Slots", "TaskResult", "run_plan"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Slots:
    """How many tasks are at work at once, and how long each may take."""

    max_parallel_agents: int = 20
    max_seconds: float = 600.0
    max_attempts: int = 2
    """Tries of a task whose failure can be retried, the first one included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskResult:
    """What became of a task: its value, or the error that ended it."""

    value: Mapping[str, Any] | None = None
    error: NightschoolError | None = None

    @property
    def is_failed(self) -> bool:
        """Whether there is no value."""
        return self.error is not None


RunTask = Callable[[Task, Mapping[str, TaskResult], int], Awaitable[Mapping[str, Any]]]
"""Does one task, given the results it waited for and the number of the attempt (from 1)."""


@dataclass(slots=True)
class _Progress:
    results: dict[str, TaskResult] = field(default_factory=dict)
    finished: dict[str, anyio.Event] = field(default_factory=dict)


async def run_plan(plan: Plan, run_task: RunTask, slots: Slots) -> dict[str, TaskResult]:
    """Run all tasks and return what became of each, by task id.

    One task's failure never cancels another. A store that fails, a session woken elsewhere or a missing
    key stops the whole plan: every further task would meet it as well.

    Raises:
        StoreError, StaleWriter, ConfigurationMissing, Interrupted: see above.
    """
    progress = _Progress(finished={task.id: anyio.Event() for task in plan.tasks})
    limiter = CapacityLimiter(slots.max_parallel_agents)
    async with task_group() as group:
        for task in plan.tasks:
            group.start_soon(_run_when_ready, plan, task, run_task, slots, limiter, progress)
    return progress.results


async def _run_when_ready(
    plan: Plan, task: Task, run_task: RunTask, slots: Slots, limiter: CapacityLimiter, progress: _Progress
) -> None:
    for needed in task.depends_on:
        await progress.finished[needed].wait()
    inputs = {needed: progress.results[needed] for needed in task.depends_on}
    blocking = [n for n in inputs if inputs[n].is_failed and plan.task(n).on_failure is OnFailure.CRITICAL]
    if blocking:
        result = TaskResult(error=TaskBlocked(f"task {task.id} waits for {blocking[0]}, which failed"))
    else:
        async with limiter:
            result = await _attempts(task, inputs, run_task, slots)
    progress.results[task.id] = result
    progress.finished[task.id].set()


async def _attempts(
    task: Task, inputs: Mapping[str, TaskResult], run_task: RunTask, slots: Slots
) -> TaskResult:
    error: NightschoolError = TaskBlocked(f"task {task.id} has no attempt to spend")
    for attempt in range(1, slots.max_attempts + 1):
        try:
            with anyio.fail_after(slots.max_seconds):
                return TaskResult(value=await run_task(task, inputs, attempt))
        except TimeoutError:
            error = TaskTimeout(f"task {task.id} took longer than {slots.max_seconds:g} s")
        except STOPPING:
            raise
        except NightschoolError as caught:
            error = caught
        if not error.retryable:
            break
    return TaskResult(error=error)
