"""The part of the page *Dreaming* about one dream: what it would change, what it held back, what can be done.

It only looks: commands are shown, none is run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import streamlit as st

from nightschool.dashboard.dream_decision import Standing, decision
from nightschool.dashboard.elements import watch
from nightschool.dashboard.markup import facts
from nightschool.dashboard.memories import counts_of
from nightschool.dashboard.memory_tables import change_rows, gate_table, json_of
from nightschool.dashboard.site import Site, notice
from nightschool.dashboard.source import Version, folder_identity
from nightschool.dashboard.wording import ABSENT, count, moment
from nightschool.events.dream import DreamTried
from nightschool.memory.edit import Edit, edits_between
from nightschool.memory.memory import Memory

__all__ = ["show_dream"]

_HIGHEST: Final = 460
"""Pixels of the table of changes."""
_COLUMNS: Final[dict[str, Any]] = {
    "what": st.column_config.TextColumn("What", width="small"),
    "state": st.column_config.TextColumn("State", width="small"),
    "kind": st.column_config.TextColumn("Kind", width="small"),
    "sure": st.column_config.NumberColumn("Sure (0–1)", format="%.2f", width="small"),
    "says": st.column_config.TextColumn("Says", width="large"),
    "why": st.column_config.TextColumn("Why it is there", width="medium"),
    "for": st.column_config.NumberColumn("For (sessions)", format="%.1f", width=105),
    "against": st.column_config.NumberColumn("Against (sessions)", format="%.1f", width=130),
    "path": st.column_config.TextColumn("Path"),
}


def show_dream(
    site: Site,
    dream: Mapping[str, Any],
    before: Mapping[str, Memory],
    after: Mapping[str, Memory],
    *,
    store: str,
    head: str | None,
) -> None:
    """Show a dream.

    Args:
        site: the folder to look in.
        dream: a row of ``questions.sql: dreams``.
        before: the memories of the store it read.
        after: the memories of the store it wrote.
        store: the store's name.
        head: the version that sessions recall from; None where that is not known.
    """
    st.html(facts(_facts(dream)))
    if dream["error"] and dream["status"] == "failed":
        notice(dream["error"], kind="error")
    for alarm in json_of(dream["alarms"]):
        notice(str(alarm), kind="warning")
    _decide(site, dream, before, after, store=store, head=head)
    _changes(edits_between(before, after))
    gates = json_of(dream["gates"])
    st.subheader("What was not promoted, and why", anchor=False)
    if gates:
        st.html(gate_table(gates))
    else:
        st.caption("Nothing was held back.")
    if dream["status"] == "running":
        watch(site)


def _facts(dream: Mapping[str, Any]) -> list[tuple[str, str]]:
    found = json_of(dream["findings"])
    results = ", ".join(f"{count(number)} {name}" for name, number in (found.get("results") or {}).items())
    tried = _trial_of(dream)
    optional = (
        ("results", results),
        ("tried", f"{tried.result} on {tried.suite}: {tried.reason}" if tried else ""),
        ("in the experiment", tried.experiment_id if tried else ""),
        ("disputed", count(found["disputed"]) if found.get("disputed") else ""),
        ("tenant", dream["tenant"] or ""),
        ("decided (UTC)", moment(dream["decided_at"]) if dream["decided_at"] else ""),
        ("approved by", dream["approved_by"] or ""),
        ("rejected because", dream["rejected_because"] or ""),
    )
    return [
        ("dream", dream["dream_id"]),
        ("status", dream["status"].replace("_", " ")),
        ("rules · mode", f"{dream['rules']} · {dream['mode']}"),
        ("sessions read", count(dream["sessions"])),
        ("began (UTC)", moment(dream["began_at"])),
        *((name, value) for name, value in optional if value),
    ]


def _trial_of(dream: Mapping[str, Any]) -> DreamTried | None:
    return DreamTried.model_validate_json(dream["tried"]) if dream["tried"] else None


def _decide(
    site: Site,
    dream: Mapping[str, Any],
    before: Mapping[str, Memory],
    after: Mapping[str, Memory],
    *,
    store: str,
    head: str | None,
) -> None:
    """Say where adoption stands. The page runs no command: it only shows them."""
    objections = _objections(site, dream, before, after)
    standing = Standing(
        dream_id=dream["dream_id"],
        store=store,
        status=dream["status"],
        input_store_id=dream["input_store_id"],
        output_store_id=dream["output_store_id"],
        head=head,
        objections=objections,
        tried_in=tried.experiment_id if (tried := _trial_of(dream)) else None,
    )
    found = decision(standing, site.source.settings.data_dir)
    for objection in objections:
        notice(f"Against it: {objection}", kind="warning")
    notice(found.text)
    for each in found.commands:
        st.caption(each.what.capitalize() + ":")
        st.code(each.line, language=None)


def _objections(
    site: Site, dream: Mapping[str, Any], before: Mapping[str, Memory], after: Mapping[str, Memory]
) -> Sequence[str]:
    if dream["status"] not in {"completed", "held"}:
        return ()
    folder, version = folder_identity(site.source.settings), site.version
    suite = site.source.settings.adoption_suite
    found = _checked(folder, version, dream["dream_id"], before, after, dream["tenant"] or "")
    found = [*found, *_from_trial(dream, suite)]
    if dream["status"] == "held":
        share = float(json_of(dream["findings"]).get("archived_share") or 0.0)
        return [*found, f"{share:.0%} of the memories recalled so far would be recalled no longer"]
    return found


def _from_trial(dream: Mapping[str, Any], suite: str) -> Sequence[str]:
    from nightschool.dreaming.adopt import trial_checks

    return trial_checks(dream["dream_id"], _trial_of(dream), suite)


@st.cache_data(show_spinner=False, max_entries=16)
def _checked(
    folder: tuple[str, int],  # noqa: ARG001 - part of the key
    version: Version,  # noqa: ARG001 - part of the key
    dream_id: str,  # noqa: ARG001 - part of the key
    _before: Mapping[str, Memory],
    _after: Mapping[str, Memory],
    tenant: str,
) -> list[str]:
    """Return what adopting would be refused for; the checks load libraries that take a second."""
    from nightschool.dreaming.adopt import regression_checks, safety_checks
    from nightschool.dreaming.drift import DriftLimits, drift_checks
    from nightschool.models.embed import MiniLmEmbedder

    found = [*safety_checks(_before, _after, tenant), *regression_checks(_before, _after)]
    return found + drift_checks(_before, _after, DriftLimits(), MiniLmEmbedder())


def _changes(changes: Sequence[Edit]) -> None:
    st.subheader("What it changes", anchor=False)
    if not changes:
        st.caption("Nothing.")
        return
    counts = counts_of(changes)
    kind = st.segmented_control(
        "Show",
        list(counts),
        format_func=lambda what: f"{what} ({counts[what]})",
        key="change",
        bind="query-params",
        label_visibility="collapsed",
    )
    shown = [change for change in changes if kind in {None, change.what}]
    event = st.dataframe(
        change_rows(shown),
        column_config=_COLUMNS,
        hide_index=True,
        height=min(_HIGHEST, 38 + 35 * len(shown)),
        key=f"changes_{kind}",
        on_select="rerun",
        selection_mode="single-row",
        placeholder=ABSENT,
        alt="Memories that the dream changes; select one to see what it rests on",
    )
    st.caption("Only active memories are recalled. Select a row to see below what it rests on.")
    rows = event["selection"]["rows"]
    selected = shown[rows[0]].path if rows else None
    if selected is not None and selected != st.session_state.get("last_change"):
        st.session_state["choice_memory"] = selected
    st.session_state["last_change"] = selected
