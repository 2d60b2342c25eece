"""How a trial or a plan was carried out: its agents over time, its plan as a graph, writes that collided.

Knows nothing about what a trial is graded by.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import polars as pl
import streamlit as st

from nightschool.dashboard.download import numbers_of
from nightschool.dashboard.elements import show_sessions
from nightschool.dashboard.plan_graph import MOST_TASKS, critical_path, plan_chart, steps_of
from nightschool.dashboard.plots import show_plot
from nightschool.dashboard.site import Site
from nightschool.dashboard.tables import conflict_table, timeline_bars
from nightschool.dashboard.timeline import MOST_BARS, timeline_chart
from nightschool.dashboard.wording import plural, seconds

__all__ = ["MOST_SESSIONS", "Work", "show_work"]

MOST_SESSIONS: Final = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What was done together: the sessions of a trial, or of a plan that is in none."""

    of: str
    """The trial, or the session in which the plan is logged."""
    sessions: pl.DataFrame
    calls: pl.DataFrame
    """When the model's answers were complete."""
    simulated: bool


def show_work(site: Site, work: Work) -> None:
    """Show the sessions over time, the plan with its critical path and retries, and conflicts, if any."""
    _timeline(site, work)
    _plan(site, work)
    _conflicts(site, work)


def _timeline(site: Site, work: Work) -> None:
    if work.sessions.is_empty():
        st.caption("None of its sessions is in the log.")
        return
    bars = timeline_bars(work.sessions, work.calls)
    st.markdown("**Agents at work**")
    cut = f" Only the first {MOST_BARS} sessions are drawn." if len(bars) > MOST_BARS else ""
    event = show_plot(
        timeline_chart(bars, simulated=work.simulated),
        key=f"timeline_{work.of}",
        alt=f"Timeline of {len(bars)} sessions, one bar each; the table below says the same",
        numbers=numbers_of(bars),
        caption=f"One bar a session, from its start to its last event; ticks are answers of the model.{cut}",
        on_select="rerun",
        selection_mode="points",
    )
    points = event["selection"]["points"]
    if points:
        site.open_session(str(points[0]["customdata"][0]))
    show_sessions(site, work.sessions, key=f"sessions_{work.of}")


def _plan(site: Site, work: Work) -> None:
    tasks = site.ask("plan_tasks", of=work.of, most=MOST_TASKS + 1)
    steps = steps_of(tasks.iter_rows(named=True))
    if not steps:
        return
    st.markdown("**The plan and what became of it**")
    path, length = critical_path(steps)
    again = sum(step.attempts > 1 for step in steps)
    retries = (
        f" {plural(again, 'task')} had to be tried again (diamonds)." if again else " No task was retried."
    )
    cut = f" Only the first {MOST_TASKS} tasks are drawn." if len(steps) > MOST_TASKS else ""
    event = show_plot(
        plan_chart(steps, simulated=work.simulated),
        key=f"plan_{work.of}",
        alt=f"Plan of {len(steps)} tasks; critical path: {', '.join(path)}",
        numbers=tasks,
        caption=f"Critical path: {plural(len(path), 'task')}, {seconds(length)} measured.{retries}{cut}",
        on_select="rerun",
        selection_mode="points",
    )
    points = [point for point in event["selection"]["points"] if point.get("customdata")]
    if points and points[0]["customdata"][0]:
        site.open_session(str(points[0]["customdata"][0]))


def _conflicts(site: Site, work: Work) -> None:
    found = site.ask("plan_conflicts", of=work.of, most=MOST_TASKS)
    if found.is_empty():
        return
    st.markdown("**Writes that came in one another's way**")
    st.html(conflict_table(found.iter_rows(named=True)))
    st.caption(
        "A write on what has changed since it was read is refused and tried again; from the third refusal"
        " on the orchestrator decides."
    )
