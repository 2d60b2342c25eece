"""Right or wrong, explained by the arm and by how hard each sample is: a logistic mixed model.

    logit P(right) = intercept + effect of the arm + sample,    sample ~ normal(0, σ)

The effect is a log odds ratio within a sample; a paired difference is one of shares over samples: another
question, told beside it and never instead. Fitted by maximum likelihood, the samples integrated out by
Gauss-Hermite quadrature. Checked by simulation; so were variational fits, whose intervals are too narrow.
Pure. Knows nothing about tiers or arms.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple

import numpy as np
from scipy import optimize, special, stats

from nightschool.core.errors import InvalidInput
from nightschool.experiments.statistics.interval import MINIMUM_PAIRS, Interval
from nightschool.experiments.statistics.pairing import Floats, Repeats

__all__ = ["MixedEffect", "mixed_effect"]

_NODES: Final = 40
_LARGEST: Final = 20.0
"""Beyond these log odds nothing differs any more."""
_STEP: Final = 1e-4


@dataclass(frozen=True, slots=True, kw_only=True)
class MixedEffect:
    """The effect of an arm on the log odds of being right."""

    log_odds_ratio: float
    """0: none; the odds of being right are those of the baseline."""
    interval: Interval
    p: float
    """Two-sided, of no effect."""
    sample_deviation: float
    """σ: how much samples differ in their log odds."""
    samples: int
    trials: int

    @property
    def odds_ratio(self) -> float:
        """How many times the odds of the baseline the treatment's are."""
        return math.exp(self.log_odds_ratio)


class _Counts(NamedTuple):
    """By sample: how often each side was right, and how often it tried."""

    right: Floats
    tried: Floats


def mixed_effect(treatment: Repeats, baseline: Repeats, *, level: float = 0.95) -> MixedEffect | None:
    """Fit the model to outcomes of 0 and 1 of the samples that both sides have.

    Returns:
        None for fewer than `MINIMUM_PAIRS` samples, or where a side is always or never right, or else so that
        the odds have no estimate.

    Raises:
        InvalidInput: an outcome is neither 0 nor 1, or the level lies outside 0 to 1.
    """
    if not 0 < level < 1:
        raise InvalidInput(f"a level of confidence lies between 0 and 1, not {level}")
    shared = [sample for sample, runs in sorted(treatment.items()) if runs and baseline.get(sample)]
    ours, theirs = (_counted([side[sample] for sample in shared]) for side in (treatment, baseline))
    if len(shared) < MINIMUM_PAIRS or not (_varies(ours) and _varies(theirs)):
        return None
    start = _logit(float(theirs.right.sum() / theirs.tried.sum()))
    free = _fitted(lambda at: _loss((at[0], at[1], at[2]), ours, theirs), [start, 0.0, 0.7])
    effect, error = float(free[1]), _error(free, ours, theirs)
    if error is None:
        return None
    freedom = len(shared) - 1
    half = float(special.stdtrit(freedom, (1 + level) / 2)) * error
    return MixedEffect(
        log_odds_ratio=effect,
        interval=Interval(low=effect - half, high=effect + half, level=level, method="mixed"),
        p=float(2 * stats.t.sf(abs(effect) / error, freedom)),
        sample_deviation=float(free[2]),
        samples=len(shared),
        trials=int(ours.tried.sum() + theirs.tried.sum()),
    )


def _counted(outcomes: Sequence[Mapping[int, float]]) -> _Counts:
    runs = [list(each.values()) for each in outcomes]
    wrong = [value for values in runs for value in values if value not in (0, 1)]
    if wrong:
        raise InvalidInput(f"a mixed model is for outcomes of 0 and 1, not {wrong[0]}")
    right, tried = ([each(values) for values in runs] for each in (sum, len))
    return _Counts(np.array(right, dtype=np.float64), np.array(tried, dtype=np.float64))


def _varies(side: _Counts) -> bool:
    return bool(0 < side.right.sum() < side.tried.sum())


def _fitted(loss: Callable[[Floats], float], start: Sequence[float]) -> Floats:
    """Return where the loss is least."""
    bounds = [(-_LARGEST, _LARGEST)] * (len(start) - 1) + [(0.0, _LARGEST)]
    found = optimize.minimize(loss, np.array(start), method="L-BFGS-B", bounds=bounds)
    return np.asarray(found.x, dtype=np.float64)


def _loss(at: tuple[float, float, float], ours: _Counts, theirs: _Counts) -> float:
    """Return minus the log likelihood, each sample averaged over what its difficulty may be."""
    intercept, effect, deviation = at
    nodes, weights = _quadrature()
    base = intercept + deviation * nodes
    logs = _log_chance(base, theirs) + _log_chance(base + effect, ours)
    return -float(special.logsumexp(logs + np.log(weights), axis=1).sum())


def _log_chance(log_odds: Floats, side: _Counts) -> Floats:
    all_right = np.multiply.outer(side.right, log_odds)
    return np.asarray(all_right - np.multiply.outer(side.tried, np.logaddexp(0, log_odds)), dtype=np.float64)


@cache
def _quadrature() -> tuple[Floats, Floats]:
    """Return nodes and weights of the standard normal distribution."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(_NODES)
    return nodes, weights / weights.sum()


def _error(at: Floats, ours: _Counts, theirs: _Counts) -> float | None:
    """Return the standard error of the effect: the curvature of the likelihood, the deviation kept as it is.

    None where the likelihood is flat, so that any effect would do.
    At its lower bound the deviation has no curvature, and it hardly bears on the effect elsewhere.
    """

    def loss(intercept: float, effect: float) -> float:
        return _loss((intercept, effect, float(at[2])), ours, theirs)

    a, b, h = float(at[0]), float(at[1]), _STEP
    middle = 2 * loss(a, b)
    aa = (loss(a + h, b) + loss(a - h, b) - middle) / h**2
    bb = (loss(a, b + h) + loss(a, b - h) - middle) / h**2
    ab = (loss(a + h, b + h) + loss(a - h, b - h) - loss(a + h, b - h) - loss(a - h, b + h)) / (4 * h**2)
    curvature = aa * bb - ab**2
    return math.sqrt(aa / curvature) if aa > 0 and curvature > 0 else None


def _logit(share: float) -> float:
    return math.log(share / (1 - share))
