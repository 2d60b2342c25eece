"""From an arm's answer to kept scores: the suite's judgement, efficiency, and the verdict at every tier.

Pure. Knows nothing about who answered or how. Because scores are kept, reading them at another tier or with
other weights is `regrade`, never another run.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from nightschool.core.errors import Malformed
from nightschool.core.usage import Usage
from nightschool.experiments.suite import Drawn, Reference, Suite
from nightschool.outcomes import tiers
from nightschool.outcomes.checks import artefact_of
from nightschool.outcomes.form import ask_forms

__all__ = ["Grade", "efficiency", "grade", "regrade"]


class Grade(NamedTuple):
    """A graded answer."""

    scores: dict[str, float]
    metrics: dict[str, float]
    tiers: dict[str, bool]


def grade(
    suite: Suite,
    drawn: Drawn,
    answer: dict[str, Any],
    *,
    usage: Usage,
    tool_calls: int,
    seconds: float | None,
) -> Grade:
    """Score an answer against its draw.

    Args:
        suite: scores the answer and says what a page may consume.
        drawn: the document and its truth.
        answer: what the arm handed in.
        usage: tokens consumed.
        tool_calls: tool calls made.
        seconds: how long it took; None when that is not known, as after an interruption.

    Raises:
        Malformed: the suite returned a score outside 0 to 1 or a metric that is no number, or efficiency is
            wanted and the draw does not say how many pages it has.
    """
    judged = suite.module.score(drawn.gold, answer, drawn.document)
    scores = {
        name: _score(suite, name, getattr(judged, name)) for name in ("accuracy", "completeness", "format")
    }
    if suite.rubric is not None and suite.rubric.forms:
        scores["format"] = min(scores["format"], ask_forms(suite.rubric.forms, artefact_of(answer)).score)
    metrics = {name: _metric(suite, name, value) for name, value in judged.metrics.items()}
    if suite.reference is not None:
        spent = efficiency(
            suite.reference,
            pages=_pages(suite, drawn),
            accuracy=scores["accuracy"],
            tokens=usage.total_tokens,
            tool_calls=tool_calls,
            seconds=seconds,
        )
        scores |= {} if spent is None else {"efficiency": spent}
    return Grade(scores, metrics, regrade(scores, suite.weights))


def efficiency(
    reference: Reference,
    *,
    pages: float,
    accuracy: float,
    tokens: float,
    tool_calls: float,
    seconds: float | None,
) -> float | None:
    """Return accuracy times the mean of what a competent worker needs over what was used, each at most 1.

    Quality is a factor, so that an arm which reads nothing is not called efficient. None without a reference.
    """
    used = [
        (reference.tokens_per_page, tokens),
        (reference.tool_calls_per_page, tool_calls),
        (reference.seconds_per_page, seconds),
    ]
    shares = [
        1.0 if actual <= per_page * pages else per_page * pages / actual
        for per_page, actual in used
        if per_page is not None and actual is not None
    ]
    return accuracy * math.fsum(shares) / len(shares) if shares else None


def regrade(scores: Mapping[str, float], weights: Mapping[str, float]) -> dict[str, bool]:
    """Return the verdicts of kept scores at every tier."""
    return tiers.judge(scores, weights)


def _score(suite: Suite, name: str, value: float) -> float:
    if not 0 <= value <= 1:
        raise Malformed(f"suite `{suite.name}`: score() returned {name} {value}; it must lie in 0 to 1")
    return float(value)


def _metric(suite: Suite, name: str, value: float) -> float:
    if not math.isfinite(value):
        raise Malformed(f"suite `{suite.name}`: score() returned metric {name} {value}; leave it out instead")
    return float(value)


def _pages(suite: Suite, drawn: Drawn) -> float:
    pages = drawn.facts.get("pages")
    if isinstance(pages, bool) or not isinstance(pages, int | float) or not pages > 0:
        raise Malformed(
            f"suite `{suite.name}`: draw() returned facts without a number of `pages`; `reference` needs it",
            field="pages",
        )
    return float(pages)
