"""A plan run without a log of its own: for callers who record themselves what becomes of each task."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from nightschool.core.clock import Clock, SystemClock
from nightschool.core.errors import NightschoolError, TaskBlocked, TaskTimeout
from nightschool.events.base import EventBase
from nightschool.events.plan import TaskCompleted, TaskFailed
from nightschool.orchestration.next_step import Next
from nightschool.orchestration.plan import Plan, Task
from nightschool.orchestration.plan_log import MemoryPlanLog
from nightschool.orchestration.pools import Pool
from nightschool.orchestration.scheduler import Scheduler
from nightschool.orchestration.slots import Done, Order, Slots, TaskResult

__all__ = ["RunTask", "run_plan"]

RunTask = Callable[[Task, Mapping[str, TaskResult], int], Awaitable[Mapping[str, Any]]]
"""Does one task, given the results it waited for and the number of the attempt (from 1)."""


@dataclass(slots=True)
class _Results:
    """Keeps what became of each task, as the scheduler says it, with the error that was really raised."""

    run_task: RunTask
    log: MemoryPlanLog = field(default_factory=MemoryPlanLog)
    found: dict[str, TaskResult] = field(default_factory=dict)
    raised: dict[str, NightschoolError] = field(default_factory=dict)

    @property
    def scope(self) -> str:
        return self.log.scope

    async def read(self) -> Sequence[EventBase]:
        return await self.log.read()

    async def append(self, events: Sequence[EventBase]) -> None:
        await self.log.append(events)
        for event in events:
            match event:
                case TaskCompleted():
                    self.found[event.task_id] = TaskResult(value=event.result)
                case TaskFailed() if event.next == Next.FAIL:
                    self.found[event.task_id] = TaskResult(error=self._error(event))

    def _error(self, event: TaskFailed) -> NightschoolError:
        message = str(event.error["message"])
        match event.error["code"]:
            case TaskBlocked.code:
                return TaskBlocked(message)
            case TaskTimeout.code:
                return TaskTimeout(message)
        return self.raised[event.task_id]

    async def work(self, order: Order) -> Done:
        inputs = {needed: self.found[needed] for needed in order.task.depends_on}
        try:
            return Done(value=await self.run_task(order.task, inputs, order.attempt))
        except NightschoolError as error:
            self.raised[order.task.id] = error
            raise


async def run_plan(
    plan: Plan, run_task: RunTask, slots: Slots, *, clock: Clock | None = None
) -> dict[str, TaskResult]:
    """Run all tasks and return what became of each, by task id.

    Raises:
        StoreError, StaleWriter, ConfigurationMissing, Interrupted: see `Scheduler.run`.
    """
    results = _Results(run_task)
    scheduler = Scheduler(
        worker=results.work,
        log=results,
        clock=clock or SystemClock(),
        slots=slots,
        pool=Pool(dynamic=slots.max_parallel_agents),
    )
    await scheduler.run(plan)
    return results.found
