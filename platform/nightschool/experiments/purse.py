"""What a run may still spend: the caps of the whole experiment and of one trial.

Pure. Counts what finished trials consumed, and what those under way will on average, so that a cap is not
overrun by those that were started a moment before it. Knows nothing about prices.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from nightschool.events.experiment import TrialCompleted

__all__ = ["Purse", "spent_by"]

_CAPS: Final = ("usd", "tokens", "seconds")


def spent_by(result: TrialCompleted) -> dict[str, float]:
    """Return what a trial consumed: money at list price (0 where no price is known), tokens, seconds."""
    classes = (
        "input_tokens",
        "output_tokens",
        "cache_creation_input_tokens",
        "cache_read_input_tokens",
    )
    return {
        "usd": float(result.cost_usd or 0.0),
        "tokens": float(sum(result.usage.get(name) or 0 for name in classes)),
        "seconds": result.duration_seconds,
    }


@dataclass(slots=True)
class Purse:
    """The caps, and what is spent of them."""

    budget: Mapping[str, float | int | None]
    """As the manifest has it."""
    spent: dict[str, float] = field(default_factory=lambda: dict.fromkeys(_CAPS, 0.0))
    trials: int = 0
    """Trials that were paid for."""

    def pay(self, result: TrialCompleted) -> None:
        """Count a finished trial."""
        for name, amount in spent_by(result).items():
            self.spent[name] += amount
        self.trials += 1

    def used_up(self, under_way: int) -> str | None:
        """Say which cap leaves no room for one more trial; None while there is room.

        Args:
            under_way: trials that were started and have not ended.
        """
        reserve = float(self.budget.get("grading_reserve") or 0.0)
        for name in _CAPS:
            cap = self.budget.get(name)
            mean = self.spent[name] / self.trials if self.trials else 0.0
            expected = self.spent[name] + mean * (under_way + 1)
            if cap is not None and (expected > float(cap) * (1 - reserve) or self.spent[name] >= float(cap)):
                kept = f" less {reserve:.0%} kept for grading" if reserve else ""
                return (
                    f"{self.spent[name]:,.4g} of {float(cap):,.4g} {name}{kept}: one more trial would pass it"
                )
        return None

    def over_trial_cap(self, result: TrialCompleted) -> str | None:
        """Say which cap of one trial this one broke."""
        used = spent_by(result)
        for name in _CAPS:
            cap = self.budget.get(f"trial_{name}")
            if cap is not None and used[name] > float(cap):
                return f"the trial took {used[name]:,.4g} {name}; it may take {float(cap):,.4g}"
        return None
