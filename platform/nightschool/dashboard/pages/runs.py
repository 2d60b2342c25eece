"""The trials of an experiment; one of them, or a plan of its own, as a timeline of its agents and a graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

import polars as pl
import streamlit as st

from nightschool.dashboard.chooser import choose_experiment
from nightschool.dashboard.elements import watch
from nightschool.dashboard.experiment import Experiment
from nightschool.dashboard.markup import facts
from nightschool.dashboard.own_plans import list_own_plans, show_own_plan
from nightschool.dashboard.site import Site, notice
from nightschool.dashboard.tables import MOST_POSITIONS, answer_of, position_table, trial_rows
from nightschool.dashboard.timeline import MOST_TICKS
from nightschool.dashboard.wording import count, decimal, money, plural, seconds, thousands
from nightschool.dashboard.work_section import MOST_SESSIONS, Work, show_work

__all__ = ["show"]

_MOST_TRIALS: Final = 5_000
_TABLE_PIXELS: Final = 330

_TRIAL_COLUMNS: Final[dict[str, Any]] = {
    "arm": st.column_config.TextColumn("Arm"),
    "document": st.column_config.TextColumn("Document"),
    "repeat": st.column_config.NumberColumn("Repeat", width="small"),
    "status": st.column_config.TextColumn("Status", width="small"),
    "pages": st.column_config.NumberColumn("Length (pages)", format="%.0f"),
    "recall": st.column_config.NumberColumn("Recall (0–1)", format="%.2f"),
    "false_flags": st.column_config.NumberColumn("False flags", format="%.0f"),
    "accuracy": st.column_config.NumberColumn("Accuracy (0–1)", format="%.2f"),
    "passes": st.column_config.TextColumn("Passes", help="The strictest tier that the result passes."),
    "tokens": st.column_config.NumberColumn("Tokens", format="localized"),
    "tool_calls": st.column_config.NumberColumn("Tool calls"),
    "time": st.column_config.NumberColumn("Time (s)", format="%.2f"),
    "trial": st.column_config.TextColumn("Trial"),
}


def show(site: Site) -> None:
    """Draw the page."""
    if st.query_params.get("plan"):
        show_own_plan(site, st.query_params["plan"])
        return
    list_own_plans(site)
    chosen = choose_experiment(site, nothing="No trial yet")
    if chosen is None:
        return
    experiment = chosen.experiment
    trials = site.ask("trials", experiment_id=experiment.id, most=_MOST_TRIALS)
    if not experiment.is_complete:
        watch(site)
    trial_id = _choose(trials, experiment)
    if trial_id is None:
        st.caption("Select a row to see the trial's agents at work.")
        return
    _trial(site, trial_id)


def _choose(trials: pl.DataFrame, experiment: Experiment) -> str | None:
    """Let a trial be chosen from the filtered table, or by the URL's ?trial=."""
    shown, key = _filtered(trials), f"trials_{experiment.id}"
    st.dataframe(
        trial_rows(shown),
        column_config=_TRIAL_COLUMNS,
        hide_index=True,
        height=_TABLE_PIXELS if shown.height > 7 else "auto",
        key=key,
        on_select=partial(_remember_choice, key, shown["trial_id"].to_list()),
        selection_mode="single-row",
        placeholder="–",
        alt="Trials; select one to see its agents at work",
    )
    begun = f"{count(trials.height)} begun, {count(experiment.expected)} expected."
    cut = f" Only the first {count(_MOST_TRIALS)} are listed." if trials.height == _MOST_TRIALS else ""
    st.caption(f"{plural(shown.height, 'trial')} shown of {begun}{cut}")
    wanted = st.query_params.get("trial")
    return wanted if wanted in set(trials["trial_id"]) else None


def _remember_choice(key: str, shown: Sequence[str]) -> None:
    """Note the trial and not its row: rows move while trials are recorded."""
    rows = st.session_state[key]["selection"]["rows"]
    if rows and rows[0] < len(shown):
        st.query_params["trial"] = shown[rows[0]]


def _filtered(trials: pl.DataFrame) -> pl.DataFrame:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        arms = st.pills(
            "Arm", sorted(trials["arm"].unique()), selection_mode="multi", key="arm", bind="query-params"
        )
        states = st.pills(
            "Status",
            sorted(trials["status"].unique()),
            selection_mode="multi",
            key="status",
            bind="query-params",
        )
        document = st.selectbox(
            "Document",
            sorted(trials["sample_id"].unique()),
            index=None,
            placeholder="all",
            key="document",
            bind="query-params",
            width=220,
        )
    kept = trials
    if arms:
        kept = kept.filter(pl.col("arm").is_in(arms))
    if states:
        kept = kept.filter(pl.col("status").is_in(states))
    if document:
        kept = kept.filter(pl.col("sample_id") == document)
    return kept


def _trial(site: Site, trial_id: str) -> None:
    trial = site.ask("trial", trial_id=trial_id).row(0, named=True)
    st.subheader(f"{trial['arm']} · {trial['sample_id']} · repeat {trial['epoch'] + 1}", anchor=False)
    st.html(facts(_facts(trial)))
    if trial["error"]:
        notice(f"Ended without a result: {trial['error']}", kind="error")
    show_work(site, _work(site, trial))
    answer = answer_of(trial["answer"])
    if table := position_table(answer):
        st.markdown("**Positions handed in**")
        st.html(table)
        number = len(answer["positions"])
        cut = f"; only {count(MOST_POSITIONS)} are listed" if number > MOST_POSITIONS else ""
        st.caption(f"{plural(number, 'position')}{cut}. Those that report something stand first.")
    if failed := answer.get("failed"):
        notice(f"Parts that failed and are not in the answer: {', '.join(map(str, failed))}", kind="warning")


def _work(site: Site, trial: Mapping[str, Any]) -> Work:
    trial_id = trial["trial_id"]
    return Work(
        of=trial_id,
        sessions=site.ask("trial_sessions", trial_id=trial_id, most=MOST_SESSIONS),
        calls=site.ask("trial_model_calls", trial_id=trial_id, most=MOST_TICKS),
        simulated=bool(trial["simulated"]),
    )


def _facts(trial: Mapping[str, Any]) -> list[tuple[str, str]]:
    tiers = [name for name in ("strict", "standard", "lenient") if trial[name]]
    known = [("status", trial["status"] + (f" · attempt {trial['attempt']}" if trial["attempt"] > 1 else ""))]
    if trial["status"] == "completed":
        known += [
            ("recall", decimal(trial["recall"])),
            ("false flags", count(trial["false_flags"])),
            ("accuracy", decimal(trial["accuracy"])),
            ("completeness", decimal(trial["completeness"])),
            ("passes", ", ".join(tiers) or "no tier"),
            ("tokens", thousands(trial["total_tokens"])),
            ("tool calls", count(trial["tool_calls"])),
            ("cost at list price", money(trial["cost_usd"])),
        ]
    known += [("time", seconds(trial["duration_seconds"])), ("trial", trial["trial_id"])]
    return known
