"""How sure a verdict is, given how much the grader scatters: three values beside the plain rule.

A grader that scores the same result twice does not say the same twice. With its standard deviation per
dimension, measured on frozen results, a verdict gets the probability that a fresh grading turns it over.
Errors are taken as independent and normal around the scores seen, cut off at 0 and 1, and a mean of gradings
as normal: within two points of a simulation. Pure. Knows nothing about where the deviation was measured.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from statistics import NormalDist
from typing import Final, Literal

from nightschool.core.errors import InvalidInput
from nightschool.outcomes.tiers import THRESHOLDS, Tier, margin, passes, weighted_mean

__all__ = [
    "TOLERANCE",
    "GraderNoise",
    "Reading",
    "Standing",
    "disagreement",
    "flip_probability",
    "pass_probability",
    "read_verdict",
]

TOLERANCE: Final = 0.05
"""A verdict that a fresh grading would turn over more often than this lies inside the noise band."""

_NORMAL: Final = NormalDist()
_DUST: Final = 1e-12
_QUADRATURE_POINTS: Final = 4000


class Standing(StrEnum):
    """A verdict that says when it does not know."""

    PASS = "pass"  # noqa: S105 - not a password
    """Good enough, and a fresh grading would say so too."""
    FAIL = "fail"
    """Not good enough, and a fresh grading would say so too."""
    NOISE = "inside the noise band"
    """The plain rule says one thing; a fresh grading might well say the other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GraderNoise:
    """How much a grader's scores scatter when the same result is graded again."""

    sd: Mapping[str, float]
    """Standard deviation of one grading, by dimension; 0 where code decides."""
    repeats: int = 1
    """Gradings that are joined into one score."""
    joined_by: Literal["mean", "median"] = "mean"

    def __post_init__(self) -> None:
        """Refuse what cannot be.

        Raises:
            InvalidInput: a deviation is not a number from 0 up, there is no grading, or a median of an even
                number of gradings is wanted.
        """
        for name, sd in self.sd.items():
            if not (math.isfinite(sd) and sd >= 0):
                raise InvalidInput(f"grader SD of `{name}` is {sd}; it must be a number from 0 up")
        if self.repeats < 1:
            raise InvalidInput(f"a grader must grade at least once, not {self.repeats} times")
        if self.joined_by == "median" and self.repeats % 2 == 0:
            raise InvalidInput(f"the median of {self.repeats} gradings is between two; take an odd number")

    def knows(self, scores: Mapping[str, float]) -> bool:
        """Return whether the scatter of every dimension scored is known."""
        return scores.keys() <= self.sd.keys()

    def one_sd(self, dimension: str) -> float:
        """Return the standard deviation of one grading of a dimension.

        Raises:
            InvalidInput: nothing is known of the dimension.
        """
        if dimension not in self.sd:
            raise InvalidInput(f"the grader's SD in `{dimension}` is not known")
        return self.sd[dimension]

    def joined_sd(self, dimension: str) -> float:
        """Return the standard deviation of the joined score. Raises as `one_sd`."""
        left = 1 / self.repeats if self.joined_by == "mean" else _median_variance(self.repeats)
        return self.one_sd(dimension) * math.sqrt(left)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One verdict with everything needed to judge it."""

    tier: Tier
    passed: bool
    """What the plain rule says."""
    margin: float
    """How far above the threshold (negative: below)."""
    flip_probability: float
    standing: Standing


def pass_probability(
    tier: Tier,
    scores: Mapping[str, float],
    noise: GraderNoise,
    weights: Mapping[str, float] | None = None,
) -> float:
    """Return how probable it is that a fresh grading of this result passes the tier.

    Args:
        tier: Strict passes when every dimension does; the others when the weighted mean does.
        scores: the scores seen, taken as the true ones.
        noise: how they scatter.
        weights: of the dimensions in the mean.

    Raises:
        InvalidInput: the scatter of a dimension is not known, or as `tiers.reached`.
    """
    if tier is not Tier.STRICT:
        return _mean_chance(THRESHOLDS[tier], scores, noise, weights)
    margin(tier, scores)
    return math.prod(_chance(THRESHOLDS[tier], score, name, noise) for name, score in scores.items())


def flip_probability(
    tier: Tier,
    scores: Mapping[str, float],
    noise: GraderNoise,
    weights: Mapping[str, float] | None = None,
) -> float:
    """Return how probable it is that a fresh grading gives the other verdict. Raises as above."""
    chance = pass_probability(tier, scores, noise, weights)
    return 1 - chance if passes(tier, scores, weights) else chance


def disagreement(chance: float) -> float:
    """Return how probable it is that two gradings, each passing with this chance, do not agree."""
    return 2 * chance * (1 - chance)


def read_verdict(
    tier: Tier,
    scores: Mapping[str, float],
    noise: GraderNoise,
    weights: Mapping[str, float] | None = None,
    *,
    tolerance: float = TOLERANCE,
) -> Reading:
    """Return the verdict in three values, beside the plain rule. Raises as `pass_probability`."""
    passed, flip = passes(tier, scores, weights), flip_probability(tier, scores, noise, weights)
    plain = Standing.PASS if passed else Standing.FAIL
    return Reading(
        tier=tier,
        passed=passed,
        margin=margin(tier, scores, weights),
        flip_probability=flip,
        standing=Standing.NOISE if flip > tolerance else plain,
    )


def _chance(threshold: float, score: float, name: str, noise: GraderNoise) -> float:
    """Return how probable it is that the joined score of one dimension is not below the threshold."""
    sd = noise.one_sd(name)
    if sd == 0 or (noise.joined_by == "mean" and noise.repeats > 1):
        return _at_least(threshold, *_moments(score, name, noise))
    once, least = _NORMAL.cdf((score - threshold) / sd), (noise.repeats + 1) // 2
    # A median is above the threshold when most of the gradings are.
    return math.fsum(
        math.comb(noise.repeats, above) * once**above * (1 - once) ** (noise.repeats - above)
        for above in range(least, noise.repeats + 1)
    )


def _mean_chance(
    threshold: float, scores: Mapping[str, float], noise: GraderNoise, weights: Mapping[str, float] | None
) -> float:
    weighted_mean(scores, weights)  # refuses what has no mean
    weight_of = {name: (weights or {}).get(name, 1.0) for name in scores}
    total = math.fsum(weight_of.values())
    parts = [(weight_of[name] / total, *_moments(score, name, noise)) for name, score in scores.items()]
    mean = math.fsum(share * each for share, each, _ in parts)
    return _at_least(threshold, mean, math.fsum(share**2 * variance for share, _, variance in parts))


def _at_least(threshold: float, mean: float, variance: float) -> float:
    if variance == 0:
        return float(mean - threshold >= -_DUST)
    return _NORMAL.cdf((mean - threshold) / math.sqrt(variance))


def _moments(score: float, name: str, noise: GraderNoise) -> tuple[float, float]:
    """Return mean and variance of the joined score."""
    sd = noise.one_sd(name)
    if noise.joined_by == "median":
        return _cut(score, sd * math.sqrt(_median_variance(noise.repeats)))
    mean, variance = _cut(score, sd)
    return mean, variance / noise.repeats


def _cut(centre: float, sd: float) -> tuple[float, float]:
    """Return mean and variance of a normal whose values below 0 count as 0 and above 1 as 1.

    No grader gives more than 1: near the top its errors can only go down, and a mean of them lies lower.
    """
    if sd == 0:
        return centre, 0.0
    low, high = -centre / sd, (1 - centre) / sd
    below, above = _NORMAL.cdf(low), 1 - _NORMAL.cdf(high)
    inside = 1 - below - above
    slope = _NORMAL.pdf(low) - _NORMAL.pdf(high)
    mean = centre * inside + sd * slope + above
    bend = low * _NORMAL.pdf(low) - high * _NORMAL.pdf(high)
    square = (centre**2 + sd**2) * inside + 2 * centre * sd * slope + sd**2 * bend + above
    return mean, max(0.0, square - mean**2)


@lru_cache
def _median_variance(repeats: int) -> float:
    """Return the variance of the median of an odd number of standard normals."""
    if repeats == 1:
        return 1.0
    # The middle of an odd number of uniforms is Beta(m, m); its normal quantile is the median.
    middle = (repeats + 1) / 2
    log_beta = 2 * math.lgamma(middle) - math.lgamma(2 * middle)
    places = ((point + 0.5) / _QUADRATURE_POINTS for point in range(_QUADRATURE_POINTS))
    return math.fsum(
        _NORMAL.inv_cdf(u) ** 2
        * math.exp((middle - 1) * (math.log(u) + math.log1p(-u)) - log_beta)
        / _QUADRATURE_POINTS
        for u in places
    )
