"""One session: what it is, what it used, and its trace, a stretch of events at a time."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

import polars as pl
import streamlit as st

from nightschool.dashboard.chooser import empty
from nightschool.dashboard.elements import show_sessions, simulated_badge, watch
from nightschool.dashboard.markup import facts, folded, plain_heading
from nightschool.dashboard.site import Site, notice
from nightschool.dashboard.tables import hit_rows
from nightschool.dashboard.trace import PAGE_EVENTS, read_events, trace_list
from nightschool.dashboard.wording import ABSENT, count, moment, plural, seconds, short_id

__all__ = ["show"]

_LISTED: Final = 500
_CHILDREN: Final = 200
_MOST_HITS: Final = 200
_ENDED: Final = ("created", "idle", "terminated")
"""States in which nothing more is to be expected soon; imported transcripts stay `created`."""


def show(site: Site) -> None:
    """Draw the page."""
    session_id = _choose(site)
    if session_id is None:
        return
    found = site.ask("session", session_id=session_id)
    if found.is_empty():
        notice(
            f"There is no session {session_id} in this data folder. Choose one from the list;"
            " `nightschool sql` finds others in v1_sessions.",
            kind="warning",
        )
        return
    session = found.row(0, named=True)
    _header(site, session)
    _children(site, session_id)
    _trace(site, session)
    if session["status"] not in _ENDED:
        watch(site)


def _choose(site: Site) -> str | None:
    """Let the session be chosen from the newest, or its id be entered; the URL's ?session= does both."""
    recent = site.ask("recent_sessions", most=_LISTED)
    if recent.is_empty():
        hint = "Sessions appear here as soon as an agent works, or transcripts are imported:"
        empty(site, "No session yet", hint, "nightschool import tau-bench FILE")
        return None
    names = {row["session_id"]: _name(row) for row in recent.iter_rows(named=True)}
    wanted, last = st.query_params.get("session"), st.session_state.get("last_session")
    options = list(dict.fromkeys([*filter(None, (wanted, last)), *names]))
    if (wanted and wanted != last) or st.session_state.get("choice_session") not in options:
        st.session_state["choice_session"] = wanted or last or options[0]
    chosen = st.selectbox(
        "Session",
        options,
        format_func=lambda each: names.get(each, each),
        key="choice_session",
        accept_new_options=True,
        help=f"The {_LISTED} newest are listed; paste the id of any other.",
    )
    if not chosen:
        return None
    if last is not None and chosen != last:
        st.session_state["page"] = 1
    st.session_state["last_session"] = st.query_params["session"] = chosen.strip()
    return chosen.strip()


def _name(row: Mapping[str, Any]) -> str:
    parts = (row["title"], row["role"] or row["agent"], row["source"] if row["source"] != "run" else None)
    return " · ".join([part for part in parts if part] + [short_id(row["session_id"])])


def _header(site: Site, session: Mapping[str, Any]) -> None:
    st.subheader(plain_heading(session["title"] or short_id(session["session_id"])), anchor=False)
    simulated_badge(simulated=session["model"] == "simulated")
    st.html(facts(_facts(session)))
    with st.container(horizontal=True):
        if session["trial_id"]:
            st.page_link(
                site.pages["runs"],
                label="Its trial",
                icon=":material/view_timeline:",
                query_params={"experiment": session["experiment_id"], "trial": session["trial_id"]},
            )
        elif (plan := _plan_of(site, session)) is not None:
            st.page_link(
                site.pages["runs"],
                label="Its plan",
                icon=":material/account_tree:",
                query_params={"plan": plan},
            )
        if session["parent_session_id"]:
            up = st.button("The session that started it", icon=":material/arrow_upward:", type="tertiary")
            if up:
                site.open_session(session["parent_session_id"])


def _plan_of(site: Site, session: Mapping[str, Any]) -> str | None:
    """Return the session that holds the plan which this one carried out, or worked on a task of."""
    ids = {name: session[name] for name in ("session_id", "parent_session_id")}
    found = site.ask("plan_session", **ids)
    return None if found.is_empty() else str(found.item())


