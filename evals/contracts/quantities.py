"""Quantities as contracts write them: ``30 days``, ``thirty days``, ``thirty (30) days``.

Knows nothing about clauses. A quantity is a number with a unit; a limit says on which side of it one is
welcome.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from nightschool.core.errors import Malformed

__all__ = ["Limit", "NumberStyle", "Quantity", "parse_limit", "parse_quantity", "spell", "write"]


class NumberStyle(StrEnum):
    """How a contract writes its numbers."""

    FIGURES = "figures"
    WORDS = "words"
    BOTH = "both"


_HOURS: Final = {"hour": 1.0, "day": 24.0, "week": 168.0, "month": 730.0, "year": 8760.0}
"""Time units in hours; a month is a twelfth of a year."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with a unit, the unit in the singular."""

    value: float
    unit: str

    @property
    def size(self) -> float:
        """The value in the smallest unit of its kind, so that weeks compare with days."""
        return self.value * _HOURS.get(self.unit, 1.0)

    @property
    def kind(self) -> str:
        """``time``, or the unit itself when it converts to nothing else."""
        return "time" if self.unit in _HOURS else self.unit


@dataclass(frozen=True, slots=True)
class Limit:
    """The line a policy draws through a quantity."""

    at_least: bool
    bound: Quantity

    def allows(self, quantity: Quantity) -> bool:
        """Whether the quantity is on the welcome side; the bound itself is."""
        size, bound = quantity.size, self.bound.size
        return size >= bound if self.at_least else size <= bound


_QUANTITY: Final = re.compile(
    r"(?P<value>\d+(?:\.\d+)?) (?P<unit>hour|day|week|month|year|percent|million euro)s?"
)


def parse_quantity(text: str) -> Quantity:
    """Parse ``30 days``, ``99.5 percent`` or ``5 million euros``.

    Raises:
        Malformed: the text is not a number and a known unit.
    """
    match = _QUANTITY.fullmatch(text.strip())
    if match is None:
        raise Malformed(
            f"{text!r} is not a quantity; write it like '30 days', '5 percent' or '2 million euros'"
        )
    return Quantity(float(match["value"]), match["unit"])


def parse_limit(text: str) -> Limit:
    """Parse ``at least 12 months`` or ``at most 5 percent``.

    Raises:
        Malformed: the text does not begin with ``at least`` or ``at most``, or no quantity follows.
    """
    for words, at_least in (("at least ", True), ("at most ", False)):
        if text.startswith(words):
            return Limit(at_least, parse_quantity(text.removeprefix(words)))
    raise Malformed(f"{text!r} is not a limit; write it like 'at least 12 months' or 'at most 5 percent'")


_SMALL: Final = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"),
    *("ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen"),
    "nineteen",
)
_TENS: Final = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")


def spell(number: int) -> str:
    """Spell a number below one thousand: ``one hundred and eighty``."""
    if number < 20:
        return _SMALL[number]
    if number < 100:
        tens, ones = divmod(number, 10)
        return _TENS[tens] + (f"-{_SMALL[ones]}" if ones else "")
    hundreds, rest = divmod(number, 100)
    return f"{_SMALL[hundreds]} hundred" + (f" and {spell(rest)}" if rest else "")


def write(quantity: Quantity, style: NumberStyle, form: str = "") -> str:
    """Write a quantity as a contract does.

    Args:
        quantity: what to write.
        style: figures, words or both; a broken number is always in figures.
        form: empty, ``of`` for the possessive (``thirty days'``) or ``adj`` (``thirty-day``).
    """
    if quantity.unit == "percent":
        return _write_percent(quantity.value, style)
    if quantity.unit == "million euro":
        return _write_money(quantity.value, style)
    return _write_time(quantity, style, form)


def _write_percent(value: float, style: NumberStyle) -> str:
    if style is NumberStyle.FIGURES or value != int(value):
        return f"{value:g}%"
    words = f"{spell(int(value))} per cent"
    return words if style is NumberStyle.WORDS else f"{words} ({value:g}%)"


def _write_money(value: float, style: NumberStyle) -> str:
    figures = f"EUR {value * 1_000_000:,.0f}"
    if style is NumberStyle.FIGURES or value != int(value):
        return figures
    words = f"{spell(int(value))} million euros"
    return words if style is NumberStyle.WORDS else f"{words} ({figures})"


def _write_time(quantity: Quantity, style: NumberStyle, form: str) -> str:
    number, unit = int(quantity.value), quantity.unit
    if form == "adj":
        return f"{number}-{unit}" if style is NumberStyle.FIGURES else f"{spell(number)}-{unit}"
    written = {
        NumberStyle.FIGURES: str(number),
        NumberStyle.WORDS: spell(number),
        NumberStyle.BOTH: f"{spell(number)} ({number})",
    }[style]
    plural = unit if number == 1 else f"{unit}s"
    if form == "of":
        return f"{written} {plural}'s" if number == 1 else f"{written} {plural}'"
    return f"{written} {plural}"
