"""Plans that were carried out in no trial, as `nightschool plan run` does it: a list, and one of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import polars as pl
import streamlit as st

from nightschool.dashboard.elements import simulated_badge, watch
from nightschool.dashboard.markup import facts, plain_heading
from nightschool.dashboard.site import Site, notice
from nightschool.dashboard.timeline import MOST_TICKS
from nightschool.dashboard.wording import ABSENT, count, moment, plural, seconds, thousands
from nightschool.dashboard.work_section import MOST_SESSIONS, Work, show_work

__all__ = ["list_own_plans", "show_own_plan"]

_MOST: Final = 200
_SIMULATED: Final = "simulated"


def list_own_plans(site: Site) -> None:
    """List the plans that are in no trial, folded away; selecting one shows it. May be nothing."""
    plans = site.ask("own_plans", session_id=None, most=_MOST)
    if plans.is_empty():
        return
    cut = f"the {_MOST} newest" if plans.height == _MOST else count(plans.height)
    with st.expander(f"Plans that are in no experiment ({cut})", icon=":material/account_tree:"):
        event = st.dataframe(
            _rows(plans),
            hide_index=True,
            key="own_plans",
            on_select="rerun",
            selection_mode="single-row",
            placeholder=ABSENT,
            alt="Plans that are in no experiment; select one to see how it was carried out",
        )
        st.caption("Select a row to see how the plan was carried out.")
    if rows := event["selection"]["rows"]:
        st.query_params.from_dict({"plan": plans["session_id"][rows[0]]})
        st.rerun()


def _rows(plans: pl.DataFrame) -> pl.DataFrame:
    return plans.select(
        pl.col("goal").alias("Goal"),
        pl.when("done").then(pl.lit("done")).otherwise(pl.lit("under way")).alias("Status"),
        pl.col("completed").alias("Tasks completed"),
        pl.col("tasks").alias("Tasks"),
        pl.col("made_at").alias("Begun (UTC)"),
        pl.col("session_id").alias("Session"),
    )


def show_own_plan(site: Site, session_id: str) -> None:
    """Show how one plan was carried out, and lead back to the list."""
    if st.button("All runs", icon=":material/arrow_back:", type="tertiary"):
        del st.query_params["plan"]
        st.rerun()
    found = site.ask("own_plans", session_id=session_id, most=1).to_dicts()
    if not found:
        notice(f"Session {session_id} holds no plan that is in no experiment.", kind="warning")
        return
    work = _work(site, session_id)
    st.subheader(plain_heading(found[0]["goal"] or "A plan"), anchor=False)
    simulated_badge(simulated=work.simulated)
    st.html(facts(_facts(found[0], work.sessions)))
    st.page_link(
        site.pages["session"],
        label="Its log",
        icon=":material/chat:",
        query_params={"session": session_id},
    )
    show_work(site, work)
    if not found[0]["done"]:
        st.caption("If it was stopped, nothing that was finished is lost; go on with:")
        st.code(f"nightschool plan wake {session_id}", language=None)
        watch(site)


def _work(site: Site, session_id: str) -> Work:
    sessions = site.ask("plan_sessions", session_id=session_id, most=MOST_SESSIONS)
    return Work(
        of=session_id,
        sessions=sessions,
        calls=site.ask("plan_model_calls", session_id=session_id, most=MOST_TICKS),
        simulated=_SIMULATED in sessions["model"],
    )


def _facts(plan: Mapping[str, Any], sessions: pl.DataFrame) -> Sequence[tuple[str, str]]:
    took = sessions.select(pl.col("ended_at").max() - pl.col("started_at").min()).item()
    return [
        ("status", "done" if plan["done"] else "under way"),
        ("tasks completed", f"{count(plan['completed'])} of {plural(plan['tasks'], 'task')}"),
        ("tokens", thousands(sum(sessions["total_tokens"]))),
        ("begun (UTC)", moment(plan["made_at"])),
        ("time", seconds(took.total_seconds()) if took is not None else ABSENT),
        ("session", plan["session_id"]),
    ]
