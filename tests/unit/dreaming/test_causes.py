from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nightschool.dreaming.causes import Cause, cause_of, group_alike, normalise


@pytest.mark.parametrize(
    ("text", "template"),
    [
        ("flight HAT030 not available on date 2024-05-13", "flight <ID> not available on date <DATE>"),
        ("total price is 1,203.50, but paid 833", "total price is <N>, but paid <N>"),
        ("cannot open /var/data/run.txt", "cannot open <PATH>"),
        ('no column "price"\nTraceback ...', "no column <TEXT>"),
        ("user's seat is taken", "user's seat is taken"),
    ],
)
def test_what_differs_from_case_to_case_becomes_a_placeholder(text: str, template: str) -> None:
    assert template == normalise(text)


@given(st.integers(0, 10**9), st.integers(0, 10**9))
def test_two_numbers_are_one_error(one: int, other: int) -> None:
    assert normalise(f"paid {one} of it") == normalise(f"paid {other} of it")


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("HTTP 429: slow down", Cause.ENVIRONMENT),
        ("request timed out after 30 s", Cause.ENVIRONMENT),
        ("sandbox died", Cause.ENVIRONMENT),
        ("permission denied", Cause.PERMISSION),
        ("not enough seats", Cause.PRECONDITION),
        ("payment method not found", Cause.NOT_FOUND),
        ("payment amount does not add up", Cause.ARGUMENT),
        ("the moon is in the wrong house", Cause.UNKNOWN),
    ],
)
def test_rules_name_the_class(text: str, cause: Cause) -> None:
    assert cause is cause_of(text)


def test_unknown_errors_that_read_alike_are_one() -> None:
    alike = group_alike(["the gears have jammed again", "the gears have jammed again!", "purple monkey soup"])

    assert alike["the gears have jammed again"] == alike["the gears have jammed again!"]
    assert alike["purple monkey soup"] == "purple monkey soup"
