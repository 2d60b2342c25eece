from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nightschool.outcomes.tiers import DIMENSIONS, Tier, judge, margin, weighted_mean

scores = st.dictionaries(st.sampled_from(DIMENSIONS), st.floats(0, 1), min_size=1)


def test_strict_asks_every_dimension_and_standard_the_mean() -> None:
    assert {"strict": False, "standard": True, "lenient": True} == judge({"accuracy": 0.89, "format": 1.0})


@pytest.mark.parametrize(("value", "expected"), [(0.9, True), (0.8999, False)])
def test_a_result_at_its_threshold_passes(value: float, expected: bool) -> None:
    assert expected is judge({"accuracy": value})["strict"]


def test_an_absent_dimension_is_not_a_zero() -> None:
    assert 0.8 == pytest.approx(weighted_mean({"accuracy": 0.8}, {"accuracy": 1, "consistency": 9}))


def test_nothing_scored_is_an_error_and_not_a_fail() -> None:
    with pytest.raises(ValueError, match="no dimension"):
        weighted_mean({})


@given(scores)
def test_a_stricter_tier_never_passes_what_a_laxer_one_fails(given_scores: dict[str, float]) -> None:
    verdict = judge(given_scores)

    assert verdict["strict"] <= verdict["standard"] <= verdict["lenient"]


@given(scores, st.sampled_from(list(Tier)))
def test_the_margin_agrees_with_the_verdict(given_scores: dict[str, float], tier: Tier) -> None:
    assert (margin(tier, given_scores) >= -1e-12) is judge(given_scores)[tier]
