"""Time as a dependency: the only place that asks the operating system what time it is."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Protocol

__all__ = ["Clock", "FrozenClock", "SystemClock"]


class Clock(Protocol):
    """Two readings: a date for the record, a monotonic counter for durations."""

    def now(self) -> datetime:
        """Return the time as an aware UTC datetime."""

    def monotonic(self) -> float:
        """Return seconds from an arbitrary origin; never runs backwards."""


class SystemClock:
    """The machine's own clock."""

    def now(self) -> datetime:
        """Return the time as an aware UTC datetime."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Return seconds from an arbitrary origin; never runs backwards."""
        return time.monotonic()


@dataclass(slots=True)
class FrozenClock:
    """A clock that moves only when told to; for tests and for simulated worlds."""

    at: datetime = field(default_factory=lambda: datetime(2026, 1, 1, tzinfo=UTC))
    elapsed_seconds: float = 0.0

    def now(self) -> datetime:
        """Return the frozen time."""
        return self.at + timedelta(seconds=self.elapsed_seconds)

    def monotonic(self) -> float:
        """Return the seconds advanced so far."""
        return self.elapsed_seconds

    def advance(self, seconds: float) -> None:
        """Move both readings forward."""
        self.elapsed_seconds += seconds
