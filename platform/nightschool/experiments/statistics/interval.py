"""An interval for a mean: bootstrap (BCa) over samples, Student's t for a few.

A bootstrap of n values is too narrow by about √((n − 1)/n) and by the difference between t and normal, which
at 24 samples turns 95 % into 92 %. Its level is therefore expanded for n (Hesterberg 2015, The American
Statistician 69), and under 20 values, where that no longer suffices, Student's t covers better (measured:
`docs/concepts/statistics.md`). Pure. Knows nothing about pairs or arms: it sees independent values.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from scipy import stats

from nightschool.experiments.statistics.pairing import Floats, finite

__all__ = [
    "MINIMUM_PAIRS",
    "Interval",
    "expanded_level",
    "mean_interval",
]

MINIMUM_PAIRS: Final = 6
"""Below this no comparison is tested: five pairs cannot reach p < 0.05 whatever they show."""

_STUDENT_BELOW: Final = 20
_RESAMPLES: Final = 9_999
_BATCH_CELLS: Final = 2_000_000
_TABLED_UP_TO: Final = 600
_ROUNDING: Final = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A confidence interval and how it was made."""

    low: float
    high: float
    level: float
    method: str
    """bca, percentile, t, wilson, or constant (every value the same)."""

    @property
    def excludes_zero(self) -> bool:
        """Whether zero lies outside."""
        return self.low > 0 or self.high < 0


def mean_interval(values: Sequence[float], *, level: float = 0.95, seed: int = 0) -> Interval | None:
    """Return an interval for the mean of independent values, or None for fewer than two.

    From twenty values on a bootstrap (BCa; percentile where BCa is not defined), below that Student's t:
    with so few values resampling can only reproduce what little was seen.

    Raises:
        InvalidInput: a value is not a finite number.
    """
    data = finite(values)
    if data.size < 2:
        return None
    if np.ptp(data) <= _ROUNDING * np.abs(data).max():
        return Interval(low=float(data[0]), high=float(data[0]), level=level, method="constant")
    if data.size < _STUDENT_BELOW:
        return _student(data, level)
    return _bootstrap(data, level, seed)


def _student(data: Floats, level: float) -> Interval:
    half = float(stats.t.ppf((1 + level) / 2, data.size - 1) * stats.sem(data))
    centre = float(data.mean())
    return Interval(low=centre - half, high=centre + half, level=level, method="t")


def _bootstrap(data: Floats, level: float, seed: int) -> Interval:
    interval = _resample(data, level, seed, "BCa")
    return interval or _resample(data, level, seed, "percentile") or _student(data, level)


def _resample(data: Floats, level: float, seed: int, method: str) -> Interval | None:
    if data.size > _TABLED_UP_TO:
        return _by_scipy(data, level, seed, method)
    expanded = expanded_level(level, data.size)
    means = np.sort(_counts(data.size, seed) @ data / data.size)
    ends = np.array([(1 - expanded) / 2, (1 + expanded) / 2])
    if method == "BCa":
        ends = _corrected(data, means, ends)
    if not np.isfinite(ends).all():
        return None
    low, high = np.quantile(means, ends)
    return Interval(low=float(low), high=float(high), level=level, method=method.lower())


@lru_cache(maxsize=4)
def _counts(n: int, seed: int) -> Floats:
    """Return how often each of n values is drawn in each resample: the draws are those of scipy.

    Kept, because a report asks for the same draws of the same samples for every metric it has.
    """
    drawn = np.random.default_rng(seed).integers(0, n, (_RESAMPLES, n))
    drawn += np.arange(_RESAMPLES)[:, None] * n
    return np.bincount(drawn.ravel(), minlength=_RESAMPLES * n).reshape(_RESAMPLES, n).astype(np.float64)


def _corrected(data: Floats, means: Floats, ends: Floats) -> Floats:
    """Return the quantiles corrected for bias and acceleration (Efron 1987); NaN where undefined."""
    centre = data.mean()
    below, upto = np.searchsorted(means, centre, "left"), np.searchsorted(means, centre, "right")
    bias = stats.norm.ppf((below + upto) / 2 / means.size)
    off = data - centre
    off /= np.abs(off).max()  # the acceleration knows no scale; without one nothing overflows
    acceleration = float((off**3).sum()) / (6 * float((off**2).sum()) ** 1.5)
    with np.errstate(invalid="ignore", divide="ignore"):
        shifted = bias + stats.norm.ppf(ends)
        return np.asarray(stats.norm.cdf(bias + shifted / (1 - acceleration * shifted)), dtype=np.float64)


def _by_scipy(data: Floats, level: float, seed: int, method: str) -> Interval | None:
    """Return the same for so many values that a table of draws would not fit well into memory."""
    with warnings.catch_warnings():
        # scipy warns and answers NaN where BCa is not defined; the caller's next method answers that.
        warnings.simplefilter("ignore")
        found = stats.bootstrap(
            (data,),
            np.mean,
            confidence_level=expanded_level(level, data.size),
            n_resamples=_RESAMPLES,
            batch=max(1, _BATCH_CELLS // data.size),
            method=method,
            rng=np.random.default_rng(seed),
        ).confidence_interval
    if not (math.isfinite(found.low) and math.isfinite(found.high)):
        return None
    return Interval(low=float(found.low), high=float(found.high), level=level, method=method.lower())


def expanded_level(level: float, n: int) -> float:
    """Return the level at which a bootstrap of n values, two or more, covers as often as ``level`` says."""
    return float(2 * stats.norm.cdf(math.sqrt(n / (n - 1)) * stats.t.ppf((1 + level) / 2, n - 1)) - 1)
