"""Whether a difference is real: paired intervals, permutation p, Holm, Wilson, detectable differences.

Pure. Knows nothing about trials, arms or suites: it sees numbers by sample and repeat. The sample is the
unit: repeats are averaged inside it first, because pooling them makes every interval too narrow.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import optimize, special, stats

from nightschool.core.errors import InvalidInput

__all__ = [
    "MINIMUM_PAIRS",
    "Comparison",
    "Interval",
    "Pairs",
    "PermutationTest",
    "Repeats",
    "Verdict",
    "compare",
    "detectable_difference",
    "holm",
    "judge",
    "mean_interval",
    "pair",
    "sample_means",
    "sign_flip_test",
    "wilson",
]

MINIMUM_PAIRS: Final = 6
"""Below this no comparison is tested: five pairs cannot reach p < 0.05 whatever they show."""

_EXACT_UP_TO_PAIRS: Final = 14
_PERMUTATIONS: Final = 19_999
_RESAMPLES: Final = 9_999
_BATCH_CELLS: Final = 2_000_000
_ROUNDING: Final = 1e-12
_NODES: Final = 200

Repeats = Mapping[str, Mapping[int, float]]
"""One number per sample and repeat: ``{sample_id: {epoch: value}}``."""

_Floats = npt.NDArray[np.float64]


class Verdict(StrEnum):
    """What a comparison may claim."""

    BETTER = "better"
    WORSE = "worse"
    UNDECIDED = "cannot be told apart"


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


class Pairs(NamedTuple):
    """Differences by sample, and the samples that could not be paired."""

    differences: dict[str, float]
    missing: tuple[str, ...]


class PermutationTest(NamedTuple):
    """A two-sided p value and how it was made: exact, or monte carlo."""

    p: float
    method: str


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
    note: str = ""


def sample_means(repeats: Repeats) -> dict[str, float]:
    """Average the repeats inside each sample; a sample without repeats is left out.

    Raises:
        InvalidInput: a value is not a finite number.
    """
    return {sample: _mean(list(values.values())) for sample, values in sorted(repeats.items()) if values}


def pair(treatment: Repeats, baseline: Repeats) -> Pairs:
    """Subtract within a repeat, average within the sample.

    Only repeats that both sides have are used: a repeat re-draws the world, so a repeat one side lacks
    would compare different worlds.

    Raises:
        InvalidInput: a value is not a finite number.
    """
    differences, missing = {}, []
    for sample in sorted(treatment.keys() | baseline.keys()):
        ours, theirs = treatment.get(sample, {}), baseline.get(sample, {})
        shared = sorted(ours.keys() & theirs.keys())
        if shared:
            differences[sample] = _mean([ours[epoch] - theirs[epoch] for epoch in shared])
        else:
            missing.append(sample)
    return Pairs(differences, tuple(missing))


def mean_interval(values: Sequence[float], *, level: float = 0.95, seed: int = 0) -> Interval | None:
    """Return an interval for the mean of independent values, or None for fewer than two.

    From six values on a bootstrap (BCa; percentile where BCa is not defined), below that Student's t:
    with so few values resampling can only reproduce what little was seen.

    Raises:
        InvalidInput: a value is not a finite number.
    """
    data = _finite(values)
    if data.size < 2:
        return None
    if np.ptp(data) <= _ROUNDING * np.abs(data).max():
        return Interval(low=float(data[0]), high=float(data[0]), level=level, method="constant")
    if data.size < MINIMUM_PAIRS:
        return _student(data, level)
    return _bootstrap(data, level, seed)


def sign_flip_test(differences: Sequence[float], *, seed: int = 0) -> PermutationTest:
    """Test that paired differences are centred on zero, by flipping their signs.

    Exact over all sign patterns up to 2^14 of them, else a seeded sample of patterns. Zero differences are
    set aside first: flipping them changes nothing, so the p value is the same and is more often exact.

    Raises:
        InvalidInput: a value is not a finite number.
    """
    data = _finite(differences)
    data = data[data != 0]
    if data.size == 0:
        return PermutationTest(1.0, "exact")
    observed, slack = abs(float(data.sum())), _ROUNDING * float(np.abs(data).sum())
    if data.size <= _EXACT_UP_TO_PAIRS:
        hits = int((np.abs(_all_signs(data.size) @ data) >= observed - slack).sum())
        return PermutationTest(hits / 2**data.size, "exact")
    hits = _random_hits(data, observed - slack, np.random.default_rng(seed))
    return PermutationTest((hits + 1) / (_PERMUTATIONS + 1), "monte carlo")


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


def detectable_difference(
    standard_deviation: float, n_pairs: int, *, alpha: float = 0.05, power: float = 0.8
) -> float | None:
    """Return the true mean difference that a two-sided paired test finds with this power.

    For a family of m contrasts give ``alpha / m``, the level of Holm's first step. None where it has no
    meaning: fewer than `MINIMUM_PAIRS` pairs, which are not tested, or no variation to judge by.
    """
    if n_pairs < MINIMUM_PAIRS or not standard_deviation > 0:
        return None
    critical = float(stats.t.ppf(1 - alpha / 2, n_pairs - 1))
    spreads, weights = _sample_deviations(n_pairs - 1)

    def shortfall(shift: float) -> float:
        # A t statistic is a normal one over the sample's own deviation: average over what that may be.
        # (The noncentral t of scipy answers NaN for small samples.)
        beyond = special.ndtr(shift - critical * spreads) + special.ndtr(-shift - critical * spreads)
        return float(weights @ beyond) - power

    highest = critical + 1.0
    while shortfall(highest) < 0:
        highest *= 1.5
    shift = float(optimize.brentq(shortfall, 0.0, highest, xtol=1e-10))
    return shift * standard_deviation / math.sqrt(n_pairs)


def compare(treatment: Repeats, baseline: Repeats, *, level: float = 0.95, seed: int = 0) -> Comparison:
    """Compare two sides paired by sample.

    Under `MINIMUM_PAIRS` pairs the difference is reported without interval or p, and the note says so.

    Raises:
        InvalidInput: a value is not a finite number.
    """
    differences, missing = pair(treatment, baseline)
    values = list(differences.values())
    n = len(values)
    tested = n >= MINIMUM_PAIRS
    test = sign_flip_test(values, seed=seed) if tested else None
    return Comparison(
        difference=_mean(values) if values else None,
        interval=mean_interval(values, level=level, seed=seed) if tested else None,
        p=test.p if test else None,
        p_method=test.method if test else "",
        n_pairs=n,
        missing=missing,
        wins=sum(value > 0 for value in values),
        losses=sum(value < 0 for value in values),
        ties=sum(value == 0 for value in values),
        standard_deviation=float(np.std(values, ddof=1)) if n > 1 else None,
        note="" if tested else f"{n} pairs: at least {MINIMUM_PAIRS} are needed to test a difference",
    )


def judge(
    comparison: Comparison, p_adjusted: float | None, *, higher_is_better: bool, alpha: float = 0.05
) -> Verdict:
    """Decide what may be claimed: interval and adjusted p must both say that there is a difference."""
    difference, interval = comparison.difference, comparison.interval
    if difference is None or interval is None or p_adjusted is None:
        return Verdict.UNDECIDED
    if not interval.excludes_zero or p_adjusted > alpha:
        return Verdict.UNDECIDED
    return Verdict.BETTER if (difference > 0) == higher_is_better else Verdict.WORSE


def _finite(values: Sequence[float]) -> _Floats:
    data = np.asarray(values, dtype=np.float64)
    if not np.isfinite(data).all():
        raise InvalidInput("a value to be averaged is not a finite number; leave missing values out instead")
    return data


def _mean(values: Sequence[float]) -> float:
    return math.fsum(_finite(values)) / len(values)


def _student(data: _Floats, level: float) -> Interval:
    half = float(stats.t.ppf((1 + level) / 2, data.size - 1) * stats.sem(data))
    centre = float(data.mean())
    return Interval(low=centre - half, high=centre + half, level=level, method="t")


def _bootstrap(data: _Floats, level: float, seed: int) -> Interval:
    interval = _resample(data, level, seed, "BCa")
    return interval or _resample(data, level, seed, "percentile") or _student(data, level)


def _resample(data: _Floats, level: float, seed: int, method: str) -> Interval | None:
    with warnings.catch_warnings():
        # scipy warns and answers NaN where BCa is not defined; the caller's next method answers that.
        warnings.simplefilter("ignore")
        found = stats.bootstrap(
            (data,),
            np.mean,
            confidence_level=level,
            n_resamples=_RESAMPLES,
            batch=max(1, _BATCH_CELLS // data.size),
            method=method,
            rng=np.random.default_rng(seed),
        ).confidence_interval
    if not (math.isfinite(found.low) and math.isfinite(found.high)):
        return None
    return Interval(low=float(found.low), high=float(found.high), level=level, method=method.lower())


@cache
def _sample_deviations(df: int) -> tuple[_Floats, _Floats]:
    """Return nodes and weights that average over a sample's standard deviation when the true one is 1."""
    chi, scale = stats.chi(df), math.sqrt(df)
    low, high = chi.ppf(1e-12) / scale, chi.isf(1e-12) / scale
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    spreads = low + (nodes + 1) / 2 * (high - low)
    density = weights * chi.pdf(spreads * scale)
    return spreads, density / density.sum()


def _all_signs(n: int) -> npt.NDArray[np.int64]:
    patterns = np.arange(2**n, dtype=np.int64)[:, None] >> np.arange(n, dtype=np.int64)
    return (patterns & 1) * 2 - 1


def _random_hits(data: _Floats, threshold: float, rng: np.random.Generator) -> int:
    hits, left = 0, _PERMUTATIONS
    while left:
        rows = min(left, max(1, _BATCH_CELLS // data.size))
        signs = rng.integers(0, 2, size=(rows, data.size)) * 2 - 1
        hits += int((np.abs(signs @ data) >= threshold).sum())
        left -= rows
    return hits
