from __future__ import annotations

import math
from typing import Any

import polars as pl
import pytest

from nightschool.core.errors import Malformed
from nightschool.experiments.ledger import TrialStatus
from nightschool.experiments.measures import bounds_of, from_frame, is_lower_better

ROW: dict[str, Any] = {
    "arm": "single",
    "sample_id": "c01",
    "epoch": 1,
    "status": "completed",
    "attempt": 1,
    "scores": '{"accuracy":0.5,"format":1}',
    "metrics": '{"recall":0.4,"false_flags":2}',
    "strict": False,
    "standard": True,
    "lenient": True,
    "total_tokens": 1200,
    "tool_calls": 7,
    "model_calls": 3,
    "duration_seconds": 1.5,
    "cost_usd": None,
    "pages": 12.0,
    "error": None,
}


def frame(**changes: Any) -> pl.DataFrame:
    return pl.DataFrame([{**ROW, **changes}])


def test_a_row_of_the_view_becomes_a_trial() -> None:
    (trial,) = from_frame(frame())
    assert {
        "accuracy": 0.5,
        "format": 1.0,
        "recall": 0.4,
        "false_flags": 2.0,
        "tokens": 1200.0,
        "tool_calls": 7.0,
        "model_calls": 3.0,
        "duration_seconds": 1.5,
    } == trial.values
    assert {"strict": False, "standard": True, "lenient": True} == trial.tiers
    assert (True, 12.0, None) == (trial.is_graded, trial.pages, trial.error_code)


def test_the_time_of_an_interrupted_trial_is_left_out() -> None:
    (trial,) = from_frame(frame(attempt=2))
    assert "duration_seconds" not in trial.values


def test_an_errored_trial_has_no_values() -> None:
    (trial,) = from_frame(frame(status="errored", scores=None, metrics=None, error="overloaded"))
    assert (TrialStatus.ERRORED, {}, "overloaded") == (trial.status, trial.values, trial.error_code)


def test_a_frame_without_the_views_columns_is_refused() -> None:
    with pytest.raises(Malformed, match="no column 'metrics'"):
        from_frame(frame().drop("metrics"))


@pytest.mark.parametrize("changes", [{"status": "lost"}, {"scores": "{"}])
def test_a_frame_with_other_contents_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(Malformed, match="frame of trials"):
        from_frame(frame(**changes))


@pytest.mark.parametrize(
    ("metric", "expected"),
    [("accuracy", False), ("recall", False), ("tokens", True), ("duration_seconds", True), ("slips", True)],
)
def test_less_is_better_of_what_is_consumed_and_of_what_is_declared(metric: str, *, expected: bool) -> None:
    assert expected is is_lower_better(metric, ("slips",))


def test_shares_end_at_one_and_what_is_consumed_begins_at_zero() -> None:
    assert ((0.0, 1.0), (0.0, math.inf)) == (bounds_of("recall"), bounds_of("tokens"))
    assert (-math.inf, math.inf) == bounds_of("balance")
