"""A plan's log that is written a moment later: for work whose steps are shorter than a commit.

Agents start before their start is on disk, and what waits for a result starts before the result is. The log
is a sound beginning of the truth at every moment, and whole when the run returns; but what was lost with a
process may have been acted upon, and the number of an attempt that was never recorded is given again. So it
is right where tasks change nothing outside, and not the default. LangGraph's checkpointers do the same by
default (durability `async`).
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import anyio

from nightschool.core.groups import task_group
from nightschool.events.base import EventBase
from nightschool.orchestration.plan_log import PlanLog

__all__ = ["write_behind"]


@dataclass(slots=True)
class _Behind:
    """Takes events at once and writes what has gathered, one commit after another."""

    log: PlanLog
    waiting: list[EventBase] = field(default_factory=list)
    is_writing: bool = False
    more: anyio.Event = field(default_factory=anyio.Event)
    idle: anyio.Event = field(default_factory=anyio.Event)

    @property
    def scope(self) -> str:
        """The scope of the log behind."""
        return self.log.scope

    async def read(self) -> Sequence[EventBase]:
        """Return all events, when they are safe."""
        await self.settled()
        return await self.log.read()

    async def append(self, events: Sequence[EventBase]) -> None:
        """Take events; they are safe a moment later."""
        self.waiting.extend(events)
        self.more.set()

    async def settled(self) -> None:
        """Return when everything taken so far is safe."""
        while self.waiting or self.is_writing:
            self.idle = anyio.Event()
            await self.idle.wait()

    async def write(self) -> None:
        """Write for ever what has gathered."""
        while True:
            await self.more.wait()
            self.more = anyio.Event()
            while self.waiting:
                batch, self.waiting = self.waiting, []
                self.is_writing = True
                await self.log.append(batch)
                self.is_writing = False
            self.idle.set()


@asynccontextmanager
async def write_behind(log: PlanLog) -> AsyncIterator[PlanLog]:
    """Give a log that writes behind; at the end everything is safe.

    Raises:
        StoreError, StaleWriter: what was taken could not be written; the body is cancelled.
    """
    async with task_group() as group:
        behind = _Behind(log)
        group.start_soon(behind.write)
        yield behind
        await behind.settled()
        group.cancel_scope.cancel()
