from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
from statsmodels.stats.power import TTestPower

from nightschool.experiments.statistics import Verdict, compare, detectable_difference, judge, power_of


@pytest.mark.parametrize(("effect", "n"), [(0.3, 24), (0.5, 12), (0.1, 200)])
def test_power_in_a_family_agrees_with_statsmodels(effect: float, n: int) -> None:
    expected = TTestPower().power(effect / 0.8, n, 0.05 / 10)
    assert pytest.approx(float(expected), abs=1e-4) == power_of(effect, 0.8, n, family=10)


def test_the_detectable_difference_has_the_power_asked_for() -> None:
    effect = detectable_difference(0.4, 30, power=0.9)
    assert effect is not None
    assert pytest.approx(0.9, abs=1e-6) == power_of(effect, 0.4, 30)


def test_no_difference_is_found_in_fewer_experiments_than_the_level_says() -> None:
    found = power_of(0.0, 0.4, 30)
    assert found is not None
    assert 0.02 < found < 0.04


@pytest.mark.parametrize("n", [12, 24, 60, 150])
def test_single_outcomes_are_counted_out(n: int) -> None:
    """Drawn experiments are claimed as often as the count of all possible ones says."""
    won, lost, drawn = 0.45, 0.1, 1_500
    planned = power_of(won - lost, math.sqrt(won + lost - (won - lost) ** 2), n, step=1)
    outcomes = np.random.default_rng(n).choice([1.0, -1.0, 0.0], p=[won, lost, 0.45], size=(drawn, n))
    claimed = sum(_is_claimed(n, int((row > 0).sum()), int((row < 0).sum())) for row in outcomes)
    assert planned is not None
    assert abs(claimed / drawn - planned) < 0.04


@cache
def _is_claimed(n: int, wins: int, losses: int) -> bool:
    ours = {f"s{i}": {0: float(i < wins)} for i in range(n)}
    theirs = {f"s{i}": {0: float(wins <= i < wins + losses)} for i in range(n)}
    found = compare(ours, theirs)
    return judge(found, found.p, higher_is_better=True) is not Verdict.UNDECIDED


def test_right_or_wrong_outcomes_need_a_larger_difference_than_scores() -> None:
    scores, outcomes = detectable_difference(0.5, 24), detectable_difference(0.5, 24, step=1)
    assert scores is not None
    assert outcomes is not None
    assert scores < outcomes


def test_where_no_difference_could_be_found_so_often_there_is_none() -> None:
    assert detectable_difference(0.5, 6, step=1, family=100) is None
    assert pytest.approx(0.0, abs=1e-12) == power_of(1.0, 0.5, 6, step=1, family=100)


def test_without_pairs_or_variation_there_is_no_power() -> None:
    assert (None, None) == (power_of(0.1, 0.4, 5), power_of(0.1, 0.0, 50))
