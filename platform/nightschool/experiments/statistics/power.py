"""What a design can find: the detectable difference, and its inverse, the power.

Pure. Knows nothing about arms or suites.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Final

import numpy as np
from scipy import optimize, special, stats

from nightschool.experiments.statistics.interval import MINIMUM_PAIRS
from nightschool.experiments.statistics.pairing import Floats

__all__ = [
    "detectable_difference",
    "power_of",
]

_NODES: Final = 200


def detectable_difference(
    standard_deviation: float, n_pairs: int, *, alpha: float = 0.05, power: float = 0.8
) -> float | None:
    """Return the true mean difference that a two-sided paired test finds with this power.

    For a family of m contrasts give ``alpha / m``, the level of Holm's first step. None where it has no
    meaning: fewer than `MINIMUM_PAIRS` pairs, which are not tested, or no variation to judge by.
    """
    if n_pairs < MINIMUM_PAIRS or not standard_deviation > 0:
        return None

    def shortfall(shift: float) -> float:
        return _power_at(shift, n_pairs, alpha) - power

    highest = _critical(n_pairs, alpha) + 1.0
    while shortfall(highest) < 0:
        highest *= 1.5
    shift = float(optimize.brentq(shortfall, 0.0, highest, xtol=1e-10))
    return shift * standard_deviation / math.sqrt(n_pairs)


def power_of(
    difference: float, standard_deviation: float, n_pairs: int, *, alpha: float = 0.05
) -> float | None:
    """Return how often a two-sided paired test finds a true mean difference; None as above."""
    if n_pairs < MINIMUM_PAIRS or not standard_deviation > 0:
        return None
    return _power_at(abs(difference) / standard_deviation * math.sqrt(n_pairs), n_pairs, alpha)


def _critical(n_pairs: int, alpha: float) -> float:
    return float(stats.t.ppf(1 - alpha / 2, n_pairs - 1))


def _power_at(shift: float, n_pairs: int, alpha: float) -> float:
    """Return the power for a difference that is ``shift`` standard errors from zero.

    A t statistic is a normal one over the sample's own deviation: average over what that may be.
    (The noncentral t of scipy answers NaN for small samples.)
    """
    critical = _critical(n_pairs, alpha)
    spreads, weights = _sample_deviations(n_pairs - 1)
    beyond = special.ndtr(shift - critical * spreads) + special.ndtr(-shift - critical * spreads)
    return float(weights @ beyond)


@cache
def _sample_deviations(df: int) -> tuple[Floats, Floats]:
    """Return nodes and weights that average over a sample's standard deviation when the true one is 1."""
    chi, scale = stats.chi(df), math.sqrt(df)
    low, high = chi.ppf(1e-12) / scale, chi.isf(1e-12) / scale
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    spreads = low + (nodes + 1) / 2 * (high - low)
    density = weights * chi.pdf(spreads * scale)
    return spreads, density / density.sum()
