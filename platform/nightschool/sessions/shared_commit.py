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
class _Batch:
    """Appends that are committed together, and what became of each."""

    appends: list[Append] = field(default_factory=list)
    outcomes: Sequence[Placed | NightschoolError] | None = None
    """None until it is committed, and for good when that was broken off."""
    over: anyio.Event = field(default_factory=anyio.Event)


@dataclass(slots=True)
class _Queue:
    """One event loop's batches: one is being committed while the next one is collected."""

    under_way: _Batch | None = None
    next: _Batch | None = None


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
        outcome = None
        # Where the leader was stopped by force it is not known what was stored: again is harmless.
        while outcome is None:
            with anyio.CancelScope(shield=True):
                outcome = await self._committed(queue, append)
        if isinstance(outcome, Placed):
            return outcome
        raise outcome

    def _queue(self) -> _Queue:
        queue = self._queues.get(None)
        if queue is None:
            self._queues.set(queue := _Queue())
        return queue

    async def _committed(self, queue: _Queue, append: Append) -> Placed | NightschoolError | None:
        leads = queue.next is None
        batch = queue.next = queue.next or _Batch()
        place = len(batch.appends)
        batch.appends.append(append)
        if leads:
            await self._lead(queue, batch)
        else:
            await batch.over.wait()
        return batch.outcomes[place] if batch.outcomes else None

    async def _lead(self, queue: _Queue, batch: _Batch) -> None:
        try:
            if queue.under_way is not None:
                await queue.under_way.over.wait()
            else:
                await cancel_shielded_checkpoint()  # whoever is about to append comes along
            queue.under_way, queue.next = batch, None
            batch.outcomes = await to_thread.run_sync(
                self._disk.append_all, batch.appends, limiter=self._limiter
            )
        finally:
            if queue.next is batch:
                queue.next = None
            if queue.under_way is batch:
                queue.under_way = None
            batch.over.set()
