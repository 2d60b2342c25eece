"""The mean of differences whose samples share sources, so that they are not independent of one another.

Ten questions about one report are not ten observations of the world. The standard error is cluster-robust
(CR2) and its degrees of freedom are those of these cluster sizes, which keeps the interval honest with
few and unequal clusters (Bell and McCaffrey 2002; Miller, arXiv 2411.00640, for why evaluations need it).
Pure. Knows nothing about what a source is.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from nightschool.core.errors import InvalidInput
from nightschool.experiments.statistics.interval import Interval
from nightschool.experiments.statistics.pairing import Floats, finite, mean

__all__ = ["ClusteredMean", "clustered_mean", "has_shared_sources", "source_means"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusteredMean:
    """A mean over samples of which some share a source."""

    mean: float
    standard_error: float
    degrees_of_freedom: float
    clusters: int
    interval: Interval
    p: float
    """Two-sided, of the mean being zero."""
    design_effect: float
    """The variance over that of as many independent samples; above 1 they say less than they seem to."""


def has_shared_sources(samples: Sequence[str], sources: Mapping[str, str]) -> bool:
    """Return whether two of the samples come from one source; a sample without one is its own."""
    return len({sources.get(sample, sample) for sample in samples}) < len(samples)


def source_means(values: Mapping[str, float], sources: Mapping[str, str]) -> list[float]:
    """Return the mean of each source's samples, in the order in which sources first appear.

    Raises:
        InvalidInput: a value is not a finite number.
    """
    grouped: dict[str, list[float]] = {}
    for sample, value in values.items():
        grouped.setdefault(sources.get(sample, sample), []).append(value)
    return [mean(each) for each in grouped.values()]


def clustered_mean(
    values: Mapping[str, float], sources: Mapping[str, str], *, level: float = 0.95
) -> ClusteredMean | None:
    """Return the mean of samples' values, with the error that their shared sources leave.

    Args:
        values: by sample.
        sources: sample to source; a sample that is not named is its own source.
        level: of the interval.

    Returns:
        None for fewer than two sources, or where every value is the same: there is nothing to judge by.

    Raises:
        InvalidInput: a value is not a finite number.
    """
    if not 0 < level < 1:
        raise InvalidInput(f"a level of confidence lies between 0 and 1, not {level}")
    data, labels = finite(list(values.values())), [sources.get(sample, sample) for sample in values]
    groups = sorted(set(labels))
    if len(groups) < 2 or np.ptp(data) == 0:
        return None
    index = np.array([groups.index(label) for label in labels])
    centre = mean(list(data))
    sizes = np.bincount(index).astype(np.float64)
    sums = np.bincount(index, weights=data - centre).astype(np.float64)
    error = math.sqrt(_cr2(sums, sizes))
    if error == 0:
        return None
    freedom = _degrees_of_freedom(sizes)
    half = float(stats.t.ppf((1 + level) / 2, freedom)) * error
    return ClusteredMean(
        mean=centre,
        standard_error=error,
        degrees_of_freedom=freedom,
        clusters=len(groups),
        interval=Interval(low=centre - half, high=centre + half, level=level, method="clustered"),
        p=float(2 * stats.t.sf(abs(centre) / error, freedom)),
        design_effect=error**2 / (float(np.var(data, ddof=1)) / data.size),
    )


def _cr2(sums: Floats, sizes: Floats) -> float:
    """Return the bias-reduced variance of the mean, from the residuals' sums by cluster."""
    total = float(sizes.sum())
    return float((sums**2 / (1 - sizes / total)).sum()) / total**2


def _degrees_of_freedom(sizes: Floats) -> float:
    """Return Satterthwaite's degrees of freedom of that variance; n − 1 when every cluster has one member."""
    total = float(sizes.sum())
    weights = 1 / np.sqrt(1 - sizes / total) / total
    products = -np.outer(sizes, sizes) / total
    products[np.diag_indices_from(products)] += sizes
    products *= np.outer(weights, weights)
    return float(np.trace(products) ** 2 / (products**2).sum())
