"""Why calls fail: error texts as templates, and the class of each. Pure; knows nothing about sessions.

Rules decide first, in order. What no rule knows is grouped by likeness of its letters, so that two wordings
of one unknown error are one cause.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum
from functools import lru_cache
from typing import Final

__all__ = ["Cause", "cause_of", "group_alike", "normalise"]

_LONGEST: Final = 200
_ALIKE: Final = 0.25
"""Cosine distance of letter groups up to which two unknown errors are one."""


class Cause(StrEnum):
    """Classes of failure."""

    ENVIRONMENT = "environment"
    """The world around the agent: rate limits, time-outs, crashes. Says nothing about a strategy."""
    PERMISSION = "permission"
    """The agent was not allowed to."""
    ARGUMENT = "argument"
    """A call's arguments have the wrong form, or do not agree with one another."""
    NOT_FOUND = "not_found"
    """What was named does not exist."""
    PRECONDITION = "precondition"
    """The state of the world does not allow it: sold out, not enough balance, not eligible."""
    UNKNOWN = "unknown"
    """No rule knows it."""


_RULES: Final = tuple(
    (cause, re.compile(pattern, re.IGNORECASE))
    for cause, pattern in (
        (
            Cause.ENVIRONMENT,
            (
                r"\b(?:429|50[0234])\b|rate.?limit|too many requests|overloaded|timed? ?-?out|time-out"
                r"|connection|unreachable|sandbox (?:crash|died|lost)|out of memory|no space left"
                r"|temporarily unavailable"
                r"|service unavailable|broken pipe|killed"
            ),
        ),
        (Cause.PERMISSION, r"permission|not allowed|forbidden|denied|unauthori[sz]ed|\b40[13]\b|not granted"),
        (
            Cause.PRECONDITION,
            (
                r"not enough|not available|insufficient|sold out|balance|cannot be (?:used|changed|cancel\w*)"
                r"|already|expired|not eligible|must (?:first|be)"
            ),
        ),
        (Cause.NOT_FOUND, r"not found|no such|does not exist|unknown|\b404\b"),
        (
            Cause.ARGUMENT,
            r"does not add up|invalid|malformed|missing|required|expected|mismatch|must have|\b400\b",
        ),
    )
)
_PLACES: Final = tuple(
    (re.compile(pattern), place)
    for pattern, place in (
        (r"https?://\S+", "<URL>"),
        (r"\"[^\"]*\"|“[^”]*”|(?<!\w)'[^']*'(?!\w)", "<TEXT>"),
        (r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?", "<DATE>"),
        (r"\b\d\d:\d\d(?::\d\d)?\b", "<TIME>"),
        (r"(?<!\w)(?:/[\w.-]+){2,}", "<PATH>"),
        (r"\b(?=\w*[A-Za-z_])(?=\w*\d)\w{4,}\b", "<ID>"),
        (r"\b0x[0-9a-fA-F]+\b", "<ID>"),
        (r"(?<![\w<])[-+]?\d+(?:[.,]\d+)*%?", "<N>"),
    )
)


@lru_cache(maxsize=4096)
def normalise(text: str) -> str:
    """Return an error's first line with what differs from case to case replaced by a placeholder."""
    line = text.strip().partition("\n")[0][:_LONGEST]
    for pattern, place in _PLACES:
        line = pattern.sub(place, line)
    return " ".join(line.split())


@lru_cache(maxsize=4096)
def cause_of(text: str) -> Cause:
    """Return the class of an error's text; give the text itself, not its template: numbers tell (429)."""
    return next((cause for cause, pattern in _RULES if pattern.search(text)), Cause.UNKNOWN)


def group_alike(templates: Iterable[str]) -> dict[str, str]:
    """Return for each template the one that stands for it: the first in order among those alike."""
    known = sorted(set(templates))
    if len(known) < 2:
        return {template: template for template in known}
    # Takes a second to import, and most dreams meet few unknown errors.
    from sklearn.cluster import AgglomerativeClustering
    from sklearn.feature_extraction.text import TfidfVectorizer

    letters = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 4)).fit_transform(known).toarray()
    grouping = AgglomerativeClustering(
        n_clusters=None, distance_threshold=_ALIKE, metric="cosine", linkage="complete"
    )
    heads: dict[int, str] = {}
    groups = zip(known, grouping.fit_predict(letters), strict=True)
    return {template: heads.setdefault(int(group), template) for template, group in groups}
