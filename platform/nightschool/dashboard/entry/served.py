"""What Streamlit serves: the script, and the front end told where its server is."""

from __future__ import annotations

from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware

from nightschool.dashboard.navigation import PAGES
from nightschool.dashboard.root_address import RootAddress

__all__ = ["app"]

app = st.App(
    Path(__file__).with_name("script.py"),
    middleware=[Middleware(RootAddress, pages=[entry.path for entry in PAGES])],
)
