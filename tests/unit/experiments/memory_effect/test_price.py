from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nightschool.experiments.memory_effect.price import Price, price

_COSTS = st.floats(min_value=1, max_value=1e6)
_SHARE = st.floats(min_value=0.01, max_value=1)


def _price(success: float, base_success: float = 0.4, cost: float = 1100, learning: float = 40_000) -> Price:
    return price(
        cost=cost,
        success=success,
        base_cost=1000,
        base_success=base_success,
        learning=learning,
        sessions_served=40,
    )


def test_an_extra_success_costs_what_memory_adds_and_its_share_of_the_learning() -> None:
    found = _price(0.8)

    assert (100, 1000) == (found.extra, found.amortised)
    assert (100 + 1000) / 0.4 == pytest.approx(found.per_extra_success)
    assert 40_000 / (0.8 * 1000 / 0.4 - 1100) == pytest.approx(found.break_even_sessions)


@pytest.mark.parametrize("success", [0.4, 0.2])
def test_where_nothing_was_gained_there_is_no_price_of_it(success: float) -> None:
    found = _price(success)

    assert (None, None) == (found.per_extra_success, found.break_even_sessions)


def test_memory_that_takes_more_than_it_brings_never_pays() -> None:
    found = _price(0.5, cost=2000)

    assert found.per_extra_success is not None
    assert found.break_even_sessions is None


def test_it_pays_at_once_where_nothing_was_spent_or_nothing_else_succeeds() -> None:
    assert 0 == _price(0.8, learning=0).break_even_sessions
    assert 0 == _price(0.8, base_success=0).break_even_sessions


@given(_COSTS, _SHARE, _COSTS, _SHARE, _COSTS)
def test_at_break_even_a_success_costs_the_same(
    cost: float, success: float, base_cost: float, base_success: float, learning: float
) -> None:
    sessions = price(
        cost=cost,
        success=success,
        base_cost=base_cost,
        base_success=base_success,
        learning=learning,
        sessions_served=1,
    ).break_even_sessions

    if sessions is not None:
        spent = learning + sessions * cost
        assert base_cost / base_success * sessions * success == pytest.approx(spent, rel=1e-6)
