from __future__ import annotations

import pytest
from statsmodels.stats.power import TTestPower

from nightschool.experiments.statistics import detectable_difference, power_of


@pytest.mark.parametrize(("effect", "n"), [(0.3, 24), (0.5, 12), (0.1, 200)])
def test_power_agrees_with_statsmodels(effect: float, n: int) -> None:
    expected = TTestPower().power(effect / 0.8, n, 0.05)
    assert pytest.approx(float(expected), abs=1e-4) == power_of(effect, 0.8, n)


def test_the_detectable_difference_has_the_power_asked_for() -> None:
    effect = detectable_difference(0.4, 30, power=0.9)
    assert effect is not None
    assert pytest.approx(0.9, abs=1e-6) == power_of(effect, 0.4, 30)


def test_no_difference_is_found_as_often_as_the_level_says() -> None:
    assert pytest.approx(0.05, abs=1e-3) == power_of(0.0, 0.4, 30)


def test_without_pairs_or_variation_there_is_no_power() -> None:
    assert (None, None) == (power_of(0.1, 0.4, 5), power_of(0.1, 0.0, 50))
