r"""Whether a regular expression can be made to take exponential time by a hostile text.

Python's `re` goes back and tries again. What makes that exponential is a repetition without an end whose
rounds can be cut in more than one way: `(a+)+`, `(\\.|.)*`, `(a?b?)*`. Such an expression is refused before
it is ever used. The rule is stricter than need be: a round may hold a repetition only behind a character that
begins each round and occurs nowhere else in it, as in `\w+( \w+)*`. It bounds the degree of no polynomial, as
in `a*a*b`; the length of what is matched has to be bounded besides.

Pure. Knows nothing about grammars and schemas.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

__all__ = ["regex_problem"]

# The standard library's own parser; it has no public name since 3.11.
_PARSER: Final[Any] = importlib.import_module("re._parser")
_LONG: Final = 16
"""From so many rounds on, a repetition counts as one without an end."""
_OTHER: Final = 0x250
"""Stands for all characters from here on, which are not told apart."""
_ALL: Final = frozenset(range(_OTHER + 1))
_CATEGORIES: Final = {
    "CATEGORY_DIGIT": r"\d",
    "CATEGORY_NOT_DIGIT": r"\D",
    "CATEGORY_SPACE": r"\s",
    "CATEGORY_NOT_SPACE": r"\S",
    "CATEGORY_WORD": r"\w",
    "CATEGORY_NOT_WORD": r"\W",
}
_REPEATS: Final = frozenset({"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"})
_FOLDS: Final = re.compile(r"\(\?[a-zA-Z]*i")
_DOT_IS_ALL: Final = re.compile(r"\(\?[a-zA-Z]*s")


def regex_problem(pattern: str, flags: int = 0) -> str | None:
    """Return what is wrong with a regular expression, and what to do; None when nothing is."""
    try:
        re.compile(pattern, flags)
        parsed = _PARSER.parse(pattern, flags)
    except (re.error, OverflowError, RecursionError) as error:
        return f"`{pattern}` is no regular expression: {error}"
    chars = _Characters(
        folds=bool(flags & re.IGNORECASE or _FOLDS.search(pattern)),
        dot_is_all=bool(flags & re.DOTALL or _DOT_IS_ALL.search(pattern)),
    )
    for body in _endless(parsed):
        if not _is_cut_one_way(body, chars):
            return (
                f"`{pattern}` can take exponential time: one of its repetitions holds a repetition,"
                " an optional part or alternatives that begin alike; begin each round with a character that"
                " occurs nowhere else in it"
            )
    return None


def _parts(item: tuple[Any, Any]) -> list[Sequence[tuple[Any, Any]]]:
    """Return the expressions inside one item."""
    match str(item[0]), item[1]:
        case (
            ("MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT" | "SUBPATTERN" | "ASSERT" | "ASSERT_NOT"),
            inner,
        ):
            return [inner[-1]]
        case "ATOMIC_GROUP", inner:
            return [inner]
        case "BRANCH", inner:
            return list(inner[1])
        case "GROUPREF_EXISTS", inner:
            return [part for part in inner[1:] if part is not None]
    return []


def _endless(items: Sequence[tuple[Any, Any]]) -> Iterator[Sequence[tuple[Any, Any]]]:
    """Yield what is repeated without an end, at any depth."""
    for item in items:
        if str(item[0]) in _REPEATS and int(item[1][1]) >= _LONG:
            yield item[1][-1]
        for part in _parts(item):
            yield from _endless(part)


def _is_fixed(items: Sequence[tuple[Any, Any]]) -> bool:
    """Whether a text can match in one way only: nothing is optional, repeated or a choice."""
    return all(
        str(op) not in {"BRANCH", "GROUPREF", "GROUPREF_EXISTS"}
        and not (str(op) in _REPEATS and inner[0] != inner[1])
        and all(_is_fixed(part) for part in _parts((op, inner)))
        for op, inner in items
    )


def _is_cut_one_way(body: Sequence[tuple[Any, Any]], chars: _Characters) -> bool:
    while len(body) == 1 and str(body[0][0]) == "SUBPATTERN":
        body = body[0][1][-1]
    is_choice = len(body) == 1 and str(body[0][0]) == "BRANCH"
    alternatives = list(body[0][1][1]) if is_choice else [body]
    if not is_choice and _is_fixed(body):
        return True
    firsts = [chars.of_one(each[0]) if len(each) else None for each in alternatives]
    begin: frozenset[int] = frozenset()
    for first in firsts:
        if first is None or first & begin:
            return False
        begin |= first
    rests = [chars.anywhere(each[1:]) for each in alternatives]
    return all(map(_is_fixed, alternatives)) or not any(rest & begin for rest in rests)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Characters:
    """Which characters an item can match."""

    folds: bool
    dot_is_all: bool

    def of_one(self, item: tuple[Any, Any]) -> frozenset[int] | None:
        """Return what an item that matches exactly one character can match; None: it is no such item."""
        match str(item[0]), item[1]:
            case "LITERAL", code:
                return self._folded({min(code, _OTHER)})
            case "NOT_LITERAL", code:
                return _ALL - self._folded({code})
            case "ANY", _:
                return _ALL if self.dot_is_all else _ALL - {ord("\n")}
            case "IN", members:
                inside = self._folded({code for each in members for code in _member(each)})
                # What is not told apart is never left out.
                return (_ALL - inside) | {_OTHER} if str(members[0][0]) == "NEGATE" else inside
        return None

    def anywhere(self, items: Sequence[tuple[Any, Any]]) -> frozenset[int]:
        """Return all that can occur in what items match."""
        found: frozenset[int] = frozenset()
        for item in items:
            one = self.of_one(item)
            if one is not None:
                found |= one
            elif str(item[0]) == "GROUPREF":
                return _ALL
            for part in _parts(item):
                found |= self.anywhere(part)
        return found

    def _folded(self, codes: Collection[int]) -> frozenset[int]:
        if not self.folds:
            return frozenset(codes)
        cases = {
            ord(case) for code in codes for case in (chr(code).lower(), chr(code).upper()) if len(case) == 1
        }
        return frozenset(min(code, _OTHER) for code in {*codes, *cases})


def _member(member: tuple[Any, Any]) -> Iterator[int]:
    match str(member[0]), member[1]:
        case "LITERAL", code:
            yield min(code, _OTHER)
        case "RANGE", (first, last):
            yield from range(min(first, _OTHER), min(last, _OTHER) + 1)
        case "CATEGORY", category:
            pattern = re.compile(_CATEGORIES[str(category)])
            yield from (code for code in range(_OTHER) if pattern.match(chr(code)))
            yield _OTHER
