"""Plans and workers that tests of orchestration are made of: deterministic, and each does one thing wrong."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import anyio

from nightschool.core.clock import Clock, SystemClock
from nightschool.core.errors import ModelError, ModelUnavailable
from nightschool.events.base import EventBase
from nightschool.orchestration.board import Board
from nightschool.orchestration.plan import OnFailure, Plan, Task
from nightschool.orchestration.plan_log import MemoryPlanLog
from nightschool.orchestration.scheduler import Scheduler
from nightschool.orchestration.slots import Done, Order
from nightschool.registry.agents import AgentFile

__all__ = ["Killed", "KilledLog", "Recorder", "agent", "random_plan", "run", "task"]


def task(name: str, *needed: str, **fields: Any) -> Task:
    return Task(id=name, title=name, depends_on=needed, **fields)


def agent(name: str, *tools: str, **fields: Any) -> AgentFile:
    return AgentFile(name=name, system=f"You are {name}.", tools=tools, **fields)


@dataclass
class Recorder:
    """A worker that writes down its orders and answers with what it saw; told where to fail."""

    fails: Callable[[Order], Exception | None] = lambda _order: None
    answer: Callable[[Order], dict[str, Any]] = lambda order: {"did": order.task.id}
    hangs: Callable[[Order], bool] = lambda _order: False
    orders: list[Order] = field(default_factory=list)
    at_work: set[str] = field(default_factory=set)
    together: list[frozenset[str]] = field(default_factory=list)
    """Which tasks were at work at each moment that somebody began."""
    done: list[str] = field(default_factory=list)

    async def __call__(self, order: Order) -> Done:
        self.orders.append(order)
        self.at_work.add(order.task.id)
        self.together.append(frozenset(self.at_work))
        try:
            await anyio.lowlevel.checkpoint()
            if self.hangs(order):
                await anyio.Event().wait()
            error = self.fails(order)
            if error is not None:
                raise error
            self.done.append(order.task.id)
            return Done(value=self.answer(order), tokens=10)
        finally:
            self.at_work.discard(order.task.id)


async def run(
    tasks: Sequence[Task],
    worker: Recorder,
    *,
    log: MemoryPlanLog | None = None,
    clock: Clock | None = None,
    **options: Any,
) -> Board:
    scheduler = Scheduler(worker=worker, log=log or MemoryPlanLog(), clock=clock or SystemClock(), **options)
    return await scheduler.run(Plan(id="plan_x", goal="g", tasks=tuple(tasks)))


class Killed(BaseException):
    """The process is gone; nothing is caught, nothing is cleaned up."""


@dataclass(slots=True)
class KilledLog(MemoryPlanLog):
    """A log whose process dies when it would hold more than so many appends."""

    appends_left: int = 0

    async def append(self, events: Sequence[EventBase]) -> None:
        if not self.appends_left:
            raise Killed
        self.appends_left -= 1
        self.events.extend(events)


def random_plan(rng: random.Random, size: int) -> tuple[Plan, Recorder]:
    """Return a plan with all strategies mixed, write sets and failures; the failures are the seed's."""
    writes = ("file:a", "file:a/b", "file:*/b", "table:t", "table:t.x")
    tasks = [
        task(
            f"t{number}",
            *{f"t{rng.randrange(number)}" for _ in range(rng.randrange(3)) if number},
            on_failure=rng.choice(list(OnFailure)),
            writes=tuple(rng.sample(writes, rng.choice((0, 0, 1)))),
        )
        for number in range(size)
    ]
    seed = rng.random()

    def fails(order: Order) -> Exception | None:
        drawn = random.Random(f"{seed}|{order.task.id}|{order.tries}").random()
        if drawn < 0.15:
            return ModelUnavailable("busy")
        return ModelError("broken") if drawn < 0.25 else None

    return Plan(id="plan_x", goal="g", tasks=tuple(tasks)), Recorder(fails=fails)
