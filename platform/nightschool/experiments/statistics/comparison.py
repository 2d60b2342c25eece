"""Two sides, paired by sample: difference, interval, p, and what may be claimed from them.

Pure. Knows nothing about trials, arms or suites.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from nightschool.experiments.statistics.clusters import clustered_mean, has_shared_sources
from nightschool.experiments.statistics.interval import MINIMUM_PAIRS, Interval, mean_interval
from nightschool.experiments.statistics.pairing import Repeats, mean, pair
from nightschool.experiments.statistics.permutation import sign_flip_test

__all__ = [
    "Comparison",
    "Verdict",
    "compare",
    "judge",
]


class Verdict(StrEnum):
    """What a comparison may claim."""

    BETTER = "better"
    WORSE = "worse"
    UNDECIDED = "cannot be told apart"
    EQUIVALENT = "the same within the smallest effect of interest"


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A paired comparison before any correction for the family it belongs to."""

    difference: float | None
    """Mean over samples of treatment minus baseline; null without a single pair."""
    interval: Interval | None
    p: float | None
    p_method: str
    n_pairs: int
    missing: tuple[str, ...]
    """Samples that one of the two sides has no result for."""
    wins: int
    """Samples on which the treatment's number is higher, whatever that means for the metric."""
    losses: int
    ties: int
    standard_deviation: float | None
    """Of the paired differences; what the detectable difference is computed from."""
    n_sources: int = 0
    """Sources of the paired samples; as many as pairs where none is shared."""
    standard_error: float | None = None
    """Of the difference; None where it is not tested."""
    degrees_of_freedom: float | None = None
    differences: Mapping[str, float] = field(default_factory=dict, repr=False)
    """By sample: what the comparison was made from."""
    step: float | None = None
    """By how much a sample's difference can change where every outcome is right or wrong; None for scores."""
    hangs_on: str | None = None
    """The one sample, or source, without which the interval would reach zero; None where there is no such."""
    note: str = ""


def compare(
    treatment: Repeats,
    baseline: Repeats,
    *,
    level: float = 0.95,
    seed: int = 0,
    sources: Mapping[str, str] | None = None,
) -> Comparison:
    """Compare two sides paired by sample.

    Where samples share sources, interval and p are cluster-robust instead of resampled, and fewer than
    `MINIMUM_PAIRS` sources are too few to test, as fewer than so many pairs are.

    Under `MINIMUM_PAIRS` pairs the difference is reported without interval or p, and the note says so.

    Raises:
        InvalidInput: a value is not a finite number.
    """
    differences, missing = pair(treatment, baseline)
    values = list(differences.values())
    found = _tested(differences, sources or {}, level, seed)
    hangs_on = _hangs_on(differences, found.interval, sources or {}, seed)
    note = f"it hangs on `{hangs_on}` alone: without it nothing is shown" if hangs_on else found.note
    return Comparison(
        difference=mean(values) if values else None,
        interval=found.interval,
        p=found.p,
        p_method=found.p_method,
        n_pairs=len(values),
        missing=missing,
        wins=sum(value > 0 for value in values),
        losses=sum(value < 0 for value in values),
        ties=sum(value == 0 for value in values),
        standard_deviation=float(np.std(values, ddof=1)) if len(values) > 1 else None,
        n_sources=len({(sources or {}).get(sample, sample) for sample in differences}),
        standard_error=found.standard_error,
        degrees_of_freedom=found.degrees_of_freedom,
        differences=differences,
        step=_step(treatment, baseline),
        hangs_on=hangs_on,
        note=note,
    )


def judge(
    comparison: Comparison, p_adjusted: float | None, *, higher_is_better: bool, alpha: float = 0.05
) -> Verdict:
    """Decide what may be claimed: interval and adjusted p must both say that there is a difference.

    Nor may it hang on one sample: without the one that speaks most for it, the interval must still say so.
    """
    difference, interval = comparison.difference, comparison.interval
    if difference is None or interval is None or p_adjusted is None:
        return Verdict.UNDECIDED
    if not interval.excludes_zero or p_adjusted > alpha or comparison.hangs_on is not None:
        return Verdict.UNDECIDED
    return Verdict.BETTER if (difference > 0) == higher_is_better else Verdict.WORSE


def _step(treatment: Repeats, baseline: Repeats) -> float | None:
    """Return 1 over the repeats, where every outcome is 0 or 1."""
    sides = [repeats for side in (treatment, baseline) for repeats in side.values() if repeats]
    if not sides or any(value not in (0, 1) for repeats in sides for value in repeats.values()):
        return None
    return 1 / max(map(len, sides))


def _hangs_on(
    differences: Mapping[str, float], interval: Interval | None, sources: Mapping[str, str], seed: int
) -> str | None:
    """Return the sample or source that speaks most for the difference, if it stands on that one alone."""
    if interval is None or not interval.excludes_zero or interval.method == "constant":
        return None
    sign = 1 if interval.low > 0 else -1
    is_shared = has_shared_sources(list(differences), sources)
    owner = {sample: sources.get(sample, sample) if is_shared else sample for sample in differences}
    total: dict[str, float] = {}
    for sample, value in differences.items():
        total[owner[sample]] = total.get(owner[sample], 0.0) + sign * value
    most = max(total, key=total.__getitem__)
    rest = {sample: sign * value for sample, value in differences.items() if owner[sample] != most}
    left = _interval(rest, sources if is_shared else {}, interval.level, seed)
    return None if left is not None and left.low > 0 else most


def _interval(
    values: Mapping[str, float], sources: Mapping[str, str], level: float, seed: int
) -> Interval | None:
    if not sources:
        return mean_interval(list(values.values()), level=level, seed=seed)
    found = clustered_mean(values, sources, level=level)
    return None if found is None else found.interval


class _Tested(NamedTuple):
    interval: Interval | None = None
    p: float | None = None
    p_method: str = ""
    standard_error: float | None = None
    degrees_of_freedom: float | None = None
    note: str = ""


def _tested(differences: Mapping[str, float], sources: Mapping[str, str], level: float, seed: int) -> _Tested:
    values, n = list(differences.values()), len(differences)
    if n < MINIMUM_PAIRS:
        return _Tested(note=f"{n} pairs: at least {MINIMUM_PAIRS} are needed to test a difference")
    if has_shared_sources(list(differences), sources):
        return _clustered(differences, sources, level)
    test = sign_flip_test(values, seed=seed)
    return _Tested(
        interval=mean_interval(values, level=level, seed=seed),
        p=test.p,
        p_method=test.method,
        standard_error=float(np.std(values, ddof=1)) / math.sqrt(n),
        degrees_of_freedom=n - 1,
    )


def _clustered(differences: Mapping[str, float], sources: Mapping[str, str], level: float) -> _Tested:
    count = len({sources.get(sample, sample) for sample in differences})
    if count < MINIMUM_PAIRS:
        return _Tested(note=f"{count} sources: at least {MINIMUM_PAIRS} are needed to test a difference")
    found = clustered_mean(differences, sources, level=level)
    if found is None:
        same = next(iter(differences.values()))
        interval = Interval(low=same, high=same, level=level, method="constant")
        # Sources, not samples, are what may have come out either way.
        return _Tested(interval=interval, p=2.0 ** (1 - count) if same else 1.0, p_method="exact")
    return _Tested(
        interval=found.interval,
        p=found.p,
        p_method="clustered t",
        standard_error=found.standard_error,
        degrees_of_freedom=found.degrees_of_freedom,
    )
