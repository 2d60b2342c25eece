"""Plans run in the time that a simulated brain says it takes: nobody waits, and every wait is counted.

    worker ─► done, but asleep until it would be ─► all at work are asleep ─► the earliest wakes, time is then

What is real is everything else: the scheduler, its queue, its pool, its log. The scheduler settles an ending
and starts what follows in one append; so the log tells when nothing more can begin at this moment. Time is a
fold of the log: a run that was killed goes on at the moment at which it was broken off.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import anyio

from nightschool.core.clock import Clock
from nightschool.core.errors import NightschoolError
from nightschool.events.base import EventBase
from nightschool.events.plan import EscalationDecided, TaskCompleted, TaskFailed, TaskGraded, TaskStarted
from nightschool.orchestration.next_step import Next
from nightschool.orchestration.plan_log import PlanLog
from nightschool.orchestration.slots import Done, Order, Worker

__all__ = ["SimulatedTime"]


@dataclass(slots=True)
class SimulatedTime:
    """A clock, a log and a worker in one, of one run of one plan; seconds are the brain's."""

    log: PlanLog
    worker: Worker
    clock: Clock
    """What dates are taken from; they stay those on the wall."""
    seconds: float = 0.0
    """How long the run took so far."""
    _begun: dict[str, float] = field(default_factory=dict)
    """Task to the moment at which its present attempt began, also when its process died since."""
    _under_way: set[str] = field(default_factory=set)
    """Tasks at work, or before the orchestrator, in this process."""
    _asleep: list[tuple[float, int, anyio.Event]] = field(default_factory=list)
    _slept: int = 0

    @property
    def scope(self) -> str:
        """The log's."""
        return self.log.scope

    def now(self) -> datetime:
        """Return the date on the wall."""
        return self.clock.now()

    def monotonic(self) -> float:
        """Return the seconds of the run."""
        return self.seconds

    async def read(self, *, types: Collection[str] | None = None) -> Sequence[EventBase]:
        """Return the log's events; before anything happened, take up its time from them."""
        events = await self.log.read(types=types)
        if types is None and not self._under_way and not self._slept:
            self._fold(events)
            # What was under way in a process that died is not under way here until it is started again.
            self._under_way.clear()
        return events

    async def append(self, events: Sequence[EventBase]) -> None:
        """Store events; what began and ended in them decides when time may pass."""
        await self.log.append(events)
        self._fold(events)
        self._pass()

    async def __call__(self, order: Order) -> Done:
        """Do the order at once, and return when its time has passed. Raises as the worker, then too."""
        try:
            done = await self.worker(order)
        except NightschoolError as error:
            await self._sleep(order.task.id, float(error.details.get("seconds", 0.0)))
            raise
        await self._sleep(order.task.id, done.seconds or 0.0)
        return done

    def _fold(self, events: Sequence[EventBase]) -> None:
        for event in events:
            match event:
                case TaskStarted():
                    self._begun.setdefault(event.task_id, self.seconds)
                    self._under_way.add(event.task_id)
                case TaskCompleted() | TaskFailed() | TaskGraded():
                    self._end(event)
                case EscalationDecided():
                    self._under_way.discard(event.task_id)

    def _end(self, event: TaskCompleted | TaskFailed | TaskGraded) -> None:
        began = self._begun.pop(event.task_id, None)
        if began is not None:
            self.seconds = max(self.seconds, began + (event.duration_ms or 0.0) / 1000)
        if getattr(event, "next", None) != Next.ESCALATE:
            self._under_way.discard(event.task_id)

    async def _sleep(self, task_id: str, seconds: float) -> None:
        self._slept += 1
        woken = anyio.Event()
        heapq.heappush(self._asleep, (self._begun[task_id] + seconds, self._slept, woken))
        self._pass()
        await woken.wait()

    def _pass(self) -> None:
        """Let time pass to the earliest end, once everybody at work is asleep."""
        if self._asleep and len(self._asleep) == len(self._under_way):
            at, _, woken = heapq.heappop(self._asleep)
            self.seconds = max(self.seconds, at)
            woken.set()
