"""Intervals for rates. Knows nothing about what is counted."""

from __future__ import annotations

import math

from scipy import stats

from nightschool.core.errors import InvalidInput
from nightschool.experiments.statistics.interval import Interval

__all__ = [
    "wilson",
]


def wilson(rate: float, n: int, *, level: float = 0.95) -> Interval:
    """Return Wilson's interval for a rate over ``n`` samples.

    With repeats, ``rate`` is the mean of the samples' own rates and ``n`` still counts samples; such a mean
    varies no more than a rate of single outcomes, so the interval is never too narrow for that reason.

    Raises:
        InvalidInput: ``n`` below 1 or a rate outside 0 to 1.
    """
    if n < 1 or not 0 <= rate <= 1:
        raise InvalidInput(f"a rate needs n of at least 1 and a value in 0 to 1, not n={n}, rate={rate}")
    z = float(stats.norm.ppf((1 + level) / 2))
    centre = (rate + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(rate * (1 - rate) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return Interval(low=max(0.0, centre - half), high=min(1.0, centre + half), level=level, method="wilson")
