"""How many of an arm's verdicts would hold if the same answers were graded again.

Pure. Knows nothing about arms: it reads the kept scores of some trials. Where no scatter of the grader is
known, it says nothing; a suite scored by code has none.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from nightschool.experiments.measures import Trial
from nightschool.outcomes.noise import GraderNoise, Reading, Standing, read_verdict
from nightschool.outcomes.tiers import Tier

__all__ = ["Steadiness", "steadiness"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Steadiness:
    """The verdicts of one arm at one tier, and how they would fare in a fresh grading."""

    tier: Tier
    verdicts: int
    inside: int
    """Those inside the noise band."""
    mean_margin: float
    """How far above the threshold, on average (negative: below)."""
    mean_flip_probability: float
    """The share that a fresh grading is expected to turn over."""

    @property
    def share_inside(self) -> float:
        """The share of verdicts inside the noise band."""
        return self.inside / self.verdicts


def steadiness(
    trials: Iterable[Trial], noise: GraderNoise | None, weights: Mapping[str, float]
) -> dict[str, Steadiness]:
    """Return the steadiness at each tier; empty where nothing is known of the grader or nothing graded.

    Args:
        trials: those of one arm; what has no scores has no verdict.
        noise: how the grader scatters; None where nobody measured it.
        weights: of the dimensions in the tiers' mean.
    """
    graded = [trial.scores for trial in trials if trial.is_graded]
    if noise is None or not graded or not all(noise.knows(scores) for scores in graded):
        return {}
    return {
        str(tier): _summed(tier, [read_verdict(tier, scores, noise, weights) for scores in graded])
        for tier in Tier
    }


def _summed(tier: Tier, readings: Sequence[Reading]) -> Steadiness:
    count = len(readings)
    return Steadiness(
        tier=tier,
        verdicts=count,
        inside=sum(reading.standing is Standing.NOISE for reading in readings),
        mean_margin=math.fsum(reading.margin for reading in readings) / count,
        mean_flip_probability=math.fsum(reading.flip_probability for reading in readings) / count,
    )
