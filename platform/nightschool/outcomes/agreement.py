"""How far raters agree beyond chance: Cohen's kappa for two, Krippendorff's alpha for any number.

Pure. Knows nothing about what is rated or by whom. Undefined agreement (nothing varies, or nobody rated the
same thing twice) is None, never 1.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import Literal

from nightschool.core.errors import InvalidInput

__all__ = ["cohen_kappa", "krippendorff_alpha"]


def cohen_kappa(first: Sequence[Hashable], second: Sequence[Hashable]) -> float | None:
    """Return Cohen's kappa of two raters who rated the same things; None where nothing varies.

    Raises:
        InvalidInput: they did not rate equally many things, or none.
    """
    if len(first) != len(second) or not first:
        raise InvalidInput(f"kappa needs two ratings of the same things, not {len(first)} and {len(second)}")
    count = len(first)
    observed = sum(a == b for a, b in zip(first, second, strict=True)) / count
    ours, theirs = Counter(first), Counter(second)
    by_chance = sum(ours[label] * theirs[label] for label in ours) / count**2
    return None if by_chance == 1 else (observed - by_chance) / (1 - by_chance)


def krippendorff_alpha(
    units: Sequence[Sequence[float | None]], *, level: Literal["nominal", "interval"] = "interval"
) -> float | None:
    """Return Krippendorff's alpha; None where nothing varies.

    Args:
        units: the ratings of each thing, one per rater; None where a rater gave none. A thing with fewer
            than two ratings says nothing about agreement and is left out.
        level: whether ratings are labels, or numbers whose distance counts.
    """
    rated = [[value for value in unit if value is not None] for unit in units]
    pairable = [unit for unit in rated if len(unit) > 1]
    values = [value for unit in pairable for value in unit]
    if not values:
        return None
    distance = _differs if level == "nominal" else _squared
    within = math.fsum(_disagreement(unit, distance) / (len(unit) - 1) for unit in pairable) / len(values)
    expected = _disagreement(values, distance) / (len(values) * (len(values) - 1))
    return None if expected == 0 else 1 - within / expected


def _disagreement(values: Sequence[float], distance: Callable[[float, float], float]) -> float:
    """Return the distances of all ordered pairs together."""
    return 2 * math.fsum(distance(a, b) for a, b in itertools.combinations(values, 2))


def _differs(a: float, b: float) -> float:
    return float(a != b)


def _squared(a: float, b: float) -> float:
    return (a - b) ** 2
