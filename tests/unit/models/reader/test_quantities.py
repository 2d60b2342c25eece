from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nightschool.models.reader.quantities import amounts, deciding_amount, parse_limit

MONTH = 365 / 12
READ = [
    ("ninety (90) days", 90, "time"),
    ("a fortnight", 14, "time"),
    ("one and a half years", 547.5, "time"),
    ("a year and a half", 547.5, "time"),
    ("half a year", 182.5, "time"),
    ("ten business days", 14, "time"),
    ("twenty-four hours", 1, "time"),
    ("the thirtieth day", 30, "time"),
    ("eighteen monthly charges", 18 * MONTH, "time"),
    ("twice the annual fees", 730, "time"),
    ("one quarter of the yearly price", 91.25, "time"),
    ("fifty percent (50%) of the annual charges", 182.5, "time"),
    ("99.5 %", 99.5, "percent"),
    ("ninety-nine point five per cent", 99.5, "percent"),
    ("EUR 5,000,000", 5e6, "money"),
    ("€5 million", 5e6, "money"),
    ("half a million euros", 5e5, "money"),
]


@pytest.mark.parametrize(("text", "value", "dimension"), READ)
def test_an_amount_is_read_in_its_base_unit(text: str, value: float, dimension: str) -> None:
    (amount,) = amounts(f"It is {text}, as agreed.")
    assert (pytest.approx(value), dimension) == (amount.value, amount.dimension)


def test_a_share_of_fees_multiplies_the_period_they_were_paid_in() -> None:
    text = "150 percent of the fees paid in the preceding twelve (12) months"
    assert pytest.approx(547.5) == deciding_amount(text, "time").value  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "text", ["Section 7.2", "24/7", "twice a year", "two improvements a year", "no amount"]
)
def test_what_is_no_amount_is_not_read_as_one(text: str) -> None:
    assert () == amounts(text)


def test_the_amount_behind_a_bound_decides() -> None:
    text = "Claims of one contract year are limited to three (3) months of fees."
    assert pytest.approx(3 * MONTH) == deciding_amount(text, "time").value  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("limit", "fine", "beyond"),
    [
        ("at least 12 months", "one year", "eleven months"),
        ("at most 90 days", "three months", "four months"),
        ("at most 72 hours", "three days", "four days"),
        ("at least 5 million euros", "EUR 5,000,000", "EUR 4,999,999"),
        ("at least 99.5 percent", "99.5 %", "99.4 %"),
        ("at most 8 percent", "8 per cent", "nine per cent"),
    ],
)
def test_a_limit_allows_what_is_on_its_side(limit: str, fine: str, beyond: str) -> None:
    line = parse_limit(limit)
    assert line is not None
    assert line.allows(amounts(fine)[0].value)
    assert not line.allows(amounts(beyond)[0].value)


def test_a_text_without_a_limit_has_none() -> None:
    assert parse_limit("as soon as possible") is None


@given(st.text(max_size=300))
def test_any_text_can_be_read(text: str) -> None:
    for amount in amounts(text):
        assert 0 <= amount.start < amount.end <= len(text) + 4


@given(st.integers(1, 999), st.sampled_from(["day", "month", "year"]))
def test_figures_are_read_as_written(number: int, unit: str) -> None:
    (amount,) = amounts(f"for {number} {unit}s")
    assert number == round(amount.value / {"day": 1, "month": MONTH, "year": 365}[unit])
