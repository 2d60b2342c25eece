"""Numbers, times and names as the pages say them: one form for each, everywhere.

Pure; knows nothing about pages or charts. What is absent is an en dash, never a zero.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final

__all__ = [
    "ABSENT",
    "clock_time",
    "count",
    "decimal",
    "moment",
    "money",
    "p_value",
    "percent",
    "plural",
    "seconds",
    "short_id",
    "signed",
    "thousands",
]

ABSENT: Final = "–"
_MINUS: Final = "−"


def decimal(value: float | None, digits: int = 2) -> str:
    """Return a number with so many digits after the point."""
    return ABSENT if value is None else f"{value:,.{digits}f}".replace("-", _MINUS)


def signed(value: float | None, digits: int = 2) -> str:
    """Return a difference with its sign; what is zero when rounded has none."""
    if value is None:
        return ABSENT
    text = f"{value:+,.{digits}f}".replace("-", _MINUS)
    return text if text.strip("+−0.,") else text[1:]


def percent(value: float | None) -> str:
    """Return a share as whole percent."""
    return ABSENT if value is None else f"{value * 100:.0f} %"


def count(value: float | None) -> str:
    """Return a whole number with its thousands apart."""
    return ABSENT if value is None else f"{value:,.0f}".replace("-", _MINUS)


def thousands(value: float | None) -> str:
    """Return a count that is read for its size: 840, 12.3k, 1.4M."""
    if value is None:
        return ABSENT
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if abs(value) >= 0.9995 * size:  # what would be rounded up to the next letter has it
            return f"{value / size:.{1 if abs(value) < 99.95 * size else 0}f}{letter}"
    return f"{value:.0f}"


def seconds(value: float | None) -> str:
    """Return a duration: 3 ms, 0.84 s, 12.4 s, 3 min 05 s, 2 h 10 min, 5 days."""
    if value is None:
        return ABSENT
    if value < 0.0995:
        return f"{value * 1000:.0f} ms"
    if value < 59.95:
        return f"{value:.{2 if value < 10 else 1}f} s"
    minutes, rest = divmod(round(value), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02} s"
    if minutes < 48 * 60:
        return f"{minutes // 60} h {minutes % 60:02} min"
    return f"{minutes // (24 * 60)} days"


def money(value: float | None) -> str:
    """Return US dollars; small sums keep two digits that say something."""
    if value is None:
        return ABSENT
    if value and abs(value) < 0.01:
        return f"${value:.2g}" if abs(value) >= 1e-4 else "< $0.0001"
    return f"${value:,.2f}"


def p_value(value: float | None) -> str:
    """Return p with its sign: `p = 0.031`, `p < 0.001`."""
    if value is None:
        return f"p {ABSENT}"
    return "p < 0.001" if value < 0.001 else f"p = {value:.3f}"


def moment(at: datetime | None) -> str:
    """Return a date with its minute."""
    return ABSENT if at is None else at.strftime("%Y-%m-%d %H:%M")


def clock_time(at: datetime | None) -> str:
    """Return the time of day with milliseconds."""
    return ABSENT if at is None else at.strftime("%H:%M:%S.") + f"{at.microsecond // 1000:03}"


def plural(number: int, noun: str) -> str:
    """Return `1 trial`, `2 trials`."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def short_id(identifier: str, keep: int = 6) -> str:
    """Return an id by its prefix and its last characters, which differ soonest."""
    prefix, _, body = identifier.partition("_")
    return identifier if len(body) <= keep + 2 else f"{prefix}_…{body[-keep:]}"
