"""An interval that may be looked at as often as one likes while an experiment is running.

An ordinary 95 % interval looked at ten times misses far more often than 5 %. A confidence sequence covers at
all sample sizes together with its stated probability: a live page may show it and a run may stop on it. The
one here is the mixture t sequence (Lindon, Ham, Tingley and Bojinov 2022, arXiv 2210.08589; Wang and Ramdas
2023, arXiv 2310.03722): exact for normal differences of unknown spread, checked by simulation for others.
Pure. Knows nothing about trials.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from nightschool.core.errors import InvalidInput
from nightschool.experiments.statistics.interval import MINIMUM_PAIRS, Interval
from nightschool.experiments.statistics.pairing import finite

__all__ = ["anytime_interval", "anytime_p"]

_EXPECTED_SAMPLES: Final = 50
"""The sequence is tightest around so many samples unless the design says how many there will be."""


def anytime_interval(
    values: Sequence[float], *, level: float = 0.95, expected: int = _EXPECTED_SAMPLES
) -> Interval | None:
    """Return an interval for the mean that holds at every look; None where it is still unbounded.

    Args:
        values: in the order they came.
        level: probability that it covers at all looks together.
        expected: how many values there will be; it may be wrong, and must not be chosen by looking.

    Raises:
        InvalidInput: a value is not finite, or ``expected`` is below 1.
    """
    data = finite(values)
    if expected < 1:
        raise InvalidInput(f"the expected number of samples must be at least 1, not {expected}")
    if data.size < MINIMUM_PAIRS or np.ptp(data) == 0:
        return None
    ratio = _mixing(expected, level) / (_mixing(expected, level) + data.size)
    growth = ((1 - level) ** 2 * ratio) ** (-1 / data.size)
    if ratio * growth >= 1:
        return None
    squared = (growth - 1) / (1 - ratio * growth) * (data.size - 1)
    half = math.sqrt(squared / data.size) * float(np.std(data, ddof=1))
    centre = float(data.mean())
    return Interval(low=centre - half, high=centre + half, level=level, method="sequence")


def anytime_p(values: Sequence[float], *, level: float = 0.95, expected: int = _EXPECTED_SAMPLES) -> float:
    """Return the p value, valid at every look, of the mean being zero; 1 where nothing can be said yet.

    The smallest of those at all looks so far may be kept. Raises as `anytime_interval`.
    """
    data = finite(values)
    if data.size < MINIMUM_PAIRS or np.ptp(data) == 0:
        return 1.0
    ratio = _mixing(expected, level) / (_mixing(expected, level) + data.size)
    statistic = float(data.mean()) ** 2 * data.size / (float(np.var(data, ddof=1)) * (data.size - 1))
    log_evidence = (math.log(ratio) - data.size * math.log((1 + ratio * statistic) / (1 + statistic))) / 2
    return min(1.0, math.exp(-log_evidence))


def _mixing(expected: int, level: float) -> float:
    """Return the precision of the mixture, in samples, that makes the sequence narrow at ``expected``."""
    alpha = 1 - level
    return expected / (-2 * math.log(alpha) + math.log(-2 * math.log(alpha) + 1))
