"""How often at least one of k attempts succeeds, and how often all of them do.

    pass@k   one of k attempts is right: what a user gets who can tell and picks
    pass^k   all k attempts are right: what a user gets who relies on it

Pure. Both are unbiased from n ≥ k attempts per sample (Chen et al. 2021, arXiv 2107.03374; Yao et al. 2024,
arXiv 2406.12045), and samples are averaged after that, as everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from nightschool.core.errors import InvalidInput
from nightschool.experiments.statistics.interval import Interval, mean_interval
from nightschool.experiments.statistics.pairing import Repeats, mean

__all__ = ["Reliability", "pass_all", "pass_any", "reliability"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reliability:
    """pass@k or pass^k of an arm."""

    k: int
    mean: float
    interval: Interval | None
    samples: int
    """Samples with at least k attempts; the others say nothing about k."""


def pass_any(successes: int, attempts: int, k: int) -> float:
    """Return pass@k of one sample: the chance that k of its attempts, drawn without return, hold a success.

    Raises:
        InvalidInput: k is not between 1 and the attempts, or there are more successes than attempts.
    """
    _check(successes, attempts, k)
    return 1 - math.comb(attempts - successes, k) / math.comb(attempts, k)


def pass_all(successes: int, attempts: int, k: int) -> float:
    """Return pass^k of one sample: the chance that k of its attempts, drawn without return, all succeed.

    Raises:
        InvalidInput: as `pass_any`.
    """
    _check(successes, attempts, k)
    return math.comb(successes, k) / math.comb(attempts, k)


def reliability(
    outcomes: Repeats, k: int, of: Callable[[int, int, int], float], *, level: float = 0.95, seed: int = 0
) -> Reliability | None:
    """Return pass@k (``of=pass_any``) or pass^k (``of=pass_all``) over samples; None if none has k attempts.

    Raises:
        InvalidInput: k below 1, or an outcome that is neither 0 nor 1.
    """
    if k < 1:
        raise InvalidInput(f"k must be at least 1, not {k}")
    wrong = [value for epochs in outcomes.values() for value in epochs.values() if value not in (0, 1)]
    if wrong:
        raise InvalidInput(f"an outcome is 0 or 1, not {wrong[0]}")
    rates = [
        of(round(sum(epochs.values())), len(epochs), k) for epochs in outcomes.values() if len(epochs) >= k
    ]
    if not rates:
        return None
    interval = mean_interval(rates, level=level, seed=seed)
    return Reliability(k=k, mean=mean(rates), interval=interval, samples=len(rates))


def _check(successes: int, attempts: int, k: int) -> None:
    if not 1 <= k <= attempts or not 0 <= successes <= attempts:
        raise InvalidInput(f"k = {k} does not fit {successes} successes in {attempts} attempts")
