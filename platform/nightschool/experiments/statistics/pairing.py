"""Numbers by sample and repeat, and what two sides have in common. Knows nothing about intervals or tests.

The sample is the unit: repeats are averaged inside it first, because pooling them makes every interval too
narrow.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from nightschool.core.errors import InvalidInput

__all__ = [
    "Floats",
    "Pairs",
    "Repeats",
    "finite",
    "mean",
    "pair",
    "sample_means",
]

Repeats = Mapping[str, Mapping[int, float]]
"""One number per sample and repeat: ``{sample_id: {epoch: value}}``."""

Floats = npt.NDArray[np.float64]
"""Numbers in a row."""


class Pairs(NamedTuple):
    """Differences by sample, and the samples that could not be paired."""

    differences: dict[str, float]
    missing: tuple[str, ...]


def sample_means(repeats: Repeats) -> dict[str, float]:
    """Average the repeats inside each sample; a sample without repeats is left out.

    Raises:
        InvalidInput: a value is not a finite number.
    """
    return {sample: mean(list(values.values())) for sample, values in sorted(repeats.items()) if values}


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
            differences[sample] = mean([ours[epoch] - theirs[epoch] for epoch in shared])
        else:
            missing.append(sample)
    return Pairs(differences, tuple(missing))


def finite(values: Sequence[float]) -> Floats:
    """Return the values as an array.

    Raises:
        InvalidInput: one of them is not a finite number.
    """
    data = np.asarray(values, dtype=np.float64)
    if not np.isfinite(data).all():
        raise InvalidInput("a value to be averaged is not a finite number; leave missing values out instead")
    return data


def mean(values: Sequence[float]) -> float:
    """Return the mean, summed without rounding error on the way. Raises as `finite`."""
    return math.fsum(finite(values)) / len(values)
