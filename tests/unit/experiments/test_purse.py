from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nightschool.experiments.purse import Purse, spent_by
from tests.unit.experiments.fakes import completed


def test_a_trial_is_paid_for_in_money_tokens_and_seconds() -> None:
    paid = completed(
        "a", "s", 0, 0.5, usage={"input_tokens": 3, "cache_read_input_tokens": 4}, cost_usd="1.25"
    )
    assert {"usd": 1.25, "tokens": 7.0, "seconds": 10.0} == spent_by(paid)


@pytest.mark.parametrize(
    ("budget", "under_way", "word"),
    [
        ({}, 100, None),
        ({"tokens": 1_000}, 0, None),
        ({"tokens": 150}, 0, "tokens"),
        ({"tokens": 400}, 1, None),
        ({"tokens": 400}, 3, "tokens"),
        ({"usd": 1.5, "grading_reserve": 0.5}, 0, "kept for grading"),
        ({"seconds": 10}, 0, "seconds"),
    ],
)
def test_a_trial_is_begun_only_when_it_still_fits(
    budget: dict[str, float], under_way: int, word: str | None
) -> None:
    purse = Purse(budget=budget)
    purse.pay(completed("a", "s", 0, 0.5, usage={"input_tokens": 100}, cost_usd="0.5"))
    found = purse.used_up(under_way)
    assert (found is None) == (word is None)
    assert word is None or word in str(found)


def test_the_first_trial_may_always_begin() -> None:
    assert Purse(budget={"usd": 0.01}).used_up(0) is None


@pytest.mark.parametrize(("cap", "broken"), [("trial_tokens", True), ("trial_usd", False)])
def test_a_trial_has_caps_of_its_own(cap: str, broken: bool) -> None:
    purse = Purse(budget={cap: 50})
    assert broken == (purse.over_trial_cap(completed("a", "s", 0, 0.5)) is not None)


@given(st.lists(st.integers(0, 500), max_size=30), st.integers(1, 3_000))
def test_one_after_another_a_cap_is_passed_by_less_than_the_largest_trial(costs: list[int], cap: int) -> None:
    purse = Purse(budget={"tokens": cap})
    for cost in costs:
        if purse.used_up(0) is not None:
            break
        purse.pay(completed("a", "s", 0, 0.5, usage={"input_tokens": cost}))
    assert purse.spent["tokens"] <= cap + max(costs, default=0)
