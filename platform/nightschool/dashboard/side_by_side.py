"""One document under two arms: what each trial scored and took, and where the answers differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import streamlit as st

from nightschool.dashboard.markup import Cell, Column, data_table
from nightschool.dashboard.palette import ArmStyle
from nightschool.dashboard.site import Site
from nightschool.dashboard.tables import answer_of
from nightschool.dashboard.wording import ABSENT, count, decimal, money, seconds, thousands

__all__ = ["answer_differences", "show_side_by_side"]

_MOST_TRIALS: Final = 20
_MOST_ROWS: Final = 200
_NOT_HANDED_IN: Final = "not handed in"


def show_side_by_side(
    site: Site, experiment_id: str, document: str, arms: tuple[str, str], styles: Mapping[str, ArmStyle]
) -> None:
    """Show a document's trials under two arms, and their first answers beside one another."""
    found = site.ask(
        "document_trials",
        experiment_id=experiment_id,
        document=document,
        arm=arms[0],
        other=arms[1],
        most=_MOST_TRIALS,
    )
    trials = sorted(found.iter_rows(named=True), key=lambda row: (arms.index(row["arm"]), row["epoch"]))
    st.html(_trial_table(trials, experiment_id, styles))
    first = [next((answer_of(row["answer"]) for row in trials if row["arm"] == arm), {}) for arm in arms]
    rows = answer_differences(first[0], first[1])
    if not rows:
        st.caption("In the first repeat both answers say the same.")
        return
    st.html(_difference_table(rows[:_MOST_ROWS], arms))
    st.caption("Where the answers of the first repeat differ; what both say alike is left out.")


def _trial_table(
    trials: Sequence[Mapping[str, Any]], experiment_id: str, styles: Mapping[str, ArmStyle]
) -> str:
    columns = [
        Column(name="Arm", numeric=False),
        Column(name="Repeat", numeric=False),
        Column(name="Accuracy", unit="0–1"),
        Column(name="Completeness", unit="0–1"),
        Column(name="Tokens"),
        Column(name="Tool calls"),
        Column(name="Time"),
        Column(name="Cost", unit="US$ at list price"),
    ]
    rows = [
        [
            Cell(text=row["arm"], colour=styles[row["arm"]].colour),
            Cell(
                text=f"{row['epoch'] + 1} · {row['status']}",
                link=f"runs?experiment={experiment_id}&trial={row['trial_id']}",
            ),
            Cell(text=decimal(row["accuracy"])),
            Cell(text=decimal(row["completeness"])),
            Cell(text=thousands(row["total_tokens"])),
            Cell(text=count(row["tool_calls"])),
            Cell(text=seconds(row["duration_seconds"])),
            Cell(text=money(row["cost_usd"])),
        ]
        for row in trials
    ]
    return data_table(columns, rows, caption="Trials of the document under both arms")


def answer_differences(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Return what two answers say differently: about what, what the one says, what the other says.

    Positions are compared by policy; of an answer without positions, its fields.
    """
    ours, theirs = _said(one), _said(other)
    return [
        (name, ours.get(name, _NOT_HANDED_IN), theirs.get(name, _NOT_HANDED_IN))
        for name in sorted(ours.keys() | theirs.keys())
        if ours.get(name) != theirs.get(name)
    ]


def _said(answer: Mapping[str, Any]) -> dict[str, str]:
    positions = answer.get("positions")
    if not isinstance(positions, list):
        return {str(name): str(value) for name, value in answer.items()}
    return {str(each.get("policy")): _position(each) for each in positions if isinstance(each, dict)}


def _position(each: Mapping[str, Any]) -> str:
    parts = (each.get("position"), each.get("section") and f"section {each['section']}", each.get("quote"))
    return " · ".join(str(part) for part in parts if part) or ABSENT


def _difference_table(rows: Sequence[tuple[str, str, str]], arms: tuple[str, str]) -> str:
    columns = [
        Column(name="About", numeric=False),
        *(Column(name=arm, numeric=False, wraps=True) for arm in arms),
    ]
    cells = [[Cell(text=name), Cell(text=ours), Cell(text=theirs)] for name, ours, theirs in rows]
    return data_table(columns, cells, caption="Where the answers differ")
