"""Numbers, times and names have one form."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from nightschool.dashboard import wording


@pytest.mark.parametrize(
    ("expected", "value"),
    [
        ("3 ms", 0.0031),
        ("0.84 s", 0.84),
        ("12.4 s", 12.41),
        ("1 min 00 s", 59.96),
        ("3 min 05 s", 185.2),
        ("2 h 10 min", 7_800.0),
        ("–", None),
    ],
)
def test_a_duration_is_told_in_the_unit_it_is_read_in(expected: str, value: float | None) -> None:
    assert expected == wording.seconds(value)


@pytest.mark.parametrize(
    ("expected", "value"),
    [("840", 840), ("12.3k", 12_345), ("145k", 145_200), ("1.4M", 1_440_000), ("1.0M", 999_960), ("–", None)],
)
def test_a_large_count_is_shortened(expected: str, value: float | None) -> None:
    assert expected == wording.thousands(value)


@pytest.mark.parametrize(
    ("expected", "value"),
    [("$0.15", 0.1512), ("$0.0012", 0.00123), ("< $0.0001", 0.00001), ("$0.00", 0.0), ("$1,200.00", 1200.0)],
)
def test_small_sums_keep_digits_that_say_something(expected: str, value: float) -> None:
    assert expected == wording.money(value)


def test_a_difference_shows_its_sign_with_a_true_minus() -> None:
    assert "−0.12" == wording.signed(-0.123)
    assert "+0.12" == wording.signed(0.123)
    assert "−1,200" == wording.count(-1200)


def test_a_difference_that_rounds_to_zero_has_no_sign() -> None:
    assert ["0.00", "0.00"] == [wording.signed(value) for value in (-0.004, 0.004)]


@pytest.mark.parametrize(("expected", "value"), [("p < 0.001", 0.0004), ("p = 0.031", 0.0312), ("p –", None)])
def test_p_is_never_shown_as_zero(expected: str, value: float | None) -> None:
    assert expected == wording.p_value(value)


def test_a_moment_is_a_date_with_its_minute_and_a_time_of_day_has_milliseconds() -> None:
    at = datetime(2026, 11, 30, 10, 12, 3, 45_678, tzinfo=UTC)

    assert "2026-11-30 10:12" == wording.moment(at)
    assert "10:12:03.045" == wording.clock_time(at)
    assert "–" == wording.clock_time(None)


def test_an_id_is_shortened_to_where_it_differs() -> None:
    assert "sesn_…p96r3h" == wording.short_id("sesn_82akjf2qnsspepxp96r3h")
    assert "exp_demo" == wording.short_id("exp_demo")


def test_one_of_a_thing_is_singular() -> None:
    assert "1 trial" == wording.plural(1, "trial")
    assert "1,200 trials" == wording.plural(1200, "trial")
