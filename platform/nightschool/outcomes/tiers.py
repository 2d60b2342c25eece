"""Strict, Standard and Lenient as pure functions over kept dimension scores.

Because the scores are kept, a tier is a way of reading a result and never a reason to run it again.
A dimension that a task cannot have is absent from the scores; it is never counted as zero.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

__all__ = ["DIMENSIONS", "THRESHOLDS", "Tier", "judge", "margin", "passes", "weighted_mean"]

DIMENSIONS: Final = ("accuracy", "completeness", "consistency", "efficiency", "format")
"""The five default dimensions, each scored from 0 to 1."""


class Tier(StrEnum):
    """How much is asked of a result."""

    STRICT = "strict"
    """Every dimension at its threshold: medicine, law, finance."""
    STANDARD = "standard"
    """The weighted mean at its threshold."""
    LENIENT = "lenient"
    """The weighted mean at a lower threshold: drafts, brainstorming."""


THRESHOLDS: Final[Mapping[Tier, float]] = {Tier.STRICT: 0.9, Tier.STANDARD: 0.75, Tier.LENIENT: 0.6}


def weighted_mean(scores: Mapping[str, float], weights: Mapping[str, float] | None = None) -> float:
    """Return the mean of the dimensions present, weighted; a dimension without a weight weighs 1.

    Raises:
        ValueError: there is no score, or the weights of those present add up to nothing.
    """
    weight_of = {name: (weights or {}).get(name, 1.0) for name in scores}
    total = sum(weight_of.values())
    if total <= 0:
        raise ValueError("no dimension with a positive weight was scored")
    return sum(scores[name] * weight_of[name] for name in scores) / total


def margin(tier: Tier, scores: Mapping[str, float], weights: Mapping[str, float] | None = None) -> float:
    """Return how far above the tier's threshold the result lies (negative: below)."""
    reached = min(scores.values()) if tier is Tier.STRICT and scores else weighted_mean(scores, weights)
    return reached - THRESHOLDS[tier]


def passes(tier: Tier, scores: Mapping[str, float], weights: Mapping[str, float] | None = None) -> bool:
    """Return whether the result passes; floating-point dust does not fail a result at its threshold."""
    return margin(tier, scores, weights) >= -1e-12


def judge(scores: Mapping[str, float], weights: Mapping[str, float] | None = None) -> dict[str, bool]:
    """Return the verdict at every tier."""
    return {str(tier): passes(tier, scores, weights) for tier in Tier}
