"""Strict, Standard and Lenient as pure functions over kept dimension scores.

Because the scores are kept, a tier is a way of reading a result and never a reason to run it again.
A dimension that a task cannot have is absent from the scores; it is never counted as zero. A dimension of
weight 0 has no say in the mean; Strict asks it all the same, for Strict asks every dimension that was scored.
Knows nothing about how sure a score is (`noise`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Final, NamedTuple

from nightschool.core.errors import InvalidInput

__all__ = [
    "DIMENSIONS",
    "THRESHOLDS",
    "PassRate",
    "Tier",
    "judge",
    "margin",
    "passes",
    "reached",
    "sweep",
    "weighted_mean",
]

DIMENSIONS: Final = ("accuracy", "completeness", "consistency", "efficiency", "format")
"""The five default dimensions, each scored from 0 to 1."""

_DUST: Final = 1e-12
"""What floating-point arithmetic may cost a result that lies at its threshold."""


class Tier(StrEnum):
    """How much is asked of a result."""

    STRICT = "strict"
    """Every dimension at its threshold: medicine, law, finance."""
    STANDARD = "standard"
    """The weighted mean at its threshold."""
    LENIENT = "lenient"
    """The weighted mean at a lower threshold: drafts, brainstorming."""


THRESHOLDS: Final[Mapping[Tier, float]] = {Tier.STRICT: 0.9, Tier.STANDARD: 0.75, Tier.LENIENT: 0.6}


class PassRate(NamedTuple):
    """How many results pass at one threshold."""

    threshold: float
    passed: int
    results: int

    @property
    def share(self) -> float:
        """The share that passes."""
        return self.passed / self.results


def weighted_mean(scores: Mapping[str, float], weights: Mapping[str, float] | None = None) -> float:
    """Return the mean of the dimensions present, weighted; a dimension without a weight weighs 1.

    Raises:
        InvalidInput: there is no score, one is not a number from 0 to 1, a weight is not a number from 0
            up, or the weights of the dimensions present add up to nothing.
    """
    _check_scores(scores)
    weight_of = {name: _weight(name, (weights or {}).get(name, 1.0)) for name in scores}
    total = math.fsum(weight_of.values())
    if total <= 0:
        raise InvalidInput(f"no dimension with a weight above 0 was scored, only: {', '.join(scores)}")
    return math.fsum(scores[name] * weight_of[name] for name in scores) / total


def reached(tier: Tier, scores: Mapping[str, float], weights: Mapping[str, float] | None = None) -> float:
    """Return the number that the tier compares with its threshold: the least score, or the weighted mean.

    Raises:
        InvalidInput: as `weighted_mean`.
    """
    if tier is not Tier.STRICT:
        return weighted_mean(scores, weights)
    _check_scores(scores)
    return min(scores.values())


def margin(
    tier: Tier,
    scores: Mapping[str, float],
    weights: Mapping[str, float] | None = None,
    *,
    threshold: float | None = None,
) -> float:
    """Return how far above the threshold the result lies (negative: below). Raises as `reached`.

    Args:
        tier: what is compared: the least score (Strict) or the weighted mean.
        scores: by dimension.
        weights: of the dimensions in the mean.
        threshold: in place of the tier's own.
    """
    return reached(tier, scores, weights) - (THRESHOLDS[tier] if threshold is None else threshold)


def passes(
    tier: Tier,
    scores: Mapping[str, float],
    weights: Mapping[str, float] | None = None,
    *,
    threshold: float | None = None,
) -> bool:
    """Return whether the result passes; floating-point dust does not fail it. As `margin`."""
    return margin(tier, scores, weights, threshold=threshold) >= -_DUST


def judge(scores: Mapping[str, float], weights: Mapping[str, float] | None = None) -> dict[str, bool]:
    """Return the verdict at every tier. Raises as `weighted_mean`."""
    return {str(tier): passes(tier, scores, weights) for tier in Tier}


def sweep(
    tier: Tier,
    results: Sequence[Mapping[str, float]],
    thresholds: Iterable[float],
    weights: Mapping[str, float] | None = None,
) -> list[PassRate]:
    """Return how many kept results would pass, were the tier's threshold another: a curve without a run.

    Args:
        tier: what is compared with the threshold: the least score (Strict) or the weighted mean.
        results: the scores of each result.
        thresholds: where to look, in any order; the curve comes back in theirs.
        weights: of the dimensions in the mean.

    Raises:
        InvalidInput: there is no result, a threshold is not a number, or as `reached`.
    """
    if not results:
        raise InvalidInput("there is no result to sweep thresholds over")
    heights = [reached(tier, scores, weights) for scores in results]
    return [_pass_rate(threshold, heights) for threshold in thresholds]


def _pass_rate(threshold: float, heights: Sequence[float]) -> PassRate:
    if not math.isfinite(threshold):
        raise InvalidInput(f"a threshold must be a number, not {threshold}")
    return PassRate(threshold, sum(height - threshold >= -_DUST for height in heights), len(heights))


def _check_scores(scores: Mapping[str, float]) -> None:
    if not scores:
        raise InvalidInput("no dimension was scored: a verdict needs at least one score")
    for name, score in scores.items():
        # Written so that NaN fails it too: NaN compares false with everything, and would pass unseen.
        if not 0 <= score <= 1:
            raise InvalidInput(f"the score of `{name}` is {score}; it must be a number from 0 to 1")


def _weight(name: str, weight: float) -> float:
    if not (math.isfinite(weight) and weight >= 0):
        raise InvalidInput(f"the weight of `{name}` is {weight}; it must be a number from 0 up")
    return weight
