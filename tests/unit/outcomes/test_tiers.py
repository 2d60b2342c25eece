from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nightschool.core.errors import InvalidInput
from nightschool.outcomes.tiers import (
    DIMENSIONS,
    THRESHOLDS,
    Tier,
    judge,
    margin,
    passes,
    sweep,
    weighted_mean,
)

scores = st.dictionaries(st.sampled_from(DIMENSIONS), st.floats(0, 1), min_size=1)


def test_strict_asks_every_dimension_and_standard_the_mean() -> None:
    assert {"strict": False, "standard": True, "lenient": True} == judge({"accuracy": 0.89, "format": 1.0})


@pytest.mark.parametrize(("value", "expected"), [(0.9, True), (0.8999, False)])
def test_a_result_at_its_threshold_passes(value: float, expected: bool) -> None:
    assert expected is judge({"accuracy": value})["strict"]


def test_an_absent_dimension_is_not_a_zero() -> None:
    assert 0.8 == pytest.approx(weighted_mean({"accuracy": 0.8}, {"accuracy": 1, "consistency": 9}))


def test_nothing_scored_is_an_error_and_not_a_fail() -> None:
    with pytest.raises(InvalidInput, match="no dimension"):
        weighted_mean({})
    with pytest.raises(InvalidInput, match="no dimension"):
        judge({})


@given(scores)
def test_a_stricter_tier_never_passes_what_a_laxer_one_fails(given_scores: dict[str, float]) -> None:
    verdict = judge(given_scores)

    assert verdict["strict"] <= verdict["standard"] <= verdict["lenient"]


@given(scores, st.sampled_from(list(Tier)))
def test_the_margin_agrees_with_the_verdict(given_scores: dict[str, float], tier: Tier) -> None:
    assert (margin(tier, given_scores) >= -1e-12) is judge(given_scores)[tier]


@given(
    st.sampled_from(list(Tier)), st.sampled_from(DIMENSIONS), st.sampled_from([math.nan, -0.1, 1.1, math.inf])
)
def test_a_score_that_is_none_is_refused_and_never_compared(tier: Tier, name: str, score: float) -> None:
    with pytest.raises(InvalidInput, match=f"score of `{name}`"):
        passes(tier, dict.fromkeys(DIMENSIONS, 1.0) | {name: score})


@pytest.mark.parametrize("weight", [math.nan, -1.0, math.inf])
def test_a_weight_that_is_none_is_refused(weight: float) -> None:
    with pytest.raises(InvalidInput, match="weight of `accuracy`"):
        judge({"accuracy": 1.0}, {"accuracy": weight})


def test_a_dimension_of_weight_zero_has_no_say_in_the_mean_but_strict_asks_it() -> None:
    verdict = judge({"accuracy": 1.0, "format": 0.0}, {"format": 0.0})

    assert {"strict": False, "standard": True, "lenient": True} == verdict


def test_scores_that_all_weigh_nothing_have_no_mean() -> None:
    with pytest.raises(InvalidInput, match="weight above 0"):
        weighted_mean({"accuracy": 1.0}, {"accuracy": 0.0})


@given(st.floats(0, 1), st.dictionaries(st.sampled_from(DIMENSIONS), st.floats(0.01, 10)))
def test_equal_scores_have_that_mean_whatever_they_weigh(score: float, weights: dict[str, float]) -> None:
    assert score == pytest.approx(weighted_mean(dict.fromkeys(DIMENSIONS, score), weights))


@given(st.lists(scores, min_size=1), st.sampled_from(list(Tier)))
def test_the_sweep_at_a_tiers_own_threshold_is_its_pass_rate(
    results: list[dict[str, float]], tier: Tier
) -> None:
    (point,) = sweep(tier, results, [THRESHOLDS[tier]])

    assert sum(passes(tier, each) for each in results) == point.passed
    assert len(results) == point.results


@given(st.lists(scores, min_size=1), st.sampled_from(list(Tier)))
def test_the_curve_falls_as_more_is_asked(results: list[dict[str, float]], tier: Tier) -> None:
    shares = [point.share for point in sweep(tier, results, [step / 20 for step in range(21)])]

    assert 1 == shares[0]
    assert sorted(shares, reverse=True) == shares


def test_there_is_no_curve_of_nothing() -> None:
    with pytest.raises(InvalidInput, match="no result"):
        sweep(Tier.STRICT, [], [0.5])
