"""Following the log as it grows, from any process.

Knows nothing about what followers do with entries, nor where they keep their place: a follower that must
not see an entry twice after a crash stores ``position`` together with its own results.
"""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator, Collection
from functools import partial
from typing import Final

import anyio
from anyio import to_thread

from nightschool.journal.entry import Entry
from nightschool.journal.journal import Journal

__all__ = ["Follower"]

_BATCH: Final = 500
_WAIT_SECONDS: Final = 1.0
"""How long one thread waits; a cancelled follower's thread is gone after that."""


class Follower(AsyncIterator[Entry]):
    """An endless iterator over the log's entries in order of position, from a position on.

    Guaranteed: no entry is skipped and none comes twice, whichever process wrote it; cancelling a step
    loses nothing, the next step goes on from ``position``. Not guaranteed: how soon; it is about a tenth
    of a second at most on an idle machine.
    """

    def __init__(
        self,
        journal: Journal,
        *,
        after: int = 0,
        session_id: str | None = None,
        types: Collection[str] | None = None,
    ) -> None:
        """Start after a position.

        Args:
            journal: what to follow.
            after: the last position already seen; 0 begins with the first entry.
            session_id: only this session's entries.
            types: only entries of these types.
        """
        self.position = after
        """The last position handed out, or passed over by the filters."""
        self._journal = journal
        self._session_id = session_id
        self._types = None if types is None else frozenset(types)
        self._read: deque[Entry] = deque()
        self._seen = after
        # Its own thread: one that waits must not keep others from theirs.
        self._limiter = anyio.CapacityLimiter(1)

    async def __anext__(self) -> Entry:
        """Return the next entry, however long it takes; for a deadline, wrap it in ``anyio.fail_after``."""
        while not self._read:
            await self._fill(_WAIT_SECONDS)
        return self._hand_out()

    async def batch(self, *, timeout_seconds: float, limit: int = _BATCH) -> list[Entry]:
        """Return what there is, at least one entry unless the time runs out first."""
        if not self._read:
            with anyio.move_on_after(timeout_seconds):
                while not self._read:
                    await self._fill(min(_WAIT_SECONDS, timeout_seconds))
        return [self._hand_out() for _ in range(min(limit, len(self._read)))]

    async def _fill(self, wait_seconds: float) -> None:
        tail = partial(self._journal.tail, self._seen, _BATCH)
        entries = await to_thread.run_sync(tail, limiter=self._limiter, abandon_on_cancel=True)
        if entries:
            self._seen = entries[-1].position
            self._read.extend(entry for entry in entries if self._is_wanted(entry))
            if not self._read:
                self.position = self._seen
            return
        wait = partial(self._journal.wait_beyond, self._seen, timeout_seconds=wait_seconds)
        await to_thread.run_sync(wait, limiter=self._limiter, abandon_on_cancel=True)

    def _hand_out(self) -> Entry:
        entry = self._read.popleft()
        self.position = entry.position if self._read else self._seen
        return entry

    def _is_wanted(self, entry: Entry) -> bool:
        if self._session_id is not None and entry.session_id != self._session_id:
            return False
        return self._types is None or entry.type in self._types
