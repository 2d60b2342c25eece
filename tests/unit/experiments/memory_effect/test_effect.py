"""The figures of the memory experiment, tried on worlds whose truth is known."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from nightschool.experiments.memory_effect.effect import (
    effects,
    order_artefact,
    order_spread,
    retention,
)
from nightschool.experiments.statistics.comparison import Verdict

TASKS, TRIALS = 50, 2
SEEDS = 120


def _world(seed: int, lift: float) -> dict[str, Mapping[str, Mapping[int, float]]]:
    """Draw two arms on tasks of differing difficulty; the second succeeds more often by ``lift``."""
    rng = np.random.default_rng(seed)
    chance = np.where(rng.random(TASKS) < 0.7, np.round(rng.random(TASKS)), rng.random(TASKS))
    moved = np.clip(chance + lift * TASKS / max(1, _movable(chance, lift)) * _can_move(chance, lift), 0, 1)
    made: dict[str, Mapping[str, Mapping[int, float]]] = {}
    for name, rates in (("none", chance), ("memory", moved)):
        drawn = rng.random((TASKS, TRIALS)) < rates[:, None]
        made[name] = {f"t{task}": dict(enumerate(map(float, row))) for task, row in enumerate(drawn)}
    return made


def _can_move(chance: np.ndarray, lift: float) -> np.ndarray:
    return (chance < 0.5) if lift > 0 else (chance > 0.5)


def _movable(chance: np.ndarray, lift: float) -> int:
    return int(_can_move(chance, lift).sum())


def _verdicts(lift: float) -> list[Verdict]:
    return [effects(_world(seed, lift), "none", seed=seed)[0].verdict for seed in range(SEEDS)]


@pytest.mark.timeout(300)
def test_two_equal_arms_cannot_be_told_apart_in_19_of_20_worlds() -> None:
    verdicts = _verdicts(0.0)

    assert verdicts.count(Verdict.UNDECIDED) >= 0.95 * SEEDS


@pytest.mark.timeout(300)
@pytest.mark.parametrize(("lift", "verdict"), [(0.15, Verdict.BETTER), (-0.15, Verdict.WORSE)])
def test_fifteen_points_are_found_in_four_of_five_worlds(lift: float, verdict: Verdict) -> None:
    assert _verdicts(lift).count(verdict) >= 0.8 * SEEDS


def test_gain_and_harm_are_counted_apart() -> None:
    none = {"a": {0: 1.0}, "b": {0: 1.0}, "c": {0: 0.0}, "d": {0: 0.0}}
    memory = {"a": {0: 1.0}, "b": {0: 0.0}, "c": {0: 1.0}, "d": {0: 1.0}}
    (found,) = effects({"none": none, "memory": memory}, "none")

    assert (0.5, 0.75) == (found.baseline_success, found.success)
    assert (1.0, 0.5) == (found.gained, found.harmed)


def test_tasks_that_get_easier_are_no_learning() -> None:
    """A series without memory that rises by 22 points: the range of chance says what that is worth."""
    rising = [*[1.0] * 8, *[0.0] * 17, *[1.0] * 13, *[0.0] * 12]
    difference, low, high = order_artefact(rising)

    assert 0.2 == pytest.approx(difference)
    assert low < -0.2 and high > difference


def test_retention_tells_transfer_from_forgetting() -> None:
    found = retention([[0.2, 0.2], [0.8, 0.4], [0.6, 0.9]])

    assert -0.2 == pytest.approx(found.backward_transfer)
    assert 0.1 == pytest.approx(found.forgetting)
    assert 0.2 == pytest.approx(found.forward_transfer)


def test_the_spread_over_orders_is_that_of_halfway() -> None:
    assert (0.4, 0.7) == order_spread([[0.1, 0.4, 0.9], [0.2, 0.7, 0.9]])
