"""What is going on now: agents that ask, experiments and caps, sessions, pools, queues, today's spend."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import polars as pl
import streamlit as st

from nightschool.core.clock import SystemClock
from nightschool.dashboard.asking import show_asking
from nightschool.dashboard.caps import caps
from nightschool.dashboard.chooser import empty
from nightschool.dashboard.elements import link_to
from nightschool.dashboard.experiment import Experiment
from nightschool.dashboard.markup import Cell, Column, data_table, facts
from nightschool.dashboard.site import Site
from nightschool.dashboard.wording import ABSENT, count, money, plural, seconds, short_id, thousands
from nightschool.journal.queue import ItemState, counts_by_queue

__all__ = ["show"]

_REFRESH_SECONDS: Final = 3.0
_MOST: Final = 200
_COLUMNS: Final[dict[str, Any]] = {
    "title": st.column_config.TextColumn("Title"),
    "role": st.column_config.TextColumn("Role", width="small"),
    "arm": st.column_config.TextColumn("Arm", width="small"),
    "running": st.column_config.TextColumn("Running for", width="small"),
    "quiet": st.column_config.TextColumn("Status unchanged for", width="small"),
    "session": st.column_config.TextColumn("Session", width="small"),
}


def show(site: Site) -> None:
    """Draw the page; it follows what is recorded by itself."""
    st.fragment(_live, run_every=_REFRESH_SECONDS)(site)


def _live(site: Site) -> None:
    now = site.refreshed()
    experiments = [each for each in now.experiments() if not each.is_complete]
    running = now.ask("running_sessions", most=_MOST)
    queues = counts_by_queue(now.source.journal) if now.source.journal else {}
    asking = now.source.reader.waiting_permissions()
    pools = now.ask("pools", most=_MOST)
    _spend(now)
    show_asking(now, asking)
    _unfinished(now, experiments)
    _sessions(now, running)
    _pools(pools)
    _queues(queues)
    if not experiments and running.is_empty() and asking.is_empty():
        empty(now, "Nothing is running", "Start something; it appears here by itself:", "nightschool demo")


def _spend(site: Site) -> None:
    days = site.ask("spend_by_day").filter(~pl.col("simulated"))
    sums = days.select("items", "tokens", "cost_usd")
    now = sums.filter(days["day"] == SystemClock().now().date()).sum().row(0, named=True)
    known = [
        ("tokens today (UTC)", thousands(now["tokens"])),
        ("spent today at list price", money(now["cost_usd"])),
        ("trials and sessions ended today", count(now["items"])),
        ("spent altogether", money(sums.sum().row(0, named=True)["cost_usd"])),
    ]
    st.html(facts(known))
    st.caption("Simulated trials are left out. Caps are an experiment's own: `budget` in its file.")


def _unfinished(site: Site, experiments: Sequence[Experiment]) -> None:
    if not experiments:
        return
    st.subheader("Experiments under way", anchor=False)
    for each in experiments:
        done = each.recorded + each.errored
        last = site.last_change(each.id)
        quiet = None if last is None else (SystemClock().now() - last).total_seconds()
        so_far = f"{done} of {plural(each.expected, 'trial')}, {each.errored} errored"
        with st.container(border=True):
            link_to(site, each)
            st.progress(min(1.0, done / each.expected), text=f"{so_far}; last change {seconds(quiet)} ago")
            _against_caps(site, each)
            st.caption("If it was stopped, nothing is lost; finish it with:")
            st.code(f"nightschool run --resume {each.id}", language=None)


def _against_caps(site: Site, experiment: Experiment) -> None:
    spent = site.ask("experiment_spend", experiment_id=experiment.id).row(0, named=True)
    for cap in caps(experiment.manifest.budget, spent):
        st.progress(min(1.0, cap.share), text=cap.said)


def _sessions(site: Site, running: pl.DataFrame) -> None:
    if running.is_empty():
        return
    st.subheader("Sessions at work", anchor=False)
    event = st.dataframe(
        _session_rows(running),
        column_config=_COLUMNS,
        hide_index=True,
        key="running",
        on_select="rerun",
        selection_mode="single-row",
        placeholder=ABSENT,
        alt="Sessions at work; select one to open its trace",
    )
    altogether = running["altogether"][0]
    st.caption(
        f"{plural(altogether, 'session')} whose last status is running, {running.height} listed."
        " One whose process was killed stays among them until it is woken."
    )
    if rows := event["selection"]["rows"]:
        site.open_session(running["session_id"][rows[0]])


def _session_rows(running: pl.DataFrame) -> pl.DataFrame:
    now = SystemClock().now()
    rows = [
        {
            "title": row["title"] or row["agent"] or short_id(row["session_id"]),
            "role": row["role"],
            "arm": row["arm"],
            "running": _ago(now, row["started_at"]),
            "quiet": _ago(now, row["changed_at"]),
            "session": row["session_id"],
        }
        for row in running.iter_rows(named=True)
    ]
    return pl.DataFrame(rows, infer_schema_length=None)


def _ago(now: Any, at: Any) -> str:
    return ABSENT if at is None else seconds((now - at).total_seconds())


def _pools(pools: pl.DataFrame) -> None:
    if pools.is_empty():
        return
    st.subheader("Pools", anchor=False)
    now = SystemClock().now()
    columns = [
        Column(name="Session", numeric=False),
        Column(name="Arm", numeric=False),
        Column(name="Agents", unit="now"),
        Column(name="Agents", unit="at most so far"),
        Column(name="Waiting", unit="ready tasks"),
        Column(name="Unchanged for"),
    ]
    rows = [
        [
            Cell(text=short_id(row["session_id"]), link=_work_of(row)),
            Cell(text=row["arm"] or ABSENT),
            Cell(text=count(row["size"])),
            Cell(text=count(row["largest"])),
            Cell(text=count(row["waiting"] or 0)),
            Cell(text=_ago(now, row["changed_at"])),
        ]
        for row in pools.iter_rows(named=True)
    ]
    st.html(data_table(columns, rows, caption="Pools of agents by plan"))


def _work_of(row: Mapping[str, Any]) -> str:
    """A plan that is in no trial has a page where it is drawn."""
    kind = "session?session" if row["trial_id"] else "runs?plan"
    return f"{kind}={row['session_id']}"


def _queues(queues: dict[str, dict[ItemState, int]]) -> None:
    if not queues:
        return
    st.subheader("Queues", anchor=False)
    columns = [
        Column(name="Queue", numeric=False),
        *(Column(name=s.capitalize(), unit="items") for s in ItemState),
    ]
    rows = [
        [Cell(text=name), *(_state(state, counts[state]) for state in ItemState)]
        for name, counts in queues.items()
    ]
    st.html(data_table(columns, rows, caption="Items of every queue by state"))
    st.caption("Dead items failed for good and wait for somebody to revive them.")


def _state(state: ItemState, number: int) -> Cell:
    return Cell(text=count(number), tone="warn" if state is ItemState.DEAD and number else "")
