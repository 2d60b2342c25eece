"""Rows as the pages show them: trials, sessions, positions. Pure: frames in, frames or HTML out.

Knows nothing about where the rows come from.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

import polars as pl

from nightschool.dashboard.markup import Cell, Column, Tone, data_table
from nightschool.dashboard.timeline import Bar
from nightschool.dashboard.wording import ABSENT, count, decimal, short_id

__all__ = [
    "MOST_POSITIONS",
    "answer_of",
    "conflict_table",
    "hit_rows",
    "position_table",
    "session_rows",
    "timeline_bars",
    "trial_rows",
]

MOST_POSITIONS: Final = 500
_CONTEXT: Final = 60
"""Characters shown before and after the words that were searched for."""

_TONES: Final[Mapping[str, Tone]] = {"violation": "bad", "missing": "warn", "compliant": "good"}

_POSITION_COLUMNS: Final = (
    Column(name="Policy", numeric=False),
    Column(name="Position", numeric=False),
    Column(name="Section", numeric=False),
    Column(name="Confidence", unit="0–1"),
    Column(name="Words it rests on", numeric=False, wraps=True),
)


def trial_rows(trials: pl.DataFrame) -> pl.DataFrame:
    """Return the trials' table: what a person looks for first stands first."""
    tier = (
        pl.when(pl.col("strict")).then(pl.lit("strict"))
        .when(pl.col("standard")).then(pl.lit("standard"))
        .when(pl.col("lenient")).then(pl.lit("lenient"))
        .when(pl.col("lenient").is_null()).then(None)
        .otherwise(pl.lit("none"))
    )  # fmt: skip
    return trials.select(
        pl.col("arm"),
        pl.col("sample_id").alias("document"),
        pl.col("epoch").alias("repeat") + 1,
        pl.col("status"),
        pl.col("pages"),
        pl.col("recall"),
        pl.col("false_flags"),
        pl.col("accuracy"),
        tier.alias("passes"),
        pl.col("total_tokens").alias("tokens"),
        pl.col("tool_calls"),
        pl.col("duration_seconds").alias("time"),
        pl.col("trial_id").alias("trial"),
    )


def session_rows(sessions: pl.DataFrame) -> pl.DataFrame:
    """Return the table of a trial's sessions."""
    span = (pl.col("ended_at") - pl.col("started_at")).dt.total_milliseconds() / 1000
    return sessions.select(
        pl.col("role"),
        pl.col("title"),
        pl.col("status"),
        span.alias("time"),
        pl.col("total_tokens").alias("tokens"),
        pl.col("model_calls"),
        pl.col("tool_calls"),
        pl.col("tool_errors"),
        pl.col("session_id").alias("session"),
    )


def hit_rows(hits: pl.DataFrame, words: str) -> pl.DataFrame:
    """Return the table of the events that hold some words, with what stands around them."""
    return pl.DataFrame(
        {
            "Event": hits["seq"],
            "Who": hits["role"],
            "What": [
                _around(name, content, words) for name, content in hits.select("name", "content").iter_rows()
            ],
        }
    )


def _around(name: str | None, content: str | None, words: str) -> str:
    text = " ".join((content or name or "").split())
    at = max(0, text.lower().find(words.lower()))
    start = max(0, at - _CONTEXT)
    end = at + len(words) + _CONTEXT
    return ("… " if start else "") + text[start:end] + (" …" if end < len(text) else "")


def timeline_bars(sessions: pl.DataFrame, calls: pl.DataFrame) -> list[Bar]:
    """Return a bar for each session whose times are known, in the order given."""
    answered: dict[str, list[datetime]] = {}
    for session_id, at in calls.select("session_id", "ended_at").iter_rows():
        answered.setdefault(session_id, []).append(at)
    return [
        Bar(
            session_id=row["session_id"],
            label=_bar_label(row),
            role=row["role"] or "session",
            started_at=row["started_at"],
            ended_at=row["ended_at"],
            total_tokens=row["total_tokens"],
            tool_calls=row["tool_calls"],
            model_calls=tuple(answered.get(row["session_id"], ())),
        )
        for row in sessions.iter_rows(named=True)
        if row["started_at"] is not None and row["ended_at"] is not None
    ]


def _bar_label(row: Mapping[str, Any]) -> str:
    is_root = row["parent_session_id"] is None
    name = row["role"] if is_root else row["title"] or row["task_id"]
    return str(name or row["agent"] or short_id(row["session_id"]))


def answer_of(text: str | None) -> Mapping[str, Any]:
    """Return an answer from its JSON; empty when there is none."""
    value = json.loads(text) if text else {}
    return value if isinstance(value, dict) else {}


def position_table(answer: Mapping[str, Any]) -> str:
    """Return the first `MOST_POSITIONS` of an answer, those that report something in front; may be empty."""
    positions = [each for each in answer.get("positions") or () if isinstance(each, dict)]
    ordered = sorted(
        positions, key=lambda each: (each.get("position") == "compliant", str(each.get("policy")))
    )
    if not ordered:
        return ""
    rows = [_position(each) for each in ordered[:MOST_POSITIONS]]
    return data_table(_POSITION_COLUMNS, rows, caption="Positions handed in")


def _position(each: Mapping[str, Any]) -> Sequence[Cell]:
    position, confidence = str(each.get("position") or ABSENT), each.get("confidence")
    return (
        Cell(text=str(each.get("policy") or ABSENT)),
        Cell(text=position, tone=_TONES.get(position, "")),
        Cell(text=str(each.get("section") or ABSENT)),
        Cell(text=decimal(confidence if isinstance(confidence, int | float) else None)),
        Cell(text=str(each.get("quote") or ABSENT), note=str(each.get("reason") or "")),
    )


def conflict_table(rows: Iterable[Mapping[str, Any]]) -> str:
    """Return what tasks wrote in one another's way, a row for each task and shared thing."""
    columns = [
        Column(name="Shared", numeric=False),
        Column(name="Task", numeric=False),
        Column(name="Refused", unit="writes"),
        Column(name="Asked", unit="mediations"),
        Column(name="Decided", unit="mediations"),
        Column(name="Decision", numeric=False, wraps=True),
    ]
    cells = [
        [
            Cell(text=row["resource"] or ABSENT),
            Cell(text=row["task_id"] or ABSENT),
            Cell(text=count(row["refused"])),
            Cell(text=count(row["asked"])),
            Cell(text=count(row["decided"])),
            Cell(text=row["note"] or ABSENT),
        ]
        for row in rows
    ]
    return data_table(columns, cells, caption="Writes that came in one another's way")
