from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nightschool.core.errors import InvalidInput
from nightschool.experiments.statistics import front, uncertain_front

POINTS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=12)


@given(POINTS)
def test_what_is_off_the_front_is_dominated_by_something_on_it(points: list[tuple[int, int]]) -> None:
    table = np.array(points, dtype=float)
    on = front(table, (True, False))
    assert on.any()
    for index, (quality, cost) in enumerate(points):
        rivals = [
            points[other]
            for other in np.flatnonzero(on)
            if points[other][0] >= quality and points[other][1] <= cost and points[other] != (quality, cost)
        ]
        assert bool(rivals) != bool(on[index])


def by_sample(values: list[float]) -> dict[str, float]:
    return {f"s{i}": value for i, value in enumerate(values)}


def test_an_arm_that_is_worse_in_everything_is_never_on_the_front() -> None:
    arms = {
        "good": [by_sample([0.9, 0.8, 0.9]), by_sample([1.0, 1.0, 1.0])],
        "bad": [by_sample([0.1, 0.2, 0.1]), by_sample([2.0, 2.0, 3.0])],
        "cheap": [by_sample([0.1, 0.2, 0.1]), by_sample([0.1, 0.1, 0.1])],
    }
    good, bad, cheap = uncertain_front(arms, (True, False))
    assert (True, 1.0, {}) == (good.on_front, good.on_front_probability, good.dominated_by)
    assert (False, 0.0, {"cheap": 1.0, "good": 1.0}) == (
        bad.on_front,
        bad.on_front_probability,
        dict(bad.dominated_by),
    )
    assert cheap.on_front


def test_an_uncertain_difference_is_told_as_a_probability() -> None:
    rng = np.random.default_rng(1)
    arms = {
        "a": [by_sample(list(rng.normal(0.50, 0.2, 20))), by_sample([1.0] * 20)],
        "b": [by_sample(list(rng.normal(0.50, 0.2, 20))), by_sample([1.0] * 20)],
    }
    places = uncertain_front(arms, (True, False))
    assert 1.0 == pytest.approx(sum(place.on_front_probability for place in places))
    assert all(0.01 < place.on_front_probability < 0.99 for place in places)


def test_the_same_seed_gives_the_same_places() -> None:
    arms = {"a": [by_sample([0.1, 0.9])], "b": [by_sample([0.4, 0.5])]}
    assert uncertain_front(arms, (True,), seed=3) == uncertain_front(arms, (True,), seed=3)


def test_only_samples_that_all_have_are_compared() -> None:
    with pytest.raises(InvalidInput, match="no sample"):
        uncertain_front({"a": [{"x": 1.0}], "b": [{"y": 1.0}]}, (True,))
    with pytest.raises(InvalidInput, match="needs 2 quantities"):
        uncertain_front({"a": [{"x": 1.0}]}, (True, False))
    with pytest.raises(InvalidInput, match="do not fit"):
        front(np.ones((2, 3)), (True,))
