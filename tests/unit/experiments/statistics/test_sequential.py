from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from nightschool.core.errors import InvalidInput
from nightschool.experiments.statistics import anytime_interval, anytime_p

Row = npt.NDArray[np.float64]
VALUES = st.lists(st.floats(-1, 1).map(lambda v: round(v, 3)), min_size=12, max_size=60).filter(
    lambda values: np.ptp(values) > 0.01
)


def ever_missed(draws: Row, truth: float) -> bool:
    looks = (anytime_interval(draws[:n].tolist()) for n in range(6, len(draws) + 1, 2))
    return any(not look.low <= truth <= look.high for look in looks if look is not None)


def normal(rng: np.random.Generator) -> Row:
    return rng.normal(0.1, 0.3, 100)


def right_or_wrong(rng: np.random.Generator) -> Row:
    return rng.choice([-1.0, 0.0, 1.0], 100, p=[0.2, 0.5, 0.3])


@pytest.mark.parametrize("draw", [normal, right_or_wrong])
def test_looking_after_every_second_sample_misses_no_more_often_than_promised(
    draw: Callable[[np.random.Generator], Row],
) -> None:
    rng, runs = np.random.default_rng(6), 150
    missed = sum(ever_missed(draw(rng), 0.1) for _ in range(runs))
    assert missed / runs <= 0.08


@given(VALUES)
def test_it_is_wider_than_an_interval_for_one_look(values: list[float]) -> None:
    found = anytime_interval(values)
    low, high = stats.t.interval(0.95, len(values) - 1, loc=np.mean(values), scale=stats.sem(values))
    assert found is None or (found.low <= low + 1e-12 and high - 1e-12 <= found.high)


@given(VALUES)
def test_interval_and_p_value_say_the_same(values: list[float]) -> None:
    found, p = anytime_interval(values), anytime_p(values)
    if found is not None and min(abs(found.low), abs(found.high)) > 1e-9:
        assert found.excludes_zero == (p < 0.05)


def test_it_narrows_as_samples_come_in() -> None:
    values = list(np.random.default_rng(1).normal(0.5, 0.2, 400))
    widths = [
        found.high - found.low
        for n in (10, 50, 200, 400)
        if (found := anytime_interval(values[:n])) is not None
    ]
    assert sorted(widths, reverse=True) == widths
    assert 0.07 > widths[-1]


@pytest.mark.parametrize("values", [[], [0.1] * 3, [0.2] * 30])
def test_it_says_nothing_of_too_few_values_or_of_equal_ones(values: list[float]) -> None:
    assert (None, 1.0) == (anytime_interval(values), anytime_p(values))


def test_a_design_without_samples_is_refused() -> None:
    with pytest.raises(InvalidInput, match="at least 1"):
        anytime_interval([0.1] * 10, expected=0)
