"""Corrections for asking many questions at once. Knows nothing about how the p values came about."""

from __future__ import annotations

from collections.abc import Mapping

from scipy import stats

__all__ = ["benjamini_hochberg", "holm"]


def holm(family: Mapping[str, float | None]) -> dict[str, float | None]:
    """Adjust the p values of a declared family by Holm's step-down method.

    A member without a p value (too few pairs) stays without one, yet counts in the family's size: it was
    declared, so leaving it out would make the others look better than the plan allowed.
    """
    tested = sorted((p, name) for name, p in family.items() if p is not None)
    adjusted: dict[str, float | None] = dict.fromkeys(family)
    running = 0.0
    for rank, (p, name) in enumerate(tested):
        running = max(running, min(1.0, p * (len(family) - rank)))
        adjusted[name] = running
    return adjusted


def benjamini_hochberg(family: Mapping[str, float | None]) -> dict[str, float | None]:
    """Adjust the p values of an exploration so that the share of false finds among all finds is held.

    For looking around only: a find is a reason for another experiment. Members without a p value stay
    without one and are not counted, as nothing was declared about them.

    Source: Benjamini and Hochberg (1995), as `scipy.stats.false_discovery_control`.
    """
    tested = {name: p for name, p in family.items() if p is not None}
    adjusted = stats.false_discovery_control(list(tested.values())) if tested else []
    return dict.fromkeys(family) | {name: float(p) for name, p in zip(tested, adjusted, strict=True)}
