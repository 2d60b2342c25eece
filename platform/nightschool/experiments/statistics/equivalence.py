"""When two sides are the same for all that matters, and which arms may be the best.

"No difference was found" is not "there is none". Two sides are called equivalent only when a difference as
large as the smallest that would matter is itself rejected, in both directions (two one-sided tests;
Schuirmann 1987). Pure. Knows nothing about where δ comes from: it has to be declared before the first trial.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy import stats

from nightschool.core.errors import InvalidInput
from nightschool.experiments.statistics.correction import holm
from nightschool.experiments.statistics.interval import MINIMUM_PAIRS
from nightschool.experiments.statistics.pairing import Repeats, finite, mean, pair
from nightschool.experiments.statistics.permutation import sign_flip_test

__all__ = ["BestSet", "best_set", "equivalence_p"]

_ROUNDING: Final = 1e-12


def equivalence_p(
    differences: Sequence[float],
    delta: float,
    *,
    standard_error: float | None = None,
    degrees_of_freedom: float | None = None,
) -> float | None:
    """Return the p value of "the true mean difference is δ or more, either way".

    At or below α the interval of level 1 − 2α lies inside ±δ.

    Args:
        differences: paired, one per sample.
        delta: the smallest difference that would matter.
        standard_error: of their mean, where samples share sources; from the differences themselves if absent.
        degrees_of_freedom: that go with it.

    Returns:
        None below `MINIMUM_PAIRS` differences.

    Raises:
        InvalidInput: δ is not above zero, or a value is not finite.
    """
    if not (delta > 0 and math.isfinite(delta)):
        raise InvalidInput(f"the smallest difference that matters must be above 0, not {delta}")
    data = finite(differences)
    if data.size < MINIMUM_PAIRS:
        return None
    centre = mean(list(data))
    error = float(stats.sem(data)) if standard_error is None else standard_error
    freedom = data.size - 1 if degrees_of_freedom is None else degrees_of_freedom
    if error <= _ROUNDING * float(np.abs(data).max()):
        return 0.0 if abs(centre) < delta * (1 - _ROUNDING) else 1.0
    above = float(stats.t.sf((centre + delta) / error, freedom))
    below = float(stats.t.cdf((centre - delta) / error, freedom))
    return max(above, below)


@dataclass(frozen=True, slots=True, kw_only=True)
class BestSet:
    """The arms that may be the best one; the true best is among them with the stated confidence."""

    arms: tuple[str, ...]
    """In the order of their means, the highest standing first."""
    excluded: Mapping[str, str]
    """Arm to the arm that beats it."""
    alpha: float


def best_set(
    arms: Mapping[str, Repeats], *, higher_is_better: bool = True, alpha: float = 0.05, seed: int = 0
) -> BestSet:
    """Return the arms that no other arm is shown to beat.

    An arm leaves when one of its rivals is better by a one-sided paired test, corrected by Holm over that
    arm's rivals. The best arm is therefore excluded with probability α at most, however many rivals it has.

    Raises:
        InvalidInput: a value is not a finite number.
    """
    sign = 1.0 if higher_is_better else -1.0
    excluded: dict[str, str] = {}
    for arm, own in arms.items():
        rivals = {
            rival: _one_sided_p(theirs, own, sign, seed) for rival, theirs in arms.items() if rival != arm
        }
        beaten = [(p, rival) for rival, p in holm(rivals).items() if p is not None and p <= alpha]
        if beaten:
            excluded[arm] = min(beaten)[1]
    remaining = sorted(
        (arm for arm in arms if arm not in excluded), key=lambda arm: -sign * _level(arms[arm])
    )
    return BestSet(arms=tuple(remaining), excluded=excluded, alpha=alpha)


def _one_sided_p(treatment: Repeats, baseline: Repeats, sign: float, seed: int) -> float | None:
    """Return the p value of "treatment is not better"; None with too few pairs."""
    differences = np.array(list(pair(treatment, baseline).differences.values())) * sign
    if differences.size < MINIMUM_PAIRS:
        return None
    two_sided = sign_flip_test(differences.tolist(), seed=seed).p
    # Flipping signs is symmetric: half of the patterns at least as far out lie on the side observed.
    return two_sided / 2 if differences.sum() > 0 else 1 - two_sided / 2


def _level(repeats: Repeats) -> float:
    values = [value for epochs in repeats.values() for value in epochs.values()]
    return mean(values) if values else -math.inf
