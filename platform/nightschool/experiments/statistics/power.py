"""What a design can find: the detectable difference, and its inverse, the power.

Planned for the rule that judges (`comparison.judge`), not for a textbook's test: the p value corrected for
the family, the interval, and the interval without the one most favourable sample must all say so. Outcomes
that are right or wrong take few values, and exact tests of them are cautious; that is counted in. Checked by
simulation: `docs/concepts/statistics.md`. Pure. Knows nothing about arms or suites.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
import numpy.typing as npt
from scipy import optimize, special, stats

from nightschool.experiments.statistics.interval import MINIMUM_PAIRS, mean_interval
from nightschool.experiments.statistics.pairing import Floats

__all__ = [
    "detectable_difference",
    "power_of",
]

_NODES: Final = 200
_COUNTED_UP_TO: Final = 400
"""Pairs up to which single right-or-wrong outcomes are counted out rather than approximated."""
_RESAMPLED_UP_TO: Final = 100
"""Pairs up to which that is done with the interval itself, beyond with Student's, which is near enough."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Design:
    deviation: float
    n_pairs: int
    alpha: float
    family: int
    step: float | None

    @property
    def is_counted(self) -> bool:
        """Whether every outcome of the experiment can be counted out: McNemar's case."""
        return self.step == 1 and self.n_pairs <= _COUNTED_UP_TO

    @property
    def is_empty(self) -> bool:
        """Whether nothing can be said: too few pairs, or no variation."""
        return self.n_pairs < MINIMUM_PAIRS or not self.deviation > 0

    def power(self, difference: float) -> float:
        """Return how often the rule finds a true difference."""
        if self.is_counted:
            return _counted_power(difference, self)
        shift = difference / self.deviation * math.sqrt(self.n_pairs)
        return _power_beyond(_critical(self), shift, self.n_pairs)


def detectable_difference(
    standard_deviation: float,
    n_pairs: int,
    *,
    alpha: float = 0.05,
    family: int = 1,
    power: float = 0.8,
    step: float | None = None,
) -> float | None:
    """Return the true mean difference that a comparison finds with this power.

    Args:
        standard_deviation: of the paired differences.
        n_pairs: samples that both sides have, or sources where samples share them.
        alpha: the family's error rate.
        family: comparisons that share it; the level of Holm's first step is planned for.
        power: how often it is to be found.
        step: by how much a sample's difference can change where outcomes are right or wrong: 1 divided by the
            repeats. None for scores.

    Returns:
        None where it has no meaning: fewer than `MINIMUM_PAIRS` pairs, which are not tested, no variation to
        judge by, or outcomes so few that not even a difference of 1 would be found so often.
    """
    design = _Design(deviation=standard_deviation, n_pairs=n_pairs, alpha=alpha, family=family, step=step)
    if design.is_empty:
        return None
    highest = 1.0 if step is not None else standard_deviation
    while design.power(highest) < power:
        if step is not None:
            return None
        highest *= 1.5
    return float(optimize.brentq(lambda at: design.power(at) - power, 0.0, highest, xtol=1e-12))


def power_of(
    difference: float,
    standard_deviation: float,
    n_pairs: int,
    *,
    alpha: float = 0.05,
    family: int = 1,
    step: float | None = None,
) -> float | None:
    """Return how often a comparison finds a true mean difference; arguments and None as above."""
    design = _Design(deviation=standard_deviation, n_pairs=n_pairs, alpha=alpha, family=family, step=step)
    return None if design.is_empty else design.power(abs(difference))


def _critical(design: _Design) -> float:
    """Return the t statistic from which on a difference is claimed."""
    root = math.sqrt(design.n_pairs)
    # An exact test of outcomes on a lattice loses half a cell of it, as a continuity correction says.
    cautious = (design.step or 0.0) / (design.deviation * root)
    tested = _quantile(design.n_pairs, design.alpha / design.family) + cautious
    return max(tested, _critical_without_one(design.n_pairs, design.alpha))


def _critical_without_one(n_pairs: int, alpha: float) -> float:
    """Return the t statistic at which the interval still excludes zero without the most favourable sample.

    Of n normal values the greatest lies about ``top`` deviations above the mean (Blom 1958).
    """
    top = float(special.ndtri((n_pairs - 0.375) / (n_pairs + 0.25)))
    left = n_pairs - 1
    spread = math.sqrt((left - n_pairs / left * top**2) / (left - 1))
    mean = _quantile(left, alpha) * spread / math.sqrt(left) + top / left
    return mean * math.sqrt(n_pairs)


def _quantile(n_pairs: int, alpha: float) -> float:
    return float(special.stdtrit(n_pairs - 1, 1 - alpha / 2))


def _power_beyond(critical: float, shift: float, n_pairs: int) -> float:
    """Return how often t passes ``critical`` where the truth is ``shift`` standard errors from zero.

    A t statistic is a normal one over the sample's own deviation: average over what that may be.
    (The noncentral t of scipy answers NaN for small samples.)
    """
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


def _counted_power(difference: float, design: _Design) -> float:
    """Return the chance of all outcomes that are claimed, for single right-or-wrong outcomes.

    A sample is won, lost or tied; how often is given by the difference and the deviation.
    """
    differing = min(1.0, max(design.deviation**2 + difference**2, difference))
    won, lost = (differing + difference) / 2, (differing - difference) / 2
    wins, losses, claimed = _claimed(design.n_pairs, design.alpha, design.family)
    ties = design.n_pairs - wins - losses
    log_ways = special.gammaln(design.n_pairs + 1) - (
        special.gammaln(wins + 1) + special.gammaln(losses + 1) + special.gammaln(ties + 1)
    )
    logs = special.xlogy(wins, won) + special.xlogy(losses, lost) + special.xlogy(ties, 1 - differing)
    return float(np.exp(log_ways + logs)[claimed].sum())


@cache
def _claimed(n: int, alpha: float, family: int) -> tuple[Floats, Floats, npt.NDArray[np.bool_]]:
    """Return wins and losses of every outcome of n samples, and whether it is claimed."""
    wins, losses = (grid.ravel() for grid in np.mgrid[0 : n + 1, 0 : n + 1])
    possible = wins + losses <= n
    wins, losses = wins[possible], losses[possible]
    least = np.array([_least_wins(n, fewer, alpha, family) for fewer in range(n + 1)])
    claimed = np.maximum(wins, losses) >= least[np.minimum(wins, losses)]
    return wins.astype(np.float64), losses.astype(np.float64), claimed


def _least_wins(n: int, losses: int, alpha: float, family: int) -> int:
    """Return with how many wins so many losses are outweighed; more than n where no number does."""
    excludes = _really_excludes if n <= _RESAMPLED_UP_TO else _nearly_excludes
    for wins in range(losses + 1, n - losses + 1):
        p = 2 * float(special.bdtrc(wins - 1, wins + losses, 0.5))
        stands = p <= alpha / family and excludes(wins - 1, losses, n - 1, alpha)
        if stands and excludes(wins, losses, n, alpha):
            return wins
    return n + 1


def _really_excludes(wins: int, losses: int, n: int, alpha: float) -> bool:
    values = [1.0] * wins + [-1.0] * losses + [0.0] * (n - wins - losses)
    found = mean_interval(values, level=1 - alpha)
    return found is not None and found.low > 0


def _nearly_excludes(wins: int, losses: int, n: int, alpha: float) -> bool:
    total = wins - losses
    squared = max(0.0, wins + losses - total**2 / n) * n / (n - 1)
    return total > _quantile(n, alpha) * math.sqrt(squared)
