"""Amounts in prose, and the limits they are held against. Knows nothing about clauses.

`ninety (90) days`, `one and a half years`, `EUR 5,000,000`, `99.5 %`; fees are read as the time they stand
for: `twice the annual fees`, `150 percent of the fees paid in the preceding twelve months`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, Literal

from nightschool.models.reader.numbers import (
    HOW_OFTEN,
    MULTIPLES,
    Number,
    Token,
    after_repetition,
    read_number,
    tokens_of,
)

__all__ = ["Amount", "Dimension", "Limit", "amounts", "deciding_amount", "parse_limit"]

Dimension = Literal["time", "percent", "money"]


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_DAYS_PER_MONTH: Final = 365 / 12
_TOLERANCE: Final = 0.03
"""Relative: three months pass as ninety days."""
_UNITS: Final[dict[str, tuple[Dimension, float]]] = {
    "minute": ("time", 1 / 1440),
    "hour": ("time", 1 / 24),
    "day": ("time", 1.0),
    "week": ("time", 7.0),
    "fortnight": ("time", 14.0),
    "month": ("time", _DAYS_PER_MONTH),
    "quarter": ("time", 3 * _DAYS_PER_MONTH),
    "year": ("time", 365.0),
    "annum": ("time", 365.0),
    "percent": ("percent", 1.0),
    "%": ("percent", 1.0),
    **dict.fromkeys(_words("euro eur € dollar usd $ pound gbp £ franc chf"), ("money", 1.0)),
}
_WORKING_DAY: Final = 7 / 5
_PERIODS: Final = {
    "annual": 365.0,
    "yearly": 365.0,
    "monthly": _DAYS_PER_MONTH,
    "quarterly": 3 * _DAYS_PER_MONTH,
}
_WORKING: Final = _words("business working banking")
_BEFORE_UNIT: Final = _WORKING | _words(
    "calendar consecutive full complete further additional clear more prior whole successive entire contract "
    "single equal preceding last past previous following next of a an"
)
_BEFORE_DURATION: Final = _words(
    "for of within after in than to by over during least most and or until is last lasts exceed exceeds "
    "another before be been only already about nearly"
)
_FEES: Final = _words("fee fees charge charges price prices remuneration payments sum sums amount")
_BEFORE_PERIOD: Final = _words("of the times total aggregate its all average net sum")
_FEES_WITHIN: Final = 7
"""Tokens between a share and the fees it is a share of."""
_FEES_REACH: Final = 14
"""Tokens between those fees and the period they were paid in."""
_BOUNDING: Final = re.compile(
    r"\b(?:limited to|exceed\w*|more than|less than|fewer than|up to|at most|at least|within|not later than"
    r"|no later than|maximum of|minimum of|capped at|ceiling of|equal to|amount(?:s|ing)? to)\s+"
    r"(?:the |an? |any |sum |amount |of |\w+ing )*$",
    re.IGNORECASE,
)
_LIMIT: Final = re.compile(
    r"(?P<bound>at least|not less than|no less than|minimum(?: of)?|at most|not more than|no more than|up to"
    r"|maximum(?: of)?)\s+(?P<amount>.+)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """A quantity in the base unit of its dimension: days, percent or money."""

    value: float
    dimension: Dimension
    start: int
    """Where it begins in the text."""
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """A line through a quantity."""

    is_minimum: bool
    value: float
    dimension: Dimension

    def allows(self, value: float) -> bool:
        """Return whether a quantity is on the right side of the line, give or take calendar arithmetic."""
        slack = _TOLERANCE if self.dimension == "time" else 0.0
        return value >= self.value * (1 - slack) if self.is_minimum else value <= self.value * (1 + slack)


@lru_cache(maxsize=256)
def parse_limit(text: str) -> Limit | None:
    """Return the limit a policy states, such as `at most 30 days`; None when it states none."""
    match = _LIMIT.search(text)
    found = amounts(match["amount"]) if match else ()
    if match is None or not found:
        return None
    least = match["bound"].lower().startswith(("at least", "not less", "no less", "min"))
    return Limit(is_minimum=least, value=found[0].value, dimension=found[0].dimension)


@lru_cache(maxsize=65536)
def amounts(text: str) -> tuple[Amount, ...]:
    """Return the amounts in a text, in order."""
    return tuple(_scan(tokens_of(text)))


def deciding_amount(text: str, dimension: Dimension) -> Amount | None:
    """Return the amount that sets a bound, such as one behind `limited to`; else the first of its kind."""
    found = [amount for amount in amounts(text) if amount.dimension == dimension]
    bounding = [amount for amount in found if _BOUNDING.search(text, 0, amount.start)]
    return next(iter(bounding or found), None)


def _scan(tokens: list[Token]) -> Iterator[Amount]:
    place, share = 0, None
    while place < len(tokens):
        share = _share_of_fees(tokens, place) or share
        found = _amount_at(tokens, place)
        if found is None:
            place += 1
            continue
        amount, after = found
        if share is not None and amount.dimension == "time" and place <= share.after + _FEES_REACH:
            amount, share = replace(amount, value=amount.value * share.value), None
        yield amount
        place = after


def _amount_at(tokens: list[Token], place: int) -> tuple[Amount, int] | None:
    if (_unit(tokens, place) or ("", 0, 0))[0] == "money":
        price = read_number(tokens, place + 1)
        return None if price is None else _made(tokens, place, price.after, "money", price.value)
    number = read_number(tokens, place) or _one(tokens, place)
    if number is None:
        return _bare_fees(tokens, place)
    after = after_repetition(tokens, number.after)
    if (fees := _periodic_fees(tokens, after, number.value)) is not None:
        return _made(tokens, place, fees.after, "time", fees.value)
    return _with_unit(tokens, place, number.value, after)


def _with_unit(tokens: list[Token], place: int, value: float, after: int) -> tuple[Amount, int] | None:
    first = after
    while after < len(tokens) and tokens[after].text in _BEFORE_UNIT:
        after += 1
    unit = _unit(tokens, after)
    # "once a year" tells how often, not how long.
    if unit is None or tokens[place].text in HOW_OFTEN:
        return None
    dimension, scale, end = unit
    end = after_repetition(tokens, end)
    if dimension == "percent" and (fees := _periodic_fees(tokens, end, value / 100)) is not None:
        return _made(tokens, place, fees.after, "time", fees.value)
    if dimension == "time" and any(token.text in _WORKING for token in tokens[first:after]):
        scale *= _WORKING_DAY
    value *= scale
    if [token.text for token in tokens[end : end + 3]] == ["and", "a", "half"]:
        value, end = value + scale / 2, end + 3
    return _made(tokens, place, end, dimension, value)


def _made(
    tokens: list[Token], first: int, after: int, dimension: Dimension, value: float
) -> tuple[Amount, int]:
    start, end = tokens[first].start, tokens[after - 1].end
    return Amount(value=value, dimension=dimension, start=start, end=end), after


def _one(tokens: list[Token], place: int) -> Number | None:
    """Read `a` as one where a duration follows: "for a year"; "two improvements a year" tells how often."""
    if tokens[place].text not in ("a", "an"):
        return None
    after = place + 1
    while after < len(tokens) and tokens[after].text in _BEFORE_UNIT:
        after += 1
    lasts = place == 0 or tokens[place - 1].text in _BEFORE_DURATION
    return Number(1.0, place + 1) if lasts and _unit(tokens, after) is not None else None


def _unit(tokens: list[Token], place: int) -> tuple[Dimension, float, int] | None:
    """Return a unit's dimension, its size in the base unit, and the place behind it."""
    if place >= len(tokens):
        return None
    word = tokens[place].text
    following = tokens[place + 1].text if place + 1 < len(tokens) else ""
    if word == "per" and following == "cent":
        return ("percent", 1.0, place + 2)
    if word == "basis" and following.startswith("point"):
        return ("percent", 0.01, place + 2)
    known = _UNITS.get(word) or _UNITS.get(word.removesuffix("s"))
    return None if known is None else (*known, place + 1)


