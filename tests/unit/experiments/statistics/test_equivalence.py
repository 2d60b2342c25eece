from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.weightstats import DescrStatsW

from nightschool.core.errors import InvalidInput
from nightschool.experiments.statistics import best_set, equivalence_p

VALUES = st.lists(st.floats(-1, 1).map(lambda v: round(v, 3)), min_size=6, max_size=40).filter(
    lambda values: np.ptp(values) > 0.01
)
Table = dict[str, dict[int, float]]


@given(VALUES, st.floats(0.01, 2))
def test_it_agrees_with_statsmodels(values: list[float], delta: float) -> None:
    expected = DescrStatsW(values).ttost_mean(-delta, delta)[0]
    assert pytest.approx(float(expected), abs=1e-9) == equivalence_p(values, delta)


@given(VALUES, st.floats(0.01, 2))
def test_it_says_the_same_as_an_interval_inside_the_margin(values: list[float], delta: float) -> None:
    low, high = stats.t.interval(0.9, len(values) - 1, loc=np.mean(values), scale=stats.sem(values))
    p = equivalence_p(values, delta)
    assert p is not None
    if min(abs(low + delta), abs(high - delta)) > 1e-9:
        assert (p <= 0.05) == (-delta < low and high < delta)


@pytest.mark.parametrize("delta", [0.0, -0.1, float("inf"), float("nan")])
def test_a_margin_that_is_none_is_refused(delta: float) -> None:
    with pytest.raises(InvalidInput, match="above 0"):
        equivalence_p([0.0] * 6, delta)


def test_with_too_few_pairs_nothing_is_called_the_same() -> None:
    assert equivalence_p([0.0] * 5, 0.1) is None


@pytest.mark.parametrize(("value", "expected"), [(0.05, 0.0), (0.1, 1.0), (-0.2, 1.0)])
def test_differences_that_do_not_vary_are_inside_or_not(value: float, expected: float) -> None:
    assert expected == equivalence_p([value] * 6, 0.1)


def test_sides_that_differ_by_the_margin_are_rarely_called_the_same() -> None:
    rng = np.random.default_rng(4)
    called = sum((equivalence_p(list(rng.normal(0.1, 0.2, 24)), 0.1) or 0.0) <= 0.05 for _ in range(600))
    assert called / 600 <= 0.075


def arms(*means: float, seed: int, samples: int = 24) -> dict[str, Table]:
    rng = np.random.default_rng(seed)
    level = rng.normal(0, 0.3, samples)
    return {
        f"arm{i}": {f"s{j}": {0: float(v)} for j, v in enumerate(level + rng.normal(m, 0.1, samples))}
        for i, m in enumerate(means)
    }


def test_an_arm_that_is_beaten_leaves_and_says_by_which() -> None:
    found = best_set(arms(0.0, 0.5, 0.5, seed=1))
    assert {"arm0"} == found.excluded.keys()
    assert {"arm1", "arm2"} == set(found.arms)


def test_less_may_be_better() -> None:
    assert ("arm0",) == best_set(arms(0.0, 0.5, 0.5, seed=1), higher_is_better=False).arms


def test_too_few_samples_exclude_nobody() -> None:
    assert 3 == len(best_set(arms(0.0, 5.0, 9.0, seed=1, samples=5)).arms)


def test_equal_arms_stay_together_nearly_always() -> None:
    """The one that is best by right is any of them: each may be excluded in 5 % of the experiments."""
    excluded = sum("arm0" in best_set(arms(0.0, 0.0, 0.0, seed=s, samples=10)).excluded for s in range(150))
    assert excluded / 150 <= 0.09


@given(st.integers(0, 10_000))
@settings(max_examples=25)
def test_somebody_is_always_left(seed: int) -> None:
    assert best_set(arms(0.0, 0.1, 0.2, seed=seed, samples=8)).arms