def _facts(session: Mapping[str, Any]) -> list[tuple[str, str]]:
    ended, started = session["ended_at"], session["started_at"]
    known = [
        ("session", session["session_id"]),
        ("agent", session["agent"] or ABSENT),
        ("model", session["model"] or ABSENT),
        ("status", session["status"] + (f" · {session['stop_reason']}" if session["stop_reason"] else "")),
        ("started (UTC)", moment(started)),
        ("time", seconds((ended - started).total_seconds()) if started and ended else ABSENT),
        ("tokens in · out", f"{count(session['input_tokens'])} · {count(session['output_tokens'])}"),
        ("model calls", count(session["model_calls"])),
        ("tool calls", count(session["tool_calls"]) + _errors(session["tool_errors"])),
    ]
    known += [(name, str(session[name])) for name in ("arm", "role", "source") if session[name]]
    if session["feedback"] is not None:
        known.append(("feedback", f"{session['feedback']:g} · {session['feedback_source']}"))
    return known


def _errors(number: int) -> str:
    return f" · {number} failed" if number else ""


def _children(site: Site, session_id: str) -> None:
    children = site.ask("session_children", session_id=session_id, most=_CHILDREN)
    if not children.is_empty():
        with st.expander(f"{children.height} sessions were started by this one"):
            show_sessions(site, children, key=f"children_{session_id}")


def _trace(site: Site, session: Mapping[str, Any]) -> None:
    st.subheader("Trace", anchor=False)
    total = int(session["events"])
    pages = max(1, -(-total // PAGE_EVENTS))
    _jump(site, session)
    _search(site, session)
    page = 1
    if pages > 1:
        page = st.pagination(pages, key="page", bind="query-params")
    first = (page - 1) * PAGE_EVENTS
    rows = site.ask("session_events", session_id=session["session_id"], after=first, upto=first + PAGE_EVENTS)
    _instructions(rows if page == 1 else pl.DataFrame())
    events = read_events(rows.iter_rows(named=True))
    st.html(trace_list(events, session_id=session["session_id"], marked=st.query_params.get("event")))
    shown = f"Events {first + 1:,} to {first + rows.height:,} of {total:,}; times are UTC. "
    st.caption(shown + "Events that only mark the state of the session are left out.")


def _jump(site: Site, session: Mapping[str, Any]) -> None:
    """Turn to the page of the event that the address names, once for each address."""
    wanted = st.query_params.get("event")
    if not wanted or wanted == st.session_state.get("last_event"):
        return
    st.session_state["last_event"] = wanted
    place = site.ask("session_place", event_id=wanted)
    if place.is_empty() or place["session_id"][0] != session["session_id"]:
        notice(f"There is no event {wanted} in this session.", kind="warning")
        return
    st.session_state["page"] = 1 + (place["seq"][0] - 1) // PAGE_EVENTS


def _search(site: Site, session: Mapping[str, Any]) -> None:
    words = st.text_input(
        "Search this session",
        key="find",
        type="search",
        placeholder="words, or a tool's name",
        bind="query-params",
        width=420,
        label_visibility="collapsed",
    )
    if not words or not words.strip():
        return
    hits = site.ask("session_search", session_id=session["session_id"], words=words.strip(), most=_MOST_HITS)
    cut = f" (the first {_MOST_HITS})" if hits.height == _MOST_HITS else ""
    st.caption(f"{plural(hits.height, 'event')} with these words{cut}; select one to go there.")
    if hits.is_empty():
        return
    event = st.dataframe(
        hit_rows(hits, words.strip()),
        hide_index=True,
        height=min(280, 38 + 35 * hits.height),
        key=f"hits_{words}",
        on_select="rerun",
        selection_mode="single-row",
        placeholder=ABSENT,
        alt="Events with these words",
    )
    if rows := event["selection"]["rows"]:
        st.session_state["page"] = 1 + (hits["seq"][rows[0]] - 1) // PAGE_EVENTS
        st.query_params["event"] = st.session_state["last_event"] = hits["event_id"][rows[0]]


def _instructions(rows: pl.DataFrame) -> None:
    """Show what the agent was told before the first message, folded away."""
    if rows.is_empty() or rows["type"][0] != "session.created":
        return
    agent = json.loads(rows["body"][0]).get("agent") or {}
    if system := str(agent.get("system") or ""):
        with st.expander("What the agent was told (system prompt)"):
            st.html(f'<div class="ns-trace">{folded(system)}</div>')
