"""How far a run is and how long it will take. Knows nothing about what is run or where it is shown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from nightschool.core.clock import Clock

__all__ = ["OnProgress", "Progress", "Tracker"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far the run is."""

    done: int
    """Trials that ended, those of earlier runs included."""
    total: int
    errored: int
    elapsed_seconds: float
    """Of this run."""
    eta_seconds: float | None
    """From the pace of this run; None before its first trial ended."""
    cost_usd: float = 0.0
    """Of all finished trials, at list price."""
    tokens: float = 0.0
    last_error: str = ""
    """What the latest trial without a result failed with."""
    width: int = 1
    """How many trials may be under way now."""


OnProgress = Callable[[Progress], None]


class Tracker:
    """Counts ended trials and tells somebody, at the start and after each."""

    def __init__(
        self, *, total: int, done: int, errored: int, clock: Clock, tell: OnProgress | None = None
    ) -> None:
        """Begin with what earlier runs have done."""
        self._total = total
        self._done_before = self._done = done
        self._errored = errored
        self._clock = clock
        self._began = clock.monotonic()
        self._tell = tell
        self._usd = self._tokens = 0.0
        self._last_error = ""
        self._width = 1

    def report(self) -> None:
        """Tell how far the run is."""
        if self._tell is not None:
            self._tell(self._progress())

    def ended(self, *, errored: bool) -> None:
        """Count one more trial that will not be tried again in this run."""
        self._done += 1
        self._errored += errored
        self.report()

    def spent(self, *, usd: float, tokens: float) -> None:
        """Take note of what all finished trials consumed together."""
        self._usd, self._tokens = usd, tokens

    def failed(self, reason: str) -> None:
        """Take note of what a trial failed with, also when it is tried again."""
        self._last_error = reason
        self.report()

    def paced(self, width: int) -> None:
        """Take note of how many trials may be under way."""
        self._width = width

    def _progress(self) -> Progress:
        elapsed, here = self._clock.monotonic() - self._began, self._done - self._done_before
        left = self._total - self._done
        return Progress(
            done=self._done,
            total=self._total,
            errored=self._errored,
            elapsed_seconds=elapsed,
            eta_seconds=elapsed / here * left if here else None,
            cost_usd=self._usd,
            tokens=self._tokens,
            last_error=self._last_error,
            width=self._width,
        )
