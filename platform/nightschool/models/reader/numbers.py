"""Numbers in prose, in figures and in words. Knows no units: a number is read where it begins.

`ninety (90)`, `one hundred and fifty`, `5,000,000`, `99.5`, `half a million`, `three quarters of`, `twice`.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

__all__ = ["HOW_OFTEN", "MULTIPLES", "Number", "Token", "after_repetition", "read_number", "tokens_of"]

HOW_OFTEN: Final = frozenset({"once", "twice", "thrice"})
MULTIPLES: Final = {"once": 1.0, "twice": 2.0, "thrice": 3.0, "double": 2.0, "triple": 3.0, "dozen": 12.0}

_TOKEN: Final = re.compile(r"\d[\d,.']*\d|\d|[a-z]+|[%€$£()]")
_UNITS_AND_TEENS: Final = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
)
_TENS: Final = "twenty thirty forty fifty sixty seventy eighty ninety"
_SMALL: Final = {word: float(number) for number, word in enumerate(_UNITS_AND_TEENS.split())} | {
    word: 10.0 * number for number, word in enumerate(_TENS.split(), start=2)
}
_ORDINALS: Final = {
    "first": 1.0,
    "second": 2.0,
    "third": 3.0,
    "fifth": 5.0,
    "eighth": 8.0,
    "ninth": 9.0,
    "twelfth": 12.0,
    **{
        f"{word}th": _SMALL[word] for word in ("four", "six", "seven", "ten", "eleven", "fourteen", "fifteen")
    },
    **{f"{word.removesuffix('y')}ieth": _SMALL[word] for word in _TENS.split()},
}
_SCALES: Final = {"hundred": 100.0, "thousand": 1_000.0, "million": 1_000_000.0, "billion": 1_000_000_000.0}
_FRACTIONS: Final = {"half": 0.5, "third": 1 / 3, "quarter": 0.25, "fifth": 0.2, "tenth": 0.1}
_STANDING_ALONE: Final = ("half", "quarter")
_THOUSANDS: Final = re.compile(r"\d{1,3}(,\d{3})+(\.\d+)?")
_DOTTED_THOUSANDS: Final = re.compile(r"\d{1,3}(\.\d{3}){2,}(,\d+)?")
_REPETITION: Final = 5
"""Tokens within which the parenthesis that repeats a number closes."""


class Token(NamedTuple):
    """A word, a figure or a sign of a text in lower case."""

    text: str
    start: int
    end: int


class Number(NamedTuple):
    """A number, and the first token behind it."""

    value: float
    after: int


def tokens_of(text: str) -> list[Token]:
    """Return the tokens of a text."""
    return [Token(match[0], match.start(), match.end()) for match in _TOKEN.finditer(text.lower())]


def read_number(tokens: list[Token], place: int) -> Number | None:
    """Return the number that begins at a place; `a` and `an` only where a number word follows."""
    word = _word(tokens, place)
    if word[:1].isdigit():
        return _scaled(tokens, place + 1, _figure(word))
    if word in ("a", "an"):
        following = _word(tokens, place + 1)
        return (
            read_number(tokens, place + 1) if following in _SCALES or following in _STANDING_ALONE else None
        )
    if word in _STANDING_ALONE:
        return _fraction(tokens, place)
    if word in MULTIPLES:
        return Number(MULTIPLES[word], place + 1)
    return _in_words(tokens, place)


def after_repetition(tokens: list[Token], place: int) -> int:
    """Return the place behind a figure in brackets that repeats a number: `ninety (90) days`."""
    if _word(tokens, place) != "(":
        return place
    end = min(place + _REPETITION, len(tokens))
    close = next((at for at in range(place, end) if tokens[at].text == ")"), None)
    if close is None or not any(token.text[0].isdigit() for token in tokens[place:close]):
        return place
    return close + 1


def _word(tokens: list[Token], place: int) -> str:
    return tokens[place].text if place < len(tokens) else ""


def _fraction(tokens: list[Token], place: int) -> Number | None:
    """Read `half a year`, `half a million`, `a quarter of the ...`; a bare `quarter` is a unit."""
    after = place + 1
    while _word(tokens, after) in ("a", "an", "of", "the"):
        after += 1
    value = _FRACTIONS[tokens[place].text]
    if _word(tokens, after) in _SCALES:
        return Number(value * _SCALES[tokens[after].text], after + 1)
    return Number(value, after) if after > place + 1 else None


def _in_words(tokens: list[Token], place: int) -> Number | None:
    total, current, at = 0.0, 0.0, place
    while True:
        word = _word(tokens, at)
        if word in _SMALL:
            current += _SMALL[word]
        elif word in _SCALES:
            current = max(current, 1.0) * _SCALES[word]
            if word != "hundred":
                total, current = total + current, 0.0
        elif word in _ORDINALS and _word(tokens, at + 1) == "day":
            return Number(total + current + _ORDINALS[word], at + 1)
        elif not (word == "and" and at > place and _word(tokens, at + 1) in _SMALL):
            break
        at += 1
    return _with_part(tokens, at, total + current) if at > place else None


def _with_part(tokens: list[Token], at: int, value: float) -> Number:
    """Read what may follow a number in words: `quarters of`, `and a half`, `point five`."""
    part = _word(tokens, at).removesuffix("s")
    if part in _FRACTIONS and _word(tokens, at + 1) == "of":
        return Number(value * _FRACTIONS[part], at + 2)
    if [_word(tokens, at + step) for step in range(3)] == ["and", "a", "half"]:
        return Number(value + 0.5, at + 3)
    digits = ""
    if _word(tokens, at) == "point":
        while _SMALL.get(_word(tokens, at + 1 + len(digits)), 10) < 10:
            digits += str(int(_SMALL[_word(tokens, at + 1 + len(digits))]))
    return Number(value + float(f"0.{digits}"), at + 1 + len(digits)) if digits else Number(value, at)


def _scaled(tokens: list[Token], after: int, value: float) -> Number:
    scale = _SCALES.get(_word(tokens, after))
    return Number(value, after) if scale is None else Number(value * scale, after + 1)


def _figure(word: str) -> float:
    """Read figures with either thousands mark: 5,000,000 and 5.000.000 and 99.5."""
    plain = word.replace("'", "")
    if _THOUSANDS.fullmatch(plain):
        return float(plain.replace(",", ""))
    if _DOTTED_THOUSANDS.fullmatch(plain):
        return float(plain.replace(".", "").replace(",", "."))
    try:
        return float(plain.replace(",", "."))
    except ValueError:
        return float(re.sub(r"\D", "", plain))
