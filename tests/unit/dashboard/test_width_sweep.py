"""Speed-up by width, what an added agent gains, and from where on it hardly does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nightschool.dashboard.charts import Estimate
from nightschool.dashboard.palette import arm_styles
from nightschool.dashboard.width_sweep import (
    HARDLY,
    Gain,
    gains,
    levelling_table,
    levels_off,
    speed_ups,
    was_run,
)
from nightschool.experiments.ledger import TrialStatus
from nightschool.experiments.measures import Trial

WIDTHS = (1, 2, 4, 8, 16, 32)


def trial(sample: str, *, epoch: int = 0, arm: str = "hybrid", **values: float) -> Trial:
    return Trial(arm=arm, sample_id=sample, epoch=epoch, status=TrialStatus.COMPLETED, values=values)


def steps(*shares: float) -> list[Gain]:
    ends = zip(WIDTHS, WIDTHS[1:], shares, strict=False)
    return [
        Gain(arm="hybrid", start=start, end=end, estimate=Estimate(value=share, n=3))
        for start, end, share in ends
    ]


def test_repeats_are_averaged_inside_a_sample_and_samples_spread() -> None:
    trials = [
        trial("a", speedup_1=1, speedup_2=1.0),
        trial("a", epoch=1, speedup_1=1, speedup_2=2.0),
        trial("b", speedup_1=1, speedup_2=1.1),
        trial("b", arm="other", speedup_1=1, speedup_2=9.0),
    ]

    one, two = speed_ups(trials, ["hybrid"])

    assert (1, 2) == (one.width, two.width)
    assert pytest.approx(1.3) == two.spread.value
    assert (1.1, 1.5, 2) == (two.spread.low, two.spread.high, two.spread.n)


def test_widths_come_as_numbers_and_not_as_words() -> None:
    trials = [trial("a", speedup_16=3, speedup_2=2, speedup_1=1, speedup_x=9, speedup=9)]

    assert [1, 2, 16] == [point.width for point in speed_ups(trials, ["hybrid"])]


def test_a_gain_is_that_of_each_added_agent() -> None:
    first, second = gains([trial("a", speedup_1=1, speedup_2=2, speedup_4=3)], ["hybrid"], level=0.95)

    assert (1, 2, 1.0) == (first.start, first.end, first.estimate.value)
    assert (2, 4, 0.25) == (second.start, second.end, second.estimate.value)


@pytest.mark.parametrize(
    ("shares", "width"),
    [
        ((0.9, 0.4, 0.02, 0.004, 0.0), 8),
        ((0.0, 0.0, 0.0, 0.0, 0.0), 1),
        ((0.9, 0.4, 0.3, 0.2, 0.1), None),
        ((0.9, 0.001, 0.3, 0.001, 0.0), 8),
        ((), None),
    ],
)
def test_from_where_on_more_hardly_helps(shares: tuple[float, ...], width: int | None) -> None:
    assert width == levels_off(steps(*shares))


@given(st.lists(st.floats(0, 1), min_size=5, max_size=5))
def test_past_that_width_no_step_gains_more(shares: list[float]) -> None:
    width = levels_off(steps(*shares))

    later = [step.estimate.value for step in steps(*shares) if width is not None and step.start >= width]
    assert all(share < HARDLY for share in later)
    assert (width is None) == (shares[-1] >= HARDLY)


def test_the_table_says_where_and_how_much() -> None:
    trials = [
        trial("a", speedup_1=1, speedup_2=1.8, speedup_4=1.8),
        trial("a", arm="all", speedup_1=1, speedup_2=2),
        trial("a", arm="single", speedup_1=1),
    ]
    arms = ["hybrid", "all", "single"]

    drawn = levelling_table(speed_ups(trials, arms), gains(trials, arms, level=0.95), arm_styles(arms))

    assert "2 agents" in drawn
    assert "1.80" in drawn
    assert "not up to 2" in drawn
    assert "not up to 1" not in drawn


def test_widths_that_were_run_are_told_against_the_narrowest_and_outrank_a_replay() -> None:
    trials = [
        trial("a", arm="1", divided_among=1, makespan_seconds=12, speedup_2=9),
        trial("a", arm="4", divided_among=4, makespan_seconds=4),
        trial("b", arm="1", divided_among=1, makespan_seconds=12),
        trial("b", arm="4", divided_among=4, makespan_seconds=12),
        trial("a", arm="other", divided_among=4, makespan_seconds=1),
    ]

    one, four = speed_ups(trials, ["1", "4", "other"])

    assert was_run(trials, ["1", "4", "other"])
    assert ("1", 1, 1.0) == (one.arm, one.width, one.spread.value)
    assert ("1", 4, 2.0) == (four.arm, four.width, four.spread.value)
    assert (1.0, 3.0, 2) == (four.spread.low, four.spread.high, four.spread.n)
    assert not was_run(trials[:1], ["1"])
