"""The part of the page *Dreaming* about memories: where one comes from, how sure it is, what disagrees."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import streamlit as st

from nightschool.dashboard.download import numbers_of
from nightschool.dashboard.markup import facts, folded
from nightschool.dashboard.memories import conflicts_in, said, steps_of, told_of
from nightschool.dashboard.memory_charts import confidence_chart, versions_chart
from nightschool.dashboard.plots import show_plot
from nightschool.dashboard.provenance import (
    MOST_SESSIONS,
    conflict_cards,
    evidence_table,
    history_table,
    linked_table,
    memory_facts,
)
from nightschool.dashboard.site import Site, chosen_if_any
from nightschool.dashboard.wording import plural
from nightschool.memory.memory import Memory

__all__ = ["show_conflicts", "show_memory"]

_MOST_VERSIONS: Final = 100
_MOST_CONFLICTS: Final = 50


def show_memory(
    site: Site, memories: Mapping[str, Memory], *, store: str, dream: str, head: str | None
) -> None:
    """Let a memory be chosen, by the URL's ``?memory=`` or from the list, and show what it rests on."""
    st.subheader("Where a memory comes from", anchor=False)
    path = chosen_if_any(
        "memory", list(memories), label="Memory", placeholder="Choose one here, or a row of a table above"
    )
    if path is None:
        return
    memory = memories[path]
    st.html(f'<div class="ns-trace">{folded(said(memory))}</div>')
    st.html(facts(memory_facts(memory)))
    if links := linked_table(memory, memories, store=store, dream=dream):
        st.html(links)
    _sessions(memory)
    _confidence(site, memory, store=store, head=head)


def _sessions(memory: Memory) -> None:
    known = memory.attributes
    if not known.sessions:
        st.caption("It rests on no session: somebody wrote it by hand.")
        return
    st.html(f'<div class="ns-tall">{evidence_table(known)}</div>')
    number = len(known.evidence) + len(known.outcomes)
    cut = f" The first {MOST_SESSIONS} are listed." if number > MOST_SESSIONS else ""
    st.caption(
        f"{plural(number, 'row')}; a session leads to its trace, an event to its place in it. A session"
        f" counts once, and less when several memories share its outcome or the agent judged itself.{cut}"
    )


def _confidence(site: Site, memory: Memory, *, store: str, head: str | None) -> None:
    st.subheader("How sure it became", anchor=False)
    told = told_of(site.ask("memory_history", store=store, path=memory.path, most=_MOST_VERSIONS))
    standing = [each for each in told if each.what != "deleted"]
    left, right = st.columns(2, gap="large")
    with left:
        if steps := steps_of(memory):
            show_plot(
                confidence_chart(steps),
                key="confidence",
                alt="How sure the memory became with each session",
                numbers=numbers_of(steps),
                caption="The lower 10 % bound of the chance that it is right, session by session in order of"
                " time; those of unknown time come first.",
            )
        else:
            st.caption("No session was counted for it yet.")
    with right:
        if len(standing) > 1:
            show_plot(
                versions_chart(standing),
                key="versions",
                alt="How sure each version of the store was of the memory",
                numbers=numbers_of(standing),
                caption="As each version of the store has it.",
            )
        else:
            st.caption("One version of the store has it so far; a later dream adds a point over time here.")
    st.html(history_table(told, head=head))


def show_conflicts(memories: Mapping[str, Memory], *, store: str, dream: str) -> None:
    """Show both sides of every conflict, those that nobody has decided in front."""
    st.subheader("Conflicts", anchor=False)
    found = conflicts_in(memories)
    if not found:
        st.caption("No two memories of this version disagree.")
        return
    undecided = [each for each in found if each.is_open]
    settled = [each for each in found if not each.is_open]
    st.caption(f"{len(undecided)} open, {len(settled)} settled. The side with a green edge is recalled.")
    shown = undecided[:_MOST_CONFLICTS]
    st.html(conflict_cards(shown, store=store, dream=dream))
    if len(undecided) > len(shown):
        st.caption(f"The first {_MOST_CONFLICTS} are shown.")
    if settled:
        with st.expander(f"Settled ({len(settled)})"):
            st.html(conflict_cards(settled[:_MOST_CONFLICTS], store=store, dream=dream))
