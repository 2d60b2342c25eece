"""Rows of trials, sessions and positions."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import polars as pl
import pytest

from nightschool.dashboard.tables import answer_of, position_table, session_rows, timeline_bars, trial_rows

START = datetime(2026, 1, 1, tzinfo=UTC)


def trials(**changes: object) -> pl.DataFrame:
    row = {
        "arm": "single", "sample_id": "c-01", "epoch": 0, "status": "completed", "pages": 12.0, "recall": 0.8,
        "false_flags": 1.0, "accuracy": 0.7, "strict": False, "standard": True, "lenient": True,
        "total_tokens": 900, "tool_calls": 3, "duration_seconds": 0.4, "trial_id": "trial_1",
    }  # fmt: skip
    tiers = dict.fromkeys(("strict", "standard", "lenient"), pl.Boolean)
    return pl.DataFrame([row | changes], schema_overrides=tiers)


def sessions(**changes: object) -> pl.DataFrame:
    row = {
        "session_id": "sesn_1", "parent_session_id": None, "agent": "reviewer", "role": "reviewer",
        "task_id": None,        "title": "Review", "status": "idle",
        "started_at": START, "ended_at": START + timedelta(milliseconds=1500),
        "model_calls": 2, "tool_calls": 3, "tool_errors": 0, "total_tokens": 900,
    }  # fmt: skip
    return pl.DataFrame([row | changes])


NO_CALLS = pl.DataFrame(schema={"session_id": pl.String, "ended_at": pl.Datetime("us", "UTC")})


@pytest.mark.parametrize(
    ("expected", "tiers"),
    [
        ("strict", {"strict": True}),
        ("standard", {}),
        ("lenient", {"standard": False}),
        ("none", {"standard": False, "lenient": False}),
        (None, {"strict": None, "standard": None, "lenient": None}),
    ],
)
def test_a_trial_shows_the_strictest_tier_it_passes(expected: str | None, tiers: dict[str, object]) -> None:
    assert expected == trial_rows(trials(**tiers))["passes"].item()


def test_repeats_are_counted_from_one() -> None:
    assert 2 == trial_rows(trials(epoch=1))["repeat"].item()


def test_a_session_shows_how_long_it_took() -> None:
    assert 1.5 == session_rows(sessions())["time"].item()


def test_a_session_has_its_bar_with_its_model_calls() -> None:
    calls = pl.DataFrame({"session_id": ["sesn_1", "sesn_2"], "ended_at": [START, START]})

    (bar,) = timeline_bars(sessions(), calls)

    assert ("sesn_1", "reviewer", (START,)) == (bar.session_id, bar.label, bar.model_calls)


def test_a_child_is_labelled_by_what_it_works_on() -> None:
    (bar,) = timeline_bars(sessions(parent_session_id="sesn_0", title="Sections 3–5", role="task"), NO_CALLS)

    assert "Sections 3–5" == bar.label


def test_a_session_of_unknown_time_has_no_bar() -> None:
    unknown = sessions().with_columns(started_at=pl.lit(None, dtype=pl.Datetime("us", "UTC")))

    assert [] == timeline_bars(unknown, NO_CALLS)


def test_positions_that_report_something_stand_first() -> None:
    answer = {
        "positions": [
            {"policy": "P01", "position": "compliant", "section": "3", "quote": "fine", "confidence": 0.9},
            {
                "policy": "P02",
                "position": "violation",
                "section": "7.2",
                "quote": "<i>bad</i>",
                "confidence": 0.8,
            },
        ]
    }

    html = position_table(answer)

    assert html.index("P02") < html.index("P01")
    assert "&lt;i&gt;bad&lt;/i&gt;" in html


@pytest.mark.parametrize("answer", [{}, {"positions": []}, {"positions": None}, {"positions": ["odd"]}])
def test_an_answer_without_positions_has_no_table(answer: dict[str, object]) -> None:
    assert "" == position_table(answer)


def test_a_position_with_odd_fields_is_shown_as_far_as_it_goes() -> None:
    html = position_table({"positions": [{"policy": None, "position": 7, "confidence": "high"}]})

    assert html.count("–") >= 3


@pytest.mark.parametrize("text", [None, "", "[1]", "{}"])
def test_no_answer_is_an_empty_one(text: str | None) -> None:
    assert {} == answer_of(text)
