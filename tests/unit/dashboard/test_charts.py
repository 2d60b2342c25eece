"""The charts show the numbers they are given, in the arm's own colour."""

from __future__ import annotations

import pytest

from nightschool.dashboard.charts import (
    Axis,
    Band,
    Difference,
    Estimate,
    TradeOff,
    counted,
    difference_chart,
    interval_chart,
    length_chart,
    rests_on,
    trade_off_chart,
)
from nightschool.dashboard.palette import arm_styles

ARMS = ("single", "orchestrated")
STYLES = arm_styles(ARMS)
RECALL = Axis(title="recall (0–1)")
LOW = Estimate(value=0.7, low=0.6, high=0.75, n=24)
HIGH = Estimate(value=0.9, low=0.85, high=0.92, n=24)


def test_each_arm_has_its_mean_and_interval() -> None:
    figure = interval_chart({"single": LOW, "orchestrated": HIGH}, STYLES, RECALL, simulated=False)

    first, second = figure.data
    assert ((0.7,), ("single",)) == (first.x, first.y)
    assert pytest.approx(0.05) == first.error_x.array[0]
    assert pytest.approx(0.10) == first.error_x.arrayminus[0]
    assert STYLES["single"].colour == first.marker.color
    assert STYLES["orchestrated"].colour == second.marker.color
    assert "recall (0–1)" == figure.layout.xaxis.title.text


def test_a_mean_without_interval_has_no_line() -> None:
    figure = interval_chart({"single": Estimate(value=0.7)}, STYLES, RECALL, simulated=False)

    assert (0.0,) == figure.data[0].error_x.array


@pytest.mark.parametrize(("low", "high"), [(0.04, 0.2), (-0.2, -0.04), (-0.1, 0.1)])
def test_zero_is_always_in_sight_of_a_difference(low: float, high: float) -> None:
    difference = Difference(
        treatment="orchestrated",
        baseline="single",
        estimate=Estimate(value=(low + high) / 2, low=low, high=high, n=24),
        verdict="better",
    )

    figure = difference_chart([difference], STYLES, RECALL, simulated=False)

    left, right = figure.layout.xaxis.range
    assert left < min(low, 0) <= max(high, 0) < right
    assert 0 == figure.layout.shapes[0].x0


def test_a_difference_without_any_extent_can_be_drawn() -> None:
    same = Estimate(value=0.0, low=0.0, high=0.0, n=8)
    difference = Difference(
        treatment="orchestrated", baseline="single", estimate=same, verdict="cannot be told apart"
    )

    figure = difference_chart([difference], STYLES, RECALL, simulated=False)

    assert figure.layout.xaxis.range is None


def test_a_difference_names_both_arms_and_the_verdict() -> None:
    difference = Difference(treatment="orchestrated", baseline="single", estimate=LOW, verdict="better")

    figure = difference_chart([difference], STYLES, RECALL, simulated=False)

    assert ("orchestrated − single<br><b>better</b>",) == figure.data[0].y
    assert STYLES["orchestrated"].colour == figure.data[0].marker.color


def test_quality_stands_against_cost() -> None:
    cost = Estimate(value=41_000, low=26_900, high=60_100, n=24)
    point = TradeOff(arm="orchestrated", cost=cost, quality=HIGH)

    figure = trade_off_chart([point], STYLES, RECALL, Axis(title="tokens", format="~s"), simulated=False)

    assert ((41_000,), (0.9,)) == (figure.data[0].x, figure.data[0].y)
    assert "orchestrated" == figure.data[0].name
    assert figure.layout.showlegend


def test_each_arm_has_a_line_over_lengths_in_their_order() -> None:
    bands = [
        Band(arm="single", label="5–16 pages", estimate=HIGH),
        Band(arm="orchestrated", label="5–16 pages", estimate=HIGH),
        Band(arm="single", label="20–60 pages", estimate=LOW),
    ]

    figure = length_chart(bands, STYLES, RECALL, simulated=False)

    single, orchestrated = figure.data
    assert (0.9, 0.7) == single.y
    assert (0.9,) == orchestrated.y
    labels = figure.layout.xaxis.ticktext
    assert ("5–16 pages<br>n = 24 documents", "20–60 pages<br>n = 24 documents") == labels
    assert "5–16 pages · n = 24" == single.customdata[0]


@pytest.mark.parametrize("simulated", [True, False])
def test_simulated_numbers_are_marked_in_the_picture_itself(simulated: bool) -> None:
    figure = interval_chart({"single": LOW}, STYLES, RECALL, simulated=simulated)

    assert simulated == ("simulated" in [note.text for note in figure.layout.annotations])


def test_an_arm_called_like_markup_is_shown_by_its_name() -> None:
    name = '<a href="x">arm</a>'

    figure = interval_chart({name: LOW}, arm_styles([name]), RECALL, simulated=False)

    assert ('&lt;a href="x"&gt;arm&lt;/a&gt;',) == figure.data[0].y


def test_a_plot_says_what_its_numbers_rest_on() -> None:
    assert "n = 1 document" == rests_on([1, 1], "document")
    assert "n = 6–8 samples" == rests_on([8, 6], "sample")
    assert "n = 0 results" == rests_on([], "result")
    assert counted(RECALL, [LOW, HIGH]).title.endswith("· n = 24 documents")
