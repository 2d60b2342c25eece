"""Quantities as contracts write them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evals.contracts.quantities import NumberStyle, Quantity, parse_limit, parse_quantity, spell, write
from nightschool.core.errors import Malformed
from nightschool.models.reader.quantities import amounts


@pytest.mark.parametrize(
    ("text", "style", "form", "expected"),
    [
        ("30 days", NumberStyle.FIGURES, "", "30 days"),
        ("30 days", NumberStyle.WORDS, "", "thirty days"),
        ("30 days", NumberStyle.BOTH, "", "thirty (30) days"),
        ("1 month", NumberStyle.BOTH, "", "one (1) month"),
        ("30 days", NumberStyle.BOTH, "of", "thirty (30) days'"),
        ("1 month", NumberStyle.WORDS, "of", "one month's"),
        ("180 days", NumberStyle.WORDS, "", "one hundred and eighty days"),
        ("45 days", NumberStyle.WORDS, "adj", "forty-five-day"),
        ("8 percent", NumberStyle.WORDS, "", "eight per cent"),
        ("8 percent", NumberStyle.BOTH, "", "eight per cent (8%)"),
        ("99.5 percent", NumberStyle.WORDS, "", "99.5%"),
        ("5 million euros", NumberStyle.FIGURES, "", "EUR 5,000,000"),
        ("5 million euros", NumberStyle.WORDS, "", "five million euros"),
        ("0.5 million euros", NumberStyle.BOTH, "", "EUR 500,000"),
    ],
)
def test_a_quantity_is_written_in_each_style(text: str, style: NumberStyle, form: str, expected: str) -> None:
    assert expected == write(parse_quantity(text), style, form)


@pytest.mark.parametrize("text", ["", "days", "thirty days", "30", "30 parsecs", "-3 days"])
def test_what_is_no_quantity_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(Malformed, match="write it like"):
        parse_quantity(text)


def test_a_limit_needs_its_direction() -> None:
    with pytest.raises(Malformed, match="at least 12 months"):
        parse_limit("12 months")


def test_the_bound_itself_is_allowed() -> None:
    assert parse_limit("at most 90 days").allows(Quantity(90, "day"))
    assert parse_limit("at least 12 months").allows(Quantity(1, "year"))


def test_units_of_time_compare_with_one_another() -> None:
    limit = parse_limit("at most 90 days")

    assert limit.allows(Quantity(2, "month"))
    assert not limit.allows(Quantity(4, "month"))
    assert not limit.allows(Quantity(14, "week"))


@settings(deadline=None)
@given(st.integers(0, 999))
def test_no_two_numbers_are_spelt_alike(number: int) -> None:
    assert number == [spell(other) for other in range(1000)].index(spell(number))


@settings(deadline=None)
@given(
    st.integers(1, 400),
    st.sampled_from(["hour", "day", "week", "month", "year"]),
    st.sampled_from(NumberStyle),
)
def test_every_style_says_the_same_number(value: int, unit: str, style: NumberStyle) -> None:
    """Read back by a reader that was written apart from this suite."""
    found = amounts(f"within {write(Quantity(value, unit), style)} of receipt")

    assert len(found) == 1
    assert found[0].value == pytest.approx(Quantity(value, unit).size / 24, rel=0.01)
