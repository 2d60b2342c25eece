"""Where a difference lies."""

from __future__ import annotations

from nightschool.dashboard.charts import Axis
from nightschool.dashboard.documents import document_chart, document_differences, tier_chart
from nightschool.dashboard.palette import arm_styles
from nightschool.outcomes.tiers import PassRate


def test_the_worst_regression_stands_first_whichever_way_is_better() -> None:
    found = {"a": 0.1, "b": -0.3, "c": 0.0}

    higher = document_differences(found, higher_is_better=True)
    lower = document_differences(found, higher_is_better=False)

    assert ["b", "c", "a"] == [each.document for each in higher]
    assert ["a", "c", "b"] == [each.document for each in lower]
    assert [True, False, False] == [each.is_regression for each in higher]
    assert [False, False, True] == [each.is_improvement for each in lower]


def test_every_document_is_drawn_once_and_counted_in_the_legend() -> None:
    found = document_differences({"a": 0.1, "b": -0.3, "c": 0.0}, higher_is_better=True)

    figure = document_chart(found, Axis(title="recall"), simulated=False)

    assert ["regression (1)", "no difference (1)", "improvement (1)"] == [trace.name for trace in figure.data]
    assert ["b", "c", "a"] == [y for trace in figure.data for y in trace.y]


def test_of_very_many_documents_the_ends_are_drawn() -> None:
    found = document_differences({f"d{n}": n - 500.5 for n in range(1000)}, higher_is_better=True)

    figure = document_chart(found, Axis(title="x"), simulated=False)

    drawn = {y for trace in figure.data for y in trace.y}
    assert 120 == len(drawn)
    assert {"d0", "d999"} <= drawn


def test_a_tier_curve_marks_the_threshold_in_force() -> None:
    rates = [PassRate(0.0, 4, 4), PassRate(0.75, 2, 4), PassRate(1.0, 0, 4)]

    figure = tier_chart({"single": rates}, arm_styles(["single"]), 0.75, simulated=True)

    assert (1.0, 0.5, 0.0) == figure.data[0].y
    assert 0.75 == figure.layout.shapes[0].x0
    assert "simulated" in figure.layout.legend.title.text
