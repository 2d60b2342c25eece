"""How many trials are under way at once: fewer when servers push back, more again when they do not.

Additive increase, multiplicative decrease, as networks share a line. Knows nothing about trials.
"""

from __future__ import annotations

from typing import Final

import anyio

from nightschool.core.clock import Clock
from nightschool.core.errors import ModelUnavailable

__all__ = ["Pace"]

_SLOWER: Final = 0.5


class Pace:
    """A limiter of trials whose width follows what servers bear."""

    def __init__(self, at_once: int, clock: Clock) -> None:
        """Begin at full width.

        Args:
            at_once: never more than this.
            clock: measures how long a server asked to be left alone.
        """
        self._most = at_once
        self._width = float(at_once)
        self._limiter = anyio.CapacityLimiter(at_once)
        self._clock = clock
        self._not_before = clock.monotonic()

    @property
    def width(self) -> int:
        """How many trials may be under way now."""
        return int(self._width)

    @property
    def under_way(self) -> int:
        """How many are."""
        return self._limiter.borrowed_tokens

    async def begin(self, trial: str) -> None:
        """Wait for room, and until servers that asked for a pause have had it."""
        await self._limiter.acquire_on_behalf_of(trial)
        await anyio.sleep(max(0.0, self._not_before - self._clock.monotonic()))

    def end(self, trial: str) -> None:
        """Give the room back."""
        self._limiter.release_on_behalf_of(trial)

    def went_well(self) -> None:
        """Widen by one after as many trials as are under way together."""
        self._set(self._width + 1 / self._width)

    def failed(self, error: Exception, pause_seconds: float | None) -> None:
        """Halve the width when a server pushed back, and leave it alone for as long as it asked."""
        if isinstance(error, ModelUnavailable):
            self._set(self._width * _SLOWER)
            if pause_seconds is not None:
                self._not_before = max(self._not_before, self._clock.monotonic() + pause_seconds)

    def _set(self, width: float) -> None:
        self._width = min(float(self._most), max(1.0, width))
        self._limiter.total_tokens = self.width
