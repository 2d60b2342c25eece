"""A ratio of means over shared samples, and how far it may be off."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nightschool.core.errors import InvalidInput
from nightschool.experiments.statistics import MINIMUM_PAIRS, ratio_of_means

SIDES = st.dictionaries(st.sampled_from("abcdefghij"), st.floats(0.01, 1), min_size=MINIMUM_PAIRS)


def numbered(*values: float) -> dict[str, float]:
    return {str(number): value for number, value in enumerate(values)}


def test_the_means_are_divided_and_not_the_samples() -> None:
    found = ratio_of_means(numbered(1, 0, 1), numbered(1, 0.5, 0))

    assert found is not None
    assert (2 / 1.5, 3) == (found.value, found.n)


def test_only_samples_that_both_sides_have_count() -> None:
    found = ratio_of_means({"a": 0.4, "b": 9.0}, {"a": 0.2, "c": 7.0})

    assert found is not None
    assert (2.0, 1, None) == (found.value, found.n, found.interval)


@pytest.mark.parametrize("below", [{}, {"a": 0.0}, {"b": 1.0}])
def test_without_anything_to_divide_by_there_is_no_ratio(below: dict[str, float]) -> None:
    assert ratio_of_means({"a": 1.0}, below) is None


def test_a_baseline_that_hardly_ever_errs_leaves_no_interval() -> None:
    found = ratio_of_means(numbered(*[0.5] * 8), numbered(1, *[0.0] * 7))

    assert found is not None
    assert (4.0, None) == (found.value, found.interval)


@pytest.mark.parametrize("value", [-0.1, float("nan")])
def test_what_cannot_be_a_rate_is_refused(value: float) -> None:
    with pytest.raises(InvalidInput):
        ratio_of_means({"a": value}, {"a": 1.0})


@given(SIDES)
def test_a_side_against_itself_is_one(side: dict[str, float]) -> None:
    found = ratio_of_means(side, side)

    assert found is not None
    assert found.interval is not None
    assert 1 == found.value == found.interval.low == found.interval.high


def test_the_interval_holds_the_true_ratio_about_as_often_as_it_says() -> None:
    """200 experiments of 20 samples whose error rates are 0.4 and 0.2; 3 standard errors are 4.6 %."""
    rng, held = np.random.default_rng(5), 0
    for seed in range(200):
        hardness = rng.beta(2, 2, 20) * 2
        upper, lower = (rng.binomial(8, hardness * rate) / 8 for rate in (0.4, 0.2))
        found = ratio_of_means(numbered(*upper), numbered(*lower), seed=seed)
        assert found is not None
        assert found.interval is not None
        held += found.interval.low <= 2 <= found.interval.high

    assert 0.90 <= held / 200
