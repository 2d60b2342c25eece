"""The part of the page *Live* in which a person answers agents that ask. Writes through `answering` alone."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from typing import Any, Final, Literal
from unicodedata import category

import polars as pl
import streamlit as st

from nightschool.core.clock import SystemClock
from nightschool.core.errors import NightschoolError
from nightschool.dashboard.answering import write_answer
from nightschool.dashboard.markup import escaped, facts
from nightschool.dashboard.site import Site, notice
from nightschool.dashboard.wording import ABSENT, count, plural, seconds, short_id
from nightschool.dashboard.writer import ask_name, given_name
from nightschool.sessions.permission import Answer
from nightschool.settings import Settings

__all__ = ["given_text", "show_asking"]

_LISTED: Final = 20
_LONGEST_REASON: Final = 2_000
_HEARD: Final = "last_word"
_LONGEST_GIVEN: Final = 100_000
_UNSEEN: Final = "C"
"""Unicode's categories of characters that control, format, or mean nothing."""


def show_asking(site: Site, asking: pl.DataFrame) -> None:
    """Draw the part; nothing while nobody asks."""
    if _HEARD in st.session_state:
        kind, text = st.session_state[_HEARD]
        notice(text, kind=kind)
    if asking.is_empty():
        return
    st.subheader("Permission requests", anchor=False)
    st.caption(
        f"{plural(asking.height, 'tool call')} waiting for a person's word. With it the session goes on by"
        " itself, or when its run is resumed if that was stopped. Of several answers the first holds."
    )
    if not site.source.settings.answers:
        notice(
            "This dashboard only reads. Answer from the command line, or start it with the right to answer:"
        )
        st.code("nightschool permit\nnightschool open --answers", language=None)
    for row in asking.head(_LISTED).iter_rows(named=True):
        _request(site, row)
    if asking.height > _LISTED:
        st.caption(f"{_LISTED} of {asking.height} are shown, those that have waited longest.")


def _request(site: Site, row: Mapping[str, Any]) -> None:
    with st.container(border=True):
        waited = None if row["asked_at"] is None else (SystemClock().now() - row["asked_at"]).total_seconds()
        known = [
            ("tool", row["tool"]),
            ("agent", row["agent_id"] or ABSENT),
            ("arm", row["arm"] or ABSENT),
            ("waiting for", ABSENT if waited is None else seconds(waited)),
        ]
        st.html(facts(known))
        given = given_text(row["input"] or "{}")
        is_whole = len(given) <= _LONGEST_GIVEN
        label = "What the tool would be given"
        shown = escaped(given[:_LONGEST_GIVEN])
        st.html(f'<pre class="ns-asked" tabindex="0" aria-label="{label}">{shown}</pre>')
        st.page_link(
            site.pages["session"],
            label=f"Session {short_id(row['session_id'])}: how it came to ask",
            icon=":material/chat:",
            query_params={"session": row["session_id"]},
        )
        if not is_whole:
            # A person allows exactly what is shown, never its beginning.
            notice(f"{count(len(given))} characters are too many to show; answer with `nightschool permit`.")
        elif site.source.settings.answers:
            _answer(site, row)


def given_text(text: str) -> str:
    """Return JSON legibly; characters that cannot be seen, or turn others round, by their numbers."""
    legible = json.dumps(json.loads(text), indent=2, ensure_ascii=False)
    return "".join(c if c == "\n" or category(c)[0] != _UNSEEN else f"\\u{ord(c):04x}" for c in legible)


def _answer(site: Site, row: Mapping[str, Any]) -> None:
    call, settings = row["tool_use_id"], site.source.settings
    ask_name(settings, key=f"name_{call}")
    st.text_input("Why not (told to the agent)", max_chars=_LONGEST_REASON, key=f"reason_{call}")
    say = partial(_say, settings, row["session_id"], call)
    with st.container(horizontal=True):
        # Said before the page is drawn anew: by then somebody else's word may have taken the request away.
        st.button("Allow", key=f"allow_{call}", icon=":material/check:", on_click=say, args=("allow",))
        st.button("Deny", key=f"deny_{call}", icon=":material/block:", on_click=say, args=("deny",))


def _say(settings: Settings, session_id: str, call: str, result: Literal["allow", "deny"]) -> None:
    reason = "" if result == "allow" else st.session_state[f"reason_{call}"]
    try:
        answer = Answer(result=result, given_by=given_name(key=f"name_{call}"), reason=reason)
        held = write_answer(settings, session_id, call, answer)
    except NightschoolError as error:
        st.session_state[_HEARD] = ("warning", error.message)
        return
    is_own = (held.result, held.given_by) == (answer.result, answer.given_by)
    holds = "Recorded:" if is_own else "Somebody was faster, and that word holds:"
    st.session_state[_HEARD] = ("info", f"{holds} {held.result} by {held.given_by or 'unknown'}")
