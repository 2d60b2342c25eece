from __future__ import annotations

from datetime import date
from decimal import Decimal

from nightschool.core.usage import Usage
from nightschool.models.pricing import cost, price_of, prices_read_on

MILLION = Usage(
    input_tokens=1_000_000,
    output_tokens=1_000_000,
    cache_creation_input_tokens=1_000_000,
    cache_read_input_tokens=1_000_000,
)


def test_each_class_of_tokens_has_its_price() -> None:
    assert Decimal(5) + 25 + Decimal("6.25") + Decimal("0.50") == cost("claude-opus-5", MILLION)


def test_a_dated_id_costs_what_its_model_costs() -> None:
    assert price_of("claude-haiku-4-5") == price_of("claude-haiku-4-5-20251001")


def test_an_unknown_price_is_not_zero() -> None:
    assert cost("claude-from-the-future", MILLION, 3600) is None


def test_the_brains_of_this_machine_cost_running_time_only() -> None:
    assert [Decimal("0.04")] * 3 == [
        cost(model, MILLION, 1800) for model in ("reader", "simulated", "local:q")
    ]


def test_the_table_says_when_it_was_read() -> None:
    assert date(2026, 1, 1) < prices_read_on()
