"""Every metric has a name, a unit and a way its numbers are written."""

from __future__ import annotations

from nightschool.dashboard.metrics import in_order, metric_named


def test_the_primary_metric_is_offered_first_and_a_suites_own_last() -> None:
    names = ["zeal", "tokens", "recall", "accuracy", "brevity"]

    assert ["accuracy", "recall", "tokens", "brevity", "zeal"] == in_order(names, first="accuracy")


def test_a_metric_is_written_in_its_unit() -> None:
    assert "0.71" == metric_named("recall").written(0.714)
    assert "27.8k" == metric_named("tokens").written(27_800)
    assert "6.79 s" == metric_named("duration_seconds").written(6.79)


def test_a_suites_own_metric_keeps_its_name() -> None:
    metric = metric_named("cited_clauses")

    assert "Cited clauses" == metric.label
    assert "3" == metric.written(3.0)
    assert "3.25" == metric.written(3.25)
