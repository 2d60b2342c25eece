"""What memory did: gain with its interval, harm beside it, and what only looks like learning. Pure.

The unit is the contract: repeats of one are averaged first. A success rate that grows over a session of
work is no learning: the tasks that came later may be easier.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from nightschool.experiments.statistics.comparison import Comparison, Verdict, compare, judge
from nightschool.experiments.statistics.correction import holm

__all__ = ["ArmEffect", "Retention", "effects", "order_artefact", "order_spread", "retention"]

Results = Mapping[str, Mapping[int, float]]
"""Sample to the results of its repeats, 0 to 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmEffect:
    """One arm against another on the contracts of the test."""

    arm: str
    baseline: str
    success: float
    baseline_success: float
    comparison: Comparison
    verdict: Verdict
    gained: float | None
    """P(passes with memory | failed without); None when nothing failed."""
    harmed: float | None
    """P(fails with memory | passed without); None when nothing passed."""
    failed_without: int = 0
    """Pairs of results that ``gained`` is a share of."""
    passed_without: int = 0
    """Pairs of results that ``harmed`` is a share of."""


class _Flips(NamedTuple):
    gained: float | None
    harmed: float | None
    failed_without: int
    passed_without: int


def _rate(results: Results) -> float:
    return float(np.mean([np.mean(list(repeats.values())) for repeats in results.values()]))


def _flips(treatment: Results, baseline: Results) -> _Flips:
    pairs = [
        (one, baseline[sample][repeat])
        for sample, repeats in treatment.items()
        for repeat, one in repeats.items()
    ]
    gained = [one for one, other in pairs if other < 0.5]
    harmed = [1.0 - one for one, other in pairs if other >= 0.5]
    return _Flips(
        gained=float(np.mean(gained)) if gained else None,
        harmed=float(np.mean(harmed)) if harmed else None,
        failed_without=len(gained),
        passed_without=len(harmed),
    )


def effects(results: Mapping[str, Results], baseline: str, *, seed: int = 0) -> list[ArmEffect]:
    """Return every arm's effect against one of them, corrected for their number (Holm)."""
    others = [arm for arm in results if arm != baseline]
    found = {arm: compare(results[arm], results[baseline], seed=seed) for arm in others}
    adjusted = holm({arm: found[arm].p for arm in others})
    made = []
    for arm in others:
        flips = _flips(results[arm], results[baseline])
        made.append(
            ArmEffect(
                arm=arm,
                baseline=baseline,
                success=_rate(results[arm]),
                baseline_success=_rate(results[baseline]),
                comparison=found[arm],
                verdict=judge(found[arm], adjusted[arm], higher_is_better=True),
                gained=flips.gained,
                harmed=flips.harmed,
                failed_without=flips.failed_without,
                passed_without=flips.passed_without,
            )
        )
    return made


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """What happens to the trades that were learnt from, as more is learnt."""

    table: tuple[tuple[float, ...], ...]
    """Success on trade j (column) after i dreams (row); row 0 is without memory."""
    backward_transfer: float
    """What later dreams added to trades learnt earlier: mean of s(n, j) - s(j, j)."""
    forgetting: float
    """What was once reached and then lost: mean over trades of the best s(i, j) - s(n, j)."""
    forward_transfer: float
    """What earlier dreams gave to a trade before its own: mean of s(j - 1, j) - s(0, j)."""


def retention(table: Sequence[Sequence[float]]) -> Retention:
    """Return backward and forward transfer and forgetting from the table of successes."""
    rows = np.array(table, dtype=float)
    count = rows.shape[1]
    own = np.array([rows[place + 1, place] for place in range(count)])
    before = np.array([rows[place, place] for place in range(count)])
    return Retention(
        table=tuple(map(tuple, rows.tolist())),
        backward_transfer=float((rows[-1] - own)[:-1].mean()) if count > 1 else 0.0,
        forgetting=float((rows.max(axis=0) - rows[-1]).mean()),
        forward_transfer=float((before - rows[0])[1:].mean()) if count > 1 else 0.0,
    )


def order_spread(curves: Sequence[Sequence[float]]) -> tuple[float, float]:
    """Return the least and the most success halfway, over the orders in which sessions came."""
    halfway = [curve[len(curve) // 2] for curve in curves]
    return min(halfway), max(halfway)


def order_artefact(
    results: Sequence[float], *, seed: int = 0, orders: int = 2000
) -> tuple[float, float, float]:
    """Return second half minus first half of a series without memory, and the range chance gives (95 %).

    A difference inside the range, or any at all in an arm without memory, is an effect of the order of tasks.
    """
    values = np.asarray(results, dtype=float)
    half = len(values) // 2
    rng = np.random.default_rng(seed)
    shuffles = rng.permuted(np.tile(values, (orders, 1)), axis=1)
    chance = shuffles[:, half:].mean(axis=1) - shuffles[:, :half].mean(axis=1)
    low, high = np.percentile(chance, [2.5, 97.5])
    return float(values[half:].mean() - values[:half].mean()), float(low), float(high)
