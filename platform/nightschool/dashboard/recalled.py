"""What a session was given from memory: every candidate with the factors that decided its place.

Pure. Knows nothing about how memories are recalled: whatever numbers a candidate has are its factors.
"""

from __future__ import annotations

from typing import Final

from nightschool.dashboard.markup import Cell, Column, data_table
from nightschool.dashboard.wording import ABSENT, decimal
from nightschool.events.base import JsonObject
from nightschool.events.memory import MemoryRecalled

__all__ = ["recalled_table"]

_MOST: Final = 40
"""Candidates shown; the rest is named."""
_FIRST: Final = "score"


def recalled_table(event: MemoryRecalled) -> str:
    """Return the candidates, best first, as an HTML table; nothing when none was looked at."""
    shown = event.candidates[:_MOST]
    if not shown:
        return ""
    factors = _factors(event)
    columns = [Column(name="Memory", numeric=False, wraps=True), Column(name="In the prompt", numeric=False)]
    columns += [Column(name=name.capitalize()) for name in factors]
    rest = len(event.candidates) - len(shown)
    more = f", the first {_MOST} of {len(event.candidates)}" if rest else ""
    caption = f"Memories considered{more}: the factors that decided, and why one was left out"
    return data_table(columns, [_row(each, factors) for each in shown], caption=caption)


def _factors(event: MemoryRecalled) -> list[str]:
    """The names of all numbers that candidates have, in their order, the score first."""
    names = dict.fromkeys(
        name for each in event.candidates for name, value in each.items() if _is_number(value)
    )
    return sorted(names, key=lambda name: name != _FIRST)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _row(facts: JsonObject, factors: list[str]) -> list[Cell]:
    why = str(facts.get("left_out") or "")
    place = Cell(text="no", note=why, tone="muted") if why else Cell(text="yes", tone="good")
    numbers = [Cell(text=_written(facts.get(name)), tone="muted" if why else "") for name in factors]
    return [Cell(text=str(facts.get("path", "?"))), place, *numbers]


def _written(value: object) -> str:
    return decimal(value) if isinstance(value, int | float) else ABSENT
