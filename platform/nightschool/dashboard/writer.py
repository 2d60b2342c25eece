"""Who writes: the person who is logged in, or the name that somebody gives where there is no login."""

from __future__ import annotations

import streamlit as st

from nightschool.dashboard.login import logged_in_as
from nightschool.settings import Settings

__all__ = ["ask_name", "given_name"]


def ask_name(settings: Settings, *, key: str) -> None:
    """Ask under whose name something will be recorded; who is logged in is not asked."""
    if logged_in_as() is None:
        st.text_input("Your name", value=settings.reviewer, key=key, width=280)


def given_name(*, key: str) -> str:
    """Return under whose name something is recorded; with a login nobody writes under another's."""
    return logged_in_as() or str(st.session_state.get(key, "")).strip()
