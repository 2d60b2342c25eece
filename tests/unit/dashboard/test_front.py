"""The front of quality, cost and time in words and as a table."""

from __future__ import annotations

from nightschool.dashboard.front import front_claim, front_table
from nightschool.dashboard.palette import arm_styles
from nightschool.experiments.statistics import FrontPlace

QUANTITIES = ("recall", "cost_usd")


def place(arm: str, share: float, **beaten: float) -> FrontPlace:
    return FrontPlace(
        arm=arm, means=(0.5, 0.02), on_front=share > 0.5, on_front_probability=share, dominated_by=beaten
    )


def test_an_arm_between_sure_and_beaten_cannot_be_told() -> None:
    claim = front_claim(QUANTITIES, [place("good", 1.0), place("odd", 0.6), place("bad", 0.0)])

    assert "not beaten in all at once: good; cannot be told: odd; beaten: bad." in claim
    assert "recall and cost" in claim


def test_no_group_is_named_that_is_empty() -> None:
    assert "beaten: " not in front_claim(QUANTITIES, [place("a", 0.97)]).replace("at once: ", "")


def test_a_row_says_who_beats_the_arm_most_often() -> None:
    html = front_table([place("bad", 0.1, good=0.8, odd=0.3)], arm_styles(["bad"]))

    assert "10 %" in html
    assert "good · 80 %" in html


def test_an_arm_that_nobody_beats_has_a_dash() -> None:
    assert "–" in front_table([place("good", 1.0)], arm_styles(["good"]))
