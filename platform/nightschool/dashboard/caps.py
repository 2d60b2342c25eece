"""What an experiment has spent of each of its caps. Pure; knows nothing about pages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from nightschool.dashboard.wording import money, seconds, thousands

__all__ = ["Cap", "caps"]

_WRITTEN: Final = {
    "usd": ("list price", money),
    "tokens": ("tokens", thousands),
    "seconds": ("agents' time", seconds),
}


class Cap(NamedTuple):
    """One cap and how it stands."""

    share: float
    """Spent of it; above 1 where the last trials overran it."""
    said: str


def caps(budget: Mapping[str, float | int | None], spent: Mapping[str, float]) -> list[Cap]:
    """Return the caps that a budget sets, in money, tokens and seconds, with what is spent of each.

    Args:
        budget: as an experiment's manifest has it.
        spent: what its finished trials consumed, under the caps' names.
    """
    reserve = float(budget.get("grading_reserve") or 0.0)
    kept = f", {reserve:.0%} kept for grading" if reserve else ""
    found = []
    for name, (meaning, written) in _WRITTEN.items():
        if cap := budget.get(name):
            share = spent[name] / float(cap)
            said = f"{meaning}: {written(spent[name])} of {written(float(cap))} ({share:.0%}){kept}"
            found.append(Cap(share=share, said=said))
    return found
