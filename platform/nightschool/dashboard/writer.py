"""Who writes: the name that a person gives."""

from __future__ import annotations

import streamlit as st

from nightschool.settings import Settings

__all__ = ["ask_name", "given_name"]


def ask_name(settings: Settings, *, key: str) -> None:
    """Ask under whose name something will be recorded."""
    st.text_input("Your name", value=settings.reviewer, key=key, width=280)


def given_name(*, key: str) -> str:
    """Return the name that was given."""
    return str(st.session_state.get(key, "")).strip()
