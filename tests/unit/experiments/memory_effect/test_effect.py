"""The figures of the memory experiment, tried on worlds whose truth is known."""

from __future__ import annotations

import pytest

from nightschool.experiments.memory_effect.effect import (
    effects,
    order_artefact,
    order_spread,
    retention,
)
from nightschool.experiments.memory_effect.worlds import share_of
from nightschool.experiments.statistics.comparison import Verdict

SEEDS = 120


@pytest.mark.timeout(300)
def test_two_equal_arms_cannot_be_told_apart_in_19_of_20_worlds() -> None:
    assert share_of(Verdict.UNDECIDED, 0.0, SEEDS) >= 0.95


@pytest.mark.timeout(300)
@pytest.mark.parametrize(("lift", "verdict"), [(0.15, Verdict.BETTER), (-0.15, Verdict.WORSE)])
def test_fifteen_points_are_found_in_four_of_five_worlds(lift: float, verdict: Verdict) -> None:
    assert share_of(verdict, lift, SEEDS) >= 0.8


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