def _bare_fees(tokens: list[Token], place: int) -> tuple[Amount, int] | None:
    """Read fees without a number: `the annual fees`."""
    fees = _periodic_fees(tokens, place, 1.0) if tokens[place].text in _PERIODS else None
    return None if fees is None else _made(tokens, place, fees.after, "time", fees.value)


def _periodic_fees(tokens: list[Token], place: int, times: float) -> Number | None:
    """Read `(times) (of) (the) annual fees` as the time those fees cover."""
    for at in range(place, min(place + 5, len(tokens))):
        word = tokens[at].text
        if word in _PERIODS:
            is_fee = at + 1 < len(tokens) and tokens[at + 1].text in _FEES
            return Number(times * _PERIODS[word], at + 2) if is_fee else None
        if word not in _BEFORE_PERIOD:
            return None
    return None


def _share_of_fees(tokens: list[Token], place: int) -> Number | None:
    """Read `150 percent of the fees` and `twice the charges`: a factor on the period they were paid in."""
    number = read_number(tokens, place)
    if number is None:
        return None
    at = after_repetition(tokens, number.after)
    unit = _unit(tokens, at)
    if unit is not None and unit[0] == "percent":
        value, at = number.value * unit[1] / 100, unit[2]
    elif unit is None and (
        tokens[place].text in MULTIPLES or (at < len(tokens) and tokens[at].text == "times")
    ):
        value = number.value
    else:
        return None
    ahead = [token.text for token in tokens[at : at + _FEES_WITHIN]]
    near = next((offset for offset, word in enumerate(ahead) if word in _FEES), None)
    if near is None or any(word in _PERIODS for word in ahead[:near]):
        return None
    return Number(value, at + near)
