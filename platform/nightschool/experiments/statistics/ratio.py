"""How many times one mean is another, over samples that both sides have, with its interval.

Pure. Knows nothing about what is divided by what.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy import stats

from nightschool.core.errors import InvalidInput
from nightschool.experiments.statistics.interval import MINIMUM_PAIRS, Interval, expanded_level
from nightschool.experiments.statistics.pairing import Floats, finite, mean

__all__ = ["Ratio", "ratio_of_means"]

_RESAMPLES: Final = 9_999
_BATCH_CELLS: Final = 2_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratio:
    """The quotient of two means over the same samples."""

    value: float
    n: int
    """Samples that both sides have."""
    interval: Interval | None
    """None for fewer than six samples, and where too many resamples leave nothing to divide by."""


def ratio_of_means(
    above: Mapping[str, float], below: Mapping[str, float], *, level: float = 0.95, seed: int = 0
) -> Ratio | None:
    """Return the mean of one side over the mean of the other, on the samples that both have.

    The interval is a bootstrap over samples, both sides of a sample drawn together (BCa; percentile where BCa
    is not defined), its level expanded for few samples as that of `mean_interval`.

    Args:
        above: sample to a number that is not negative.
        below: the same of the other side.
        level: of the interval.
        seed: of the resamples.

    Returns:
        None where they share no sample, or the lower mean is zero.

    Raises:
        InvalidInput: a value is negative or not a finite number.
    """
    shared = sorted(above.keys() & below.keys())
    upper, lower = (finite([side[sample] for sample in shared]) for side in (above, below))
    if min([0.0, *upper, *lower]) < 0:
        raise InvalidInput("a ratio of means needs numbers that are not negative")
    if not shared or not lower.any():
        return None
    return Ratio(
        value=mean(list(upper)) / mean(list(lower)),
        n=len(shared),
        interval=_interval(upper, lower, level, seed) if len(shared) >= MINIMUM_PAIRS else None,
    )


def _interval(upper: Floats, lower: Floats, level: float, seed: int) -> Interval | None:
    if not upper.any() or np.array_equal(upper, lower):
        # No resample can differ; where nothing was seen above, resampling knows nothing of what might be.
        value = float(upper.any())
        return Interval(low=value, high=value, level=level, method="constant") if value else None
    return _resampled(upper, lower, level, seed, "BCa") or _resampled(upper, lower, level, seed, "percentile")


def _resampled(upper: Floats, lower: Floats, level: float, seed: int, method: str) -> Interval | None:
    with warnings.catch_warnings():
        # A resample without anything below is infinite: scipy warns, and answers NaN where that matters.
        warnings.simplefilter("ignore")
        found = stats.bootstrap(
            (upper, lower),
            _quotient,
            paired=True,
            vectorized=True,
            confidence_level=expanded_level(level, upper.size),
            n_resamples=_RESAMPLES,
            batch=max(1, _BATCH_CELLS // upper.size),
            method=method,
            rng=np.random.default_rng(seed),
        ).confidence_interval
    low, high = float(found.low), float(found.high)
    if not (math.isfinite(low) and math.isfinite(high)):
        return None
    return Interval(low=low, high=high, level=level, method=method.lower())


def _quotient(upper: Floats, lower: Floats, axis: int = -1) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(upper.sum(axis=axis) / lower.sum(axis=axis), dtype=np.float64)
