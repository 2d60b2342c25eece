"""Two statements about the same thing: do they disagree, how, and which one holds? Pure.

Candidates are narrow on purpose: the same subject, and a number or a denial that differs. A wide search
retires facts that are still true.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from nightschool.dreaming.rules import Rules
from nightschool.dreaming.statements import content_words

__all__ = [
    "Conflict",
    "Statement",
    "Winner",
    "classify",
    "is_about_the_same",
    "numbers_and_denial",
    "resolve",
    "scope_of",
]


class Conflict(StrEnum):
    """How two statements about the same thing differ."""

    NONE = "none"
    CORRECTION = "correction"
    """The newer says that the older was wrong."""
    CHANGE = "change"
    """The older was right and is so no longer."""
    SCOPE = "scope"
    """They hold for different people or cases."""
    CONTRADICTION = "contradiction"
    """They cannot both be right, and nothing says which."""


class Winner(StrEnum):
    """What becomes of two conflicting statements."""

    BOTH = "both"
    NEWER = "newer"
    OLDER = "older"


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One statement as far as conflicts are concerned."""

    text: str
    task_type: str = ""
    """Empty when it was heard in tasks of several types."""
    weight: float = 1.0
    """What speaks for it: sessions, each weighed by who said it."""


_SAME_SUBJECT: Final = 0.75
_NUMBER: Final = re.compile(r"\d+(?:[.,]\d+)*")
_DENIAL: Final = re.compile(r"\b(?:not?|never|no longer|cannot|without)\b|n't\b", re.IGNORECASE)
_SCOPE: Final = re.compile(
    r"\b(?:for|when|if|in case of|unless|only (?:for|in))\s+(?!\d)(?:the\s+)?([\w' -]+?)(?=[.,;:!]|$)",
    re.IGNORECASE,
)
_ALL: Final = re.compile(r"^(?:all|every\w*|any\w*|us|you|now|good)\b", re.IGNORECASE)
_CORRECTION: Final = re.compile(
    r"\b(?:actually|correction|was wrong|were wrong|is wrong|mistaken|not \S+ but)\b", re.IGNORECASE
)
_CHANGE: Final = re.compile(
    r"\b(?:now|from now on|as of|since|no longer|changed|new(?:ly)?|going forward)\b", re.IGNORECASE
)


def scope_of(text: str) -> str:
    """Return for whom or when a statement holds; empty when for all."""
    found = (" ".join(match[1].casefold().split()) for match in _SCOPE.finditer(text))
    return next((scope for scope in found if not _ALL.match(scope)), "")


def _subject(text: str) -> frozenset[str]:
    plain = _DENIAL.sub(" ", _CORRECTION.sub(" ", _CHANGE.sub(" ", _SCOPE.sub(" ", text))))
    return frozenset(word for word in content_words(plain) if not _NUMBER.fullmatch(word))


def is_about_the_same(one: Statement, other: Statement) -> bool:
    """Return whether two statements share their subject and may be heard in one type of task."""
    if one.task_type and other.task_type and one.task_type != other.task_type:
        return False
    mine, theirs = _subject(one.text), _subject(other.text)
    if not mine or not theirs:
        return False
    return len(mine & theirs) >= _SAME_SUBJECT * max(len(mine), len(theirs))


def numbers_and_denial(text: str) -> tuple[frozenset[str], bool]:
    """Return what can be all that tells two statements apart: numbers, and whether there is a denial."""
    return frozenset(_NUMBER.findall(text)), bool(_DENIAL.search(text))


def _differs(older: str, newer: str) -> bool:
    (numbers, denied), (others, other_denied) = numbers_and_denial(older), numbers_and_denial(newer)
    return denied != other_denied or (bool(numbers) and bool(others) and numbers != others)


def classify(older: Statement, newer: Statement) -> Conflict:
    """Return how a newer statement stands to an older one."""
    if not is_about_the_same(older, newer) or not _differs(older.text, newer.text):
        return Conflict.NONE
    if scope_of(older.text) != scope_of(newer.text):
        return Conflict.SCOPE
    if _CORRECTION.search(newer.text):
        return Conflict.CORRECTION
    if _CHANGE.search(newer.text):
        return Conflict.CHANGE
    return Conflict.CONTRADICTION


def resolve(older: Statement, newer: Statement, rules: Rules) -> tuple[Conflict, Winner]:
    """Return how two statements differ and which holds: the newer, whatever it is, under plain rules."""
    conflict = classify(older, newer)
    if conflict is Conflict.NONE:
        return conflict, Winner.BOTH
    if not rules.evidence_decides:
        return conflict, Winner.NEWER
    match conflict:
        case Conflict.SCOPE:
            return conflict, Winner.BOTH
        case Conflict.CORRECTION | Conflict.CHANGE:
            return conflict, Winner.NEWER
        case Conflict.CONTRADICTION:
            return conflict, Winner.NEWER if newer.weight >= older.weight else Winner.OLDER
