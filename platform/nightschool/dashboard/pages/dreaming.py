"""What dreams learnt: versions of a store, what a dream would change and why not more, what it is worth."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import polars as pl
import streamlit as st

from nightschool.core.clock import SystemClock
from nightschool.dashboard.chooser import empty
from nightschool.dashboard.dream_decision import command_line
from nightschool.dashboard.dream_section import show_dream
from nightschool.dashboard.memories import memories_of
from nightschool.dashboard.memory_section import show_conflicts, show_memory
from nightschool.dashboard.memory_tables import version_table
from nightschool.dashboard.site import Site, chosen
from nightschool.dashboard.source import Source, Version, folder_identity
from nightschool.dashboard.wording import moment, short_id
from nightschool.dashboard.worth_section import show_worth
from nightschool.memory.heads import Head, Heads
from nightschool.memory.memory import Memory
from nightschool.memory.texts import Texts

__all__ = ["show"]

_MOST_STORES: Final = 200
_MOST_VERSIONS: Final = 30
_MOST_DREAMS: Final = 200


def show(site: Site) -> None:
    """Draw the page."""
    stores = site.ask("memory_stores", most=_MOST_STORES)["store"].to_list()
    if not stores:
        hint = "A dream reads the sessions of this folder and writes what may be remembered into a new store:"
        empty(site, "No dream yet", hint, command_line(site.source.settings.data_dir, "dream"))
        return
    store = chosen("store", stores, label="Store")
    head = _head(site, store)
    dreams = site.ask("dreams", store=store, most=_MOST_DREAMS)
    _versions(site, store, head)
    dream = _choose_dream(dreams)
    current = head.store_id if head else None
    if dream is None:
        st.caption("No dream was had for this store; what it holds was written by hand.")
        after = _memories(site, current) if current else {}
    else:
        before = _memories(site, dream["input_store_id"])
        after = _memories(site, dream["output_store_id"]) if dream["output_store_id"] else before
        show_dream(site, dream, before, after, store=store, head=current)
    place = {"store": store, "dream": dream["dream_id"] if dream else ""}
    show_conflicts(after, **place)
    show_memory(site, after, head=current, **place)
    _worth(site)


def _head(site: Site, store: str) -> Head | None:
    """Return what sessions recall from; None where there is no journal to say so."""
    journal = site.source.journal
    return None if journal is None else Heads(journal=journal, clock=SystemClock()).get(store)


def _versions(site: Site, store: str, head: Head | None) -> None:
    st.subheader("Versions", anchor=False)
    found = site.ask("store_versions", store=store, most=_MOST_VERSIONS)
    if found.is_empty():
        st.caption("No version was written yet.")
        return
    st.html(
        version_table(
            found, store=store, head=head.store_id if head else None, before=head.previous if head else ()
        )
    )
    cut = f" The newest {_MOST_VERSIONS} are listed." if found.height == _MOST_VERSIONS else ""
    st.caption(f"A version is never changed by a dream. Only active memories are recalled.{cut}")


def _choose_dream(dreams: pl.DataFrame) -> Mapping[str, Any] | None:
    st.subheader("Dreams", anchor=False)
    if dreams.is_empty():
        return None
    rows = {row["dream_id"]: row for row in dreams.iter_rows(named=True)}
    wanted = chosen("dream", list(rows), label="Dream", written=lambda each: _dream_name(rows[each]))
    return rows[wanted]


def _dream_name(row: Mapping[str, Any]) -> str:
    told = row["status"].replace("_", " ")
    return f"{moment(row['began_at'])} · {told} · {row['mode']}, {row['rules']} · {short_id(row['dream_id'])}"


def _memories(site: Site, store_id: str) -> dict[str, Memory]:
    return _read_memories(folder_identity(site.source.settings), site.version, store_id, site.source)


@st.cache_data(show_spinner=False, max_entries=8)
def _read_memories(
    folder: tuple[str, int],  # noqa: ARG001 - part of the key
    version: Version,  # noqa: ARG001 - part of the key
    store_id: str,
    _source: Source,
) -> dict[str, Memory]:
    """Return a store's memories; their texts lie in the journal, so that one can be removed for good."""
    rows = _source.ask("store_memories", store_id=store_id)
    if _source.journal is None:
        return memories_of(rows, {})
    return memories_of(rows, Texts(journal=_source.journal, clock=SystemClock()).all())


def _worth(site: Site) -> None:
    from nightschool.experiments.memory_effect.kept import LOG_ID

    show_worth(site, log=LOG_ID, command=command_line(site.source.settings.data_dir, "dream", "effect"))
