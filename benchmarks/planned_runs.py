"""Plans of tasks that do nothing, run by the product and timed: what is left is what orchestration costs.

.venv/bin/python -m benchmarks.planned_runs 10000      prints the megabytes that so many tasks take
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

import anyio

from nightschool.core.clock import SystemClock
from nightschool.core.ids import IdSource
from nightschool.events.session import AgentSnapshot
from nightschool.journal.journal import Journal
from nightschool.orchestration.plan import Plan, Task
from nightschool.orchestration.plan_log import MemoryPlanLog, PlanLog, SessionPlanLog
from nightschool.orchestration.pools import Pool
from nightschool.orchestration.scheduler import Scheduler
from nightschool.orchestration.slots import Done, Order, Slots
from nightschool.sessions.log import SessionLog

__all__ = ["Took", "in_memory", "journaled", "layered", "main"]


def layered(depth: int, width: int) -> Plan:
    """Return a plan in which every task waits for all tasks of the layer before."""
    tasks = tuple(
        Task(
            id=f"t{layer}_{place}",
            title="nothing",
            depends_on=tuple(f"t{layer - 1}_{each}" for each in range(width)) if layer else (),
        )
        for layer in range(depth)
        for place in range(width)
    )
    return Plan(id="plan_benchmark", goal="nothing", tasks=tasks)


class Took(NamedTuple):
    """How long a run took, by the clock and of the processor."""

    seconds: float
    processor_seconds: float


async def _nothing(_order: Order) -> Done:
    return Done(value={})


async def _timed(plan: Plan, log: PlanLog, width: int) -> Took:
    scheduler = Scheduler(
        worker=_nothing,
        log=log,
        clock=SystemClock(),
        slots=Slots(max_parallel_agents=width),
        pool=Pool(dynamic=width),
    )
    began, processor = time.perf_counter(), time.process_time()
    board = await scheduler.run(plan)
    took = Took(time.perf_counter() - began, time.process_time() - processor)
    if board.unfinished:
        raise SystemExit(f"{board.unfinished} tasks were left")
    return took


async def in_memory(plan: Plan, width: int) -> Took:
    """Return how long the plan takes without a disk."""
    return await _timed(plan, MemoryPlanLog(), width)


async def journaled(plan: Plan, width: int, folder: Path) -> Took:
    """Return how long the plan takes with every start and end on disk before anything follows from it."""
    async with _session(folder) as log:
        return await _timed(plan, log, width)


@asynccontextmanager
async def _session(folder: Path) -> AsyncIterator[SessionPlanLog]:
    clock = SystemClock()
    with tempfile.TemporaryDirectory(dir=folder) as place:
        journal = Journal.open(Path(place) / "journal.sqlite", clock=clock)
        try:
            log = SessionLog(journal, clock=clock, ids=IdSource())
            yield SessionPlanLog(log, await log.create(agent=AgentSnapshot(name="o", model="code")))
        finally:
            journal.close()


def _resident_megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main(arguments: list[str]) -> int:
    """Print by how many megabytes the process grew over a plan of so many tasks, 20 wide."""
    before = _resident_megabytes()
    anyio.run(in_memory, layered(int(arguments[0]) // 20, 20), 20)
    print(_resident_megabytes() - before)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
