"""Appends of one event loop go to the disk together: one hand-over to a thread, one commit for all that wait.

The first to come leads: what is appended while its commit is under way goes into the next one, led by the
first of those. Knows nothing about SQL, nor about what is appended.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import anyio
from anyio import to_thread
from anyio.lowlevel import RunVar, cancel_shielded_checkpoint, checkpoint_if_cancelled

from nightschool.core.errors import NightschoolError
from nightschool.journal.append import Append, Placed

__all__ = ["Disk", "SharedCommit"]


class Disk(Protocol):
    """What commits appends: a journal."""

    def append_all(self, appends: Sequence[Append], /) -> Sequence[Placed | NightschoolError]:
        """Store appends in one commit; what is refused has its error in its place."""


@dataclass(slots=True, eq=False)
class _Ticket:
    """One append and, later, what became of it."""

    append: Append
    wake: anyio.Event = field(default_factory=anyio.Event)
    """Set when it is served, or when it is its turn to lead."""
    outcome: Placed | NightschoolError | None = None


@dataclass(slots=True)
class _Queue:
    """What waits in one event loop."""

    waiting: list[_Ticket] = field(default_factory=list)
    is_led: bool = False


class SharedCommit:
    """Commits appends; safe to be used by several event loops, each has a queue of its own."""

    def __init__(self, disk: Disk, limiter: anyio.CapacityLimiter) -> None:
        """Take what commits, and the threads to do it in."""
        self._disk = disk
        self._limiter = limiter
        self._queues: RunVar[_Queue] = RunVar("appends that wait")

    async def append(self, append: Append) -> Placed:
        """Return when the append is on disk. Cancellation waits for that.

        Raises:
            NightschoolError: the append was refused, or its commit failed: nothing of it was stored.
        """
        await checkpoint_if_cancelled()
        queue = self._queue()
        ticket = _Ticket(append)
        queue.waiting.append(ticket)
        with anyio.CancelScope(shield=True):
            if queue.is_led:
                await ticket.wake.wait()
            if ticket.outcome is None:
                await self._lead(queue, ticket)
        if not isinstance(ticket.outcome, Placed):
            raise ticket.outcome or AssertionError("an append ended without an outcome")
        return ticket.outcome

    def _queue(self) -> _Queue:
        queue = self._queues.get(None)
        if queue is None:
            self._queues.set(queue := _Queue())
        return queue

    async def _lead(self, queue: _Queue, own: _Ticket) -> None:
        """Commit all that waits, then let the first of those who came meanwhile lead."""
        queue.is_led = True
        batch: list[_Ticket] = []
        try:
            await cancel_shielded_checkpoint()  # whoever is about to append comes along
            batch, queue.waiting = queue.waiting, []
            appends = [ticket.append for ticket in batch]
            outcomes = await to_thread.run_sync(self._disk.append_all, appends, limiter=self._limiter)
            for ticket, outcome in zip(batch, outcomes, strict=True):
                ticket.outcome = outcome
                ticket.wake.set()
        finally:
            # Stopped by force, it is not known what was stored: to append an event again is harmless.
            unserved = [ticket for ticket in batch if ticket.outcome is None]
            queue.waiting = [ticket for ticket in (*unserved, *queue.waiting) if ticket is not own]
            if queue.waiting:
                queue.waiting[0].wake.set()
            else:
                queue.is_led = False
