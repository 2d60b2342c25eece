"""The pages by name, and the start of the app. Knows nothing about what the pages show."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, Final, NamedTuple

import streamlit as st

from nightschool.core.errors import NightschoolError
from nightschool.dashboard.login import is_let_in, show_account
from nightschool.dashboard.site import Site, notice, on_page
from nightschool.settings import Settings, read_settings

__all__ = ["PAGES", "Entry", "start"]


class Entry(NamedTuple):
    """A page and its place in the navigation."""

    path: str
    """In the URL and for links from other pages; its module in ``pages`` has the same name."""
    title: str
    icon: str

    def show(self, site: Site) -> None:
        """Draw the page. Its module is imported only now: one page needs no library of another."""
        import_module(f"nightschool.dashboard.pages.{self.path}").show(site)


PAGES: Final = (
    Entry("home", "Home", ":material/home:"),
    Entry("compare", "Compare", ":material/balance:"),
    Entry("outcomes", "Outcomes", ":material/fact_check:"),
    Entry("topologies", "Topologies", ":material/hub:"),
    Entry("dreaming", "Dreaming", ":material/bedtime:"),
    Entry("runs", "Runs", ":material/view_timeline:"),
    Entry("session", "Session", ":material/chat:"),
    Entry("live", "Live", ":material/sensors:"),
    Entry("costs", "Costs", ":material/payments:"),
    Entry("sql", "SQL", ":material/terminal:"),
    Entry("settings", "Settings", ":material/stethoscope:"),
)
"""In the order of the navigation."""


def start(arguments: Sequence[str] = ()) -> None:
    """Draw the page that the URL names.

    Args:
        arguments: what stands behind ``--`` on Streamlit's command line: ``--data FOLDER`` and ``--answers``.
    """
    with as_file(files("nightschool.dashboard")) as folder:
        # A file of our own: Streamlit's named icons are fetched from elsewhere when they stand in a tab.
        st.set_page_config(page_title="nightschool", page_icon=folder / "icon.svg", layout="wide")
        st.html(folder / "style.css")
    settings = _settings(arguments)
    pages: dict[str, Any] = {}
    # The first page of a site has no path of its own: it leads on, so that each page has its name as path.
    first = st.Page(lambda: _lead_on(pages), title="nightschool", default=True, visibility="hidden")
    pages |= {entry.path: _page(entry, settings, pages) for entry in PAGES}
    let_in = _is_let_in(settings)
    page = st.navigation([first, *pages.values()], position="top" if let_in else "hidden")
    if let_in:
        show_account()
        page.run()


def _is_let_in(settings: Settings) -> bool:
    try:
        return is_let_in(settings)
    except NightschoolError as error:
        notice(error.message, kind="error")
        return False


def _lead_on(pages: Mapping[str, Any]) -> None:
    """An address without a page is home's, or that of the experiment it names."""
    query = st.query_params.to_dict()
    st.switch_page(pages["compare" if "experiment" in query else "home"], query_params=query)


def _page(entry: Entry, settings: Settings, pages: Mapping[str, Any]) -> Any:
    def draw() -> None:
        on_page(entry.show, settings, pages)

    return st.Page(draw, title=entry.title, icon=entry.icon, url_path=entry.path)


def _settings(arguments: Sequence[str]) -> Settings:
    parser = argparse.ArgumentParser(prog="app.py", add_help=False)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--answers", action="store_true")
    given = parser.parse_known_args(list(arguments))[0]
    settings = read_settings(data=given.data)
    return replace(settings, answers=True) if given.answers else settings
