"""Amounts in prose: numbers in figures and words, with their units, and the limits they are held against.

Knows nothing about clauses. `ninety (90) days`, `one and a half years`, `twice the annual fees` (read as the
time they stand for), `EUR 5,000,000`, `99.5 %`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, Literal, NamedTuple

__all__ = ["Amount", "Dimension", "Limit", "amounts", "deciding_amount", "parse_limit"]

Dimension = Literal["time", "percent", "money"]

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
    "basis point": ("percent", 0.01),
    "euro": ("money", 1.0),
    "eur": ("money", 1.0),
    "€": ("money", 1.0),
    "dollar": ("money", 1.0),
    "usd": ("money", 1.0),
    "$": ("money", 1.0),
    "pound": ("money", 1.0),
    "gbp": ("money", 1.0),
    "£": ("money", 1.0),
    "franc": ("money", 1.0),
    "chf": ("money", 1.0),
}
_WORKING_DAY: Final = 7 / 5
_PERIODS: Final = {
    "annual": 365.0,
    "yearly": 365.0,
    "monthly": _DAYS_PER_MONTH,
    "quarterly": 3 * _DAYS_PER_MONTH,
}
_SMALL: Final = {
    word: float(number)
    for number, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
        ]
    )
} | {
    word: float(10 * number)
    for number, word in enumerate(
        ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], start=2
    )
}
_ORDINALS: Final = {
    "first": 1.0,
    "second": 2.0,
    "third": 3.0,
    "fifth": 5.0,
    "eighth": 8.0,
    "ninth": 9.0,
    "twelfth": 12.0,
    "twentieth": 20.0,
    "thirtieth": 30.0,
    "fortieth": 40.0,
    "fiftieth": 50.0,
    "sixtieth": 60.0,
    "ninetieth": 90.0,
} | {
    f"{word}th": value for word, value in _SMALL.items() if word in {"four", "six", "seven", "ten", "eleven"}
}
_SCALES: Final = {"hundred": 100.0, "thousand": 1_000.0, "million": 1_000_000.0, "billion": 1_000_000_000.0}
_FRACTIONS: Final = {"half": 0.5, "third": 1 / 3, "quarter": 0.25, "fifth": 0.2, "tenth": 0.1}
_MULTIPLES: Final = {"once": 1.0, "twice": 2.0, "thrice": 3.0, "double": 2.0, "triple": 3.0, "dozen": 12.0}
_HOW_OFTEN: Final = frozenset({"once", "twice", "thrice"})
_ADJECTIVES: Final = frozenset(
    [
        "calendar",
        "consecutive",
        "full",
        "complete",
        "further",
        "additional",
        "clear",
        "more",
        "prior",
        "whole",
        "successive",
        "entire",
        "contract",
        "single",
        "equal",
        "preceding",
        "last",
        "past",
        "previous",
        "following",
        "next",
    ]
)
_WORKING: Final = frozenset({"business", "working", "banking"})
_TOKEN: Final = re.compile(r"\d[\d,.']*\d|\d|[a-z]+|[%€$£()]")
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
        if self.is_minimum:
            return value >= self.value * (1 - (_TOLERANCE if self.dimension == "time" else 0))
        return value <= self.value * (1 + (_TOLERANCE if self.dimension == "time" else 0))


_BEFORE_DURATION: Final = frozenset(
    "for of within after in than to by over during least most and or until is last lasts exceed exceeds another before "
    "be been only already about nearly".split()
)
_FEES_WITHIN: Final = 7
"""Tokens between a share and the fees it is a share of."""
_FEES_REACH: Final = 14
"""Tokens between those fees and the period they were paid in."""


_BOUNDING: Final = re.compile(
    r"\b(?:limited to|exceed\w*|more than|less than|fewer than|up to|at most|at least|within|not later than|no later than"
    r"|maximum of|minimum of|capped at|ceiling of|equal to|amount(?:s|ing)? to)\s+(?:the |an? |any |sum |amount |of |\w+ing )*$",
    re.IGNORECASE,
)


class _Token(NamedTuple):
    text: str
    start: int
    end: int


class _Number(NamedTuple):
    value: float
    after: int
    """Index of the first token behind it."""


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
    return tuple(_scan([_Token(m[0], m.start(), m.end()) for m in _TOKEN.finditer(text.lower())]))


def deciding_amount(text: str, dimension: Dimension) -> Amount | None:
    """Return the amount that sets a bound, such as the one behind `limited to`; else the first of its kind."""
    found = [amount for amount in amounts(text) if amount.dimension == dimension]
    bounding = [amount for amount in found if _BOUNDING.search(text, 0, amount.start)]
    return next(iter(bounding or found), None)


def _scan(tokens: list[_Token]) -> Iterator[Amount]:
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


def _share_of_fees(tokens: list[_Token], place: int) -> _Number | None:
    """Read `150 percent of the fees ...` and `twice the charges ...`: what a period named later is multiplied by."""
    number = _number(tokens, place)
    if number is None:
        return None
    at = _skip_parenthesis(tokens, number.after)
    unit = _unit(tokens, at)
    if unit is not None and unit[0] != "percent":
        return None
    if unit is not None:
        value, at = number.value * unit[1] / 100, unit[2]
    elif tokens[place].text in _MULTIPLES or (at < len(tokens) and tokens[at].text == "times"):
        value = number.value
    else:
        return None
    ahead = [token.text for token in tokens[at : at + _FEES_WITHIN]]
    near = next((offset for offset, word in enumerate(ahead) if word in _FEES), None)
    if near is None or any(word in _PERIODS for word in ahead[:near]):
        return None
    return _Number(value, at + near)


def _amount_at(tokens: list[_Token], place: int) -> tuple[Amount, int] | None:
    prefix = _unit(tokens, place)
    if prefix is not None and prefix[0] == "money":
        number = _number(tokens, place + 1)
        return (
            None
            if number is None
            else (_made(tokens, place, number.after, "money", number.value), number.after)
        )
    number = _number(tokens, place)
    if number is None:
        return _bare(tokens, place)
    after = _skip_parenthesis(tokens, number.after)
    fees = _periodic(tokens, after, number.value)
    if fees is not None:
        return _made(tokens, place, fees.after, "time", fees.value), fees.after
    factor = 1.0
    while after < len(tokens) and tokens[after].text in _ADJECTIVES | _WORKING | {"of", "a", "an"}:
        if tokens[after].text in _WORKING:
            factor = _WORKING_DAY
        after += 1
    unit = _unit(tokens, after)
    if unit is None or tokens[place].text in _HOW_OFTEN:
        return None
    dimension, scale, end = unit
    end = _skip_parenthesis(tokens, end)
    value = number.value * scale * (factor if dimension == "time" else 1.0)
    if dimension == "percent":
        fees = _periodic(tokens, end, number.value / 100)
        if fees is not None:
            return _made(tokens, place, fees.after, "time", fees.value), fees.after
    value, end = _and_a_half(tokens, end, value, scale)
    return _made(tokens, place, end, dimension, value), end


def _made(tokens: list[_Token], first: int, after: int, dimension: Dimension, value: float) -> Amount:
    return Amount(value=value, dimension=dimension, start=tokens[first].start, end=tokens[after - 1].end)


def _bare(tokens: list[_Token], place: int) -> tuple[Amount, int] | None:
    """Read amounts without a number: `the annual fees`, `a fortnight`, `the following year`."""
    fees = _periodic(tokens, place, 1.0)
    if fees is not None and tokens[place].text in _PERIODS:
        return _made(tokens, place, fees.after, "time", fees.value), fees.after
    return None


def _periodic(tokens: list[_Token], place: int, times: float) -> _Number | None:
    """Read `(times) (of) (the) annual fees` as the time those fees cover."""
    for at in range(place, min(place + 5, len(tokens))):
        word = tokens[at].text
        if word in _PERIODS:
            if at + 1 < len(tokens) and tokens[at + 1].text in _FEES:
                return _Number(times * _PERIODS[word], at + 2)
            return None
        if word not in _BEFORE_PERIOD:
            return None
    return None


_FEES: Final = frozenset(
    [
        "fee",
        "fees",
        "charge",
        "charges",
        "price",
        "prices",
        "remuneration",
        "payments",
        "sum",
        "sums",
        "amount",
    ]
)
_BEFORE_PERIOD: Final = frozenset(
    ["of", "the", "times", "total", "aggregate", "its", "all", "average", "net", "sum"]
)


def _unit(tokens: list[_Token], place: int) -> tuple[Dimension, float, int] | None:
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


def _number(tokens: list[_Token], place: int) -> _Number | None:
    """Read a number in figures or words that begins here; `a` and `an` count as one before a unit."""
    if place >= len(tokens):
        return None
    word = tokens[place].text
    if word[0].isdigit():
        return _scaled(tokens, place + 1, _figure(word))
    if word in ("a", "an"):
        return _article(tokens, place)
    if word in _FRACTIONS and word in ("half", "quarter"):
        after = place + 1
        while after < len(tokens) and tokens[after].text in ("a", "an", "of", "the"):
            after += 1
        if after < len(tokens) and tokens[after].text in _SCALES:
            return _Number(_FRACTIONS[word] * _SCALES[tokens[after].text], after + 1)
        ahead = after > place + 1 or _unit(tokens, after) is not None
        return _Number(_FRACTIONS[word], after) if ahead else None
    if word in _MULTIPLES:
        return _Number(_MULTIPLES[word], place + 1)
    return _words(tokens, place)


def _article(tokens: list[_Token], place: int) -> _Number | None:
    after = place + 1
    if after < len(tokens) and tokens[after].text in _SCALES:
        return _words(tokens, after)
    if after < len(tokens) and tokens[after].text in ("half", "quarter", "dozen"):
        return _number(tokens, after)
    while after < len(tokens) and tokens[after].text in _ADJECTIVES | _WORKING:
        after += 1
    # "two improvements a year" tells how often, "for a year" how long.
    lasts = place == 0 or tokens[place - 1].text in _BEFORE_DURATION
    return _Number(1.0, place + 1) if lasts and _unit(tokens, after) is not None else None


def _words(tokens: list[_Token], place: int) -> _Number | None:
    total, current, at, seen = 0.0, 0.0, place, False
    while at < len(tokens):
        word = tokens[at].text
        if word in _SMALL:
            current += _SMALL[word]
        elif word in _SCALES:
            current = max(current, 1.0) * _SCALES[word]
            if word != "hundred":
                total, current = total + current, 0.0
        elif word in _ORDINALS and at + 1 < len(tokens) and tokens[at + 1].text == "day":
            return _Number(total + current + _ORDINALS[word], at + 1)
        elif not (word == "and" and seen and at + 1 < len(tokens) and tokens[at + 1].text in _SMALL):
            break
        seen, at = True, at + 1
    if not seen:
        return None
    fraction = tokens[at].text.removesuffix("s") if at < len(tokens) else ""
    if fraction in _FRACTIONS and at + 1 < len(tokens) and tokens[at + 1].text == "of":
        return _Number((total + current) * _FRACTIONS[fraction], at + 2)
    return _point(tokens, at, total + current)


def _point(tokens: list[_Token], at: int, value: float) -> _Number:
    """Read `and a half` and `point five` behind a number in words."""
    following = [token.text for token in tokens[at : at + 3]]
    if following == ["and", "a", "half"]:
        return _Number(value + 0.5, at + 3)
    digits = ""
    if following[:1] == ["point"]:
        while at + 1 + len(digits) < len(tokens) and _SMALL.get(tokens[at + 1 + len(digits)].text, 10) < 10:
            digits += str(int(_SMALL[tokens[at + 1 + len(digits)].text]))
    if digits:
        return _Number(value + float(f"0.{digits}"), at + 1 + len(digits))
    return _Number(value, at)


def _and_a_half(tokens: list[_Token], at: int, value: float, scale: float) -> tuple[float, int]:
    if [token.text for token in tokens[at : at + 3]] == ["and", "a", "half"]:
        return value + scale / 2, at + 3
    return value, at


def _scaled(tokens: list[_Token], after: int, value: float) -> _Number:
    if after < len(tokens) and tokens[after].text in _SCALES:
        return _Number(value * _SCALES[tokens[after].text], after + 1)
    return _Number(value, after)


def _figure(word: str) -> float:
    """Read figures with either thousands mark: 5,000,000 and 5.000.000 and 99.5."""
    plain = word.replace("'", "")
    if re.fullmatch(r"\d{1,3}(,\d{3})+(\.\d+)?", plain):
        return float(plain.replace(",", ""))
    if re.fullmatch(r"\d{1,3}(\.\d{3}){2,}(,\d+)?", plain):
        return float(plain.replace(".", "").replace(",", "."))
    try:
        return float(plain.replace(",", "."))
    except ValueError:
        return float(re.sub(r"\D", "", plain))


def _skip_parenthesis(tokens: list[_Token], at: int) -> int:
    """Step over the figure that repeats a number in words: `ninety (90) days`."""
    if at < len(tokens) and tokens[at].text == "(":
        close = next((i for i in range(at, min(at + 5, len(tokens))) if tokens[i].text == ")"), None)
        if close is not None and any(token.text[0].isdigit() for token in tokens[at:close]):
            return close + 1
    return at
