from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nightschool.core.errors import InvalidInput
from nightschool.experiments.statistics import pass_all, pass_any, reliability

ATTEMPTS = st.integers(1, 8).flatmap(
    lambda n: st.tuples(st.lists(st.booleans(), min_size=n, max_size=n), st.integers(1, n))
)


@given(ATTEMPTS)
def test_they_are_what_drawing_k_attempts_gives(case: tuple[list[bool], int]) -> None:
    outcomes, k = case
    draws = list(itertools.combinations(outcomes, k))
    assert pytest.approx(sum(any(d) for d in draws) / len(draws)) == pass_any(sum(outcomes), len(outcomes), k)
    assert pytest.approx(sum(all(d) for d in draws) / len(draws)) == pass_all(sum(outcomes), len(outcomes), k)


@given(st.integers(1, 10).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n))))
def test_more_attempts_help_whoever_picks_and_hurt_whoever_relies(case: tuple[int, int]) -> None:
    n, c = case
    picks, relies = ([of(c, n, k) for k in range(1, n + 1)] for of in (pass_any, pass_all))
    assert sorted(picks) == pytest.approx(picks)
    assert sorted(relies, reverse=True) == pytest.approx(relies)
    assert picks[0] == pytest.approx(relies[0]) == pytest.approx(c / n)


def test_samples_are_averaged_and_those_with_too_few_attempts_left_out() -> None:
    outcomes = {"a": {0: 1.0, 1: 1.0}, "b": {0: 1.0, 1: 0.0}, "c": {0: 1.0}}
    every, some = reliability(outcomes, 2, pass_all), reliability(outcomes, 2, pass_any)
    assert every is not None
    assert some is not None
    assert (0.5, 1.0, 2) == (every.mean, some.mean, every.samples)


def test_nobody_with_k_attempts_is_no_number() -> None:
    assert reliability({"a": {0: 1.0}}, 2, pass_all) is None


@pytest.mark.parametrize(("c", "n", "k"), [(1, 2, 0), (1, 2, 3), (3, 2, 1), (-1, 2, 1)])
def test_what_cannot_be_is_refused(c: int, n: int, k: int) -> None:
    with pytest.raises(InvalidInput):
        pass_any(c, n, k)


def test_a_share_is_no_outcome() -> None:
    with pytest.raises(InvalidInput, match="0 or 1"):
        reliability({"a": {0: 0.5}}, 1, pass_all)
    with pytest.raises(InvalidInput, match="at least 1"):
        reliability({"a": {0: 1.0}}, 0, pass_all)
