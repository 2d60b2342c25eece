"""Elements that several pages show alike."""

from __future__ import annotations

from typing import Any, Final

import polars as pl
import streamlit as st

from nightschool.dashboard.experiment import Experiment
from nightschool.dashboard.site import Site
from nightschool.dashboard.tables import session_rows

__all__ = ["link_to", "show_sessions", "simulated_badge", "watch"]

_WATCH_SECONDS: Final = 3.0

_SESSION_COLUMNS: Final[dict[str, Any]] = {
    "role": st.column_config.TextColumn("Role", width="small"),
    "title": st.column_config.TextColumn("Title"),
    "status": st.column_config.TextColumn("Status", width="small"),
    "time": st.column_config.NumberColumn("Time (s)", format="%.3f"),
    "tokens": st.column_config.NumberColumn("Tokens", format="localized"),
    "model_calls": st.column_config.NumberColumn("Model calls"),
    "tool_calls": st.column_config.NumberColumn("Tool calls"),
    "tool_errors": st.column_config.NumberColumn("Failed"),
    "session": st.column_config.TextColumn("Session", width="small"),
}


def show_sessions(site: Site, sessions: pl.DataFrame, *, key: str) -> None:
    """Show sessions as a table; selecting one opens its page."""
    event = st.dataframe(
        session_rows(sessions),
        column_config=_SESSION_COLUMNS,
        hide_index=True,
        key=key,
        on_select="rerun",
        selection_mode="single-row",
        placeholder="–",
        alt="Sessions; select one to open its trace",
    )
    rows = event["selection"]["rows"]
    if rows:
        site.open_session(sessions["session_id"][rows[0]])
    st.caption("Select a row to open the session's trace.")


@st.fragment(run_every=_WATCH_SECONDS)
def watch(site: Site) -> None:
    """Draw the page anew whenever something was recorded since; put where something is still going on."""
    st.caption("This page follows by itself what is recorded.")
    if site.source.version() != site.version:
        st.rerun()


def link_to(site: Site, experiment: Experiment) -> None:
    """Link to an experiment's comparison."""
    st.page_link(
        site.pages["compare"],
        label=experiment.label,
        icon=":material/balance:",
        query_params={"experiment": experiment.id},
    )


def simulated_badge(*, simulated: bool) -> None:
    """Mark results that were drawn and not earned."""
    if simulated:
        st.badge(
            "simulated",
            icon=":material/casino:",
            color="orange",
            help="These results were drawn from a declared distribution. They say nothing about real work.",
        )
