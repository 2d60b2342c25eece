"""A sync that goes on beside a run and never gets in its way.

Knows nothing about what runs. Whatever goes wrong here is kept to be asked for, never raised into the run:
the journal has everything, and the next sync catches up.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from nightschool.core.clock import Clock, SystemClock
from nightschool.warehouse.batch import JournalTail
from nightschool.warehouse.store import SyncOutcome, SyncStatus, Warehouse

__all__ = ["Follower", "following"]

_SHARE: Final = 4.0
"""The follower rests this many times as long as it worked, so that others find the file free."""


class Follower:
    """Syncs in a thread of its own until told to stop."""

    def __init__(
        self, warehouse: Warehouse, tail: JournalTail, *, interval_seconds: float, clock: Clock
    ) -> None:
        """Start nothing yet."""
        self._warehouse = warehouse
        self._tail = tail
        self._interval_seconds = interval_seconds
        self._clock = clock
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._follow, name="warehouse-sync", daemon=True)
        self.outcome: SyncOutcome | None = None
        """What the latest sync did."""
        self.error: Exception | None = None
        """Why the latest sync failed; None when it did not."""

    @property
    def is_current(self) -> bool:
        """Whether the latest sync copied all there was."""
        return self.error is None and self.outcome is not None and self.outcome.status is SyncStatus.CURRENT

    def start(self) -> None:
        """Begin to follow."""
        self._thread.start()

    def stop(self) -> None:
        """Finish the sync under way, catch up once more and end."""
        self._stop.set()
        self._thread.join()

    def _follow(self) -> None:
        rest = self._interval_seconds
        while not self._stop.wait(rest):
            began = self._clock.monotonic()
            self._sync()
            rest = max(self._interval_seconds, _SHARE * (self._clock.monotonic() - began))
        self._sync()

    def _sync(self) -> None:
        try:
            self.outcome, self.error = self._warehouse.sync(self._tail), None
        except Exception as error:  # noqa: BLE001 - kept for whoever asks; a run must not end for its copy's sake
            self.error = error


@contextmanager
def following(
    warehouse: Warehouse, tail: JournalTail, *, interval_seconds: float = 1.0, clock: Clock | None = None
) -> Iterator[Follower]:
    """Keep the warehouse up with the journal for the length of a block, and once more at its end.

    Args:
        warehouse: where to copy to.
        tail: the journal to copy from; it must stay open until the block has ended.
        interval_seconds: how long to rest between two syncs at least.
        clock: measures how long a sync took.
    """
    follower = Follower(warehouse, tail, interval_seconds=interval_seconds, clock=clock or SystemClock())
    follower.start()
    try:
        yield follower
    finally:
        follower.stop()
