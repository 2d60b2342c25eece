"""A written data folder, and the pages run over it as Streamlit would run them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.acceptance.dashboard.written_folder import write_experiment

Show = Callable[..., AppTest]


def page_script(page: str) -> None:
    """Draw one page; Streamlit runs this function's text on its own, so that it imports what it needs."""
    import streamlit as st

    from nightschool.dashboard.navigation import PAGES
    from nightschool.dashboard.site import on_page
    from nightschool.settings import read_settings

    shown = {entry.path: entry.show for entry in PAGES}
    pages = {name: st.Page(lambda: None, title=name, url_path=name) for name in shown}
    on_page(shown[page], read_settings(), pages)


def texts(app: AppTest) -> str:
    """Return the HTML that a page drew itself, all of it."""
    return "\n".join(element.proto.body for element in app.get("html"))


def told_errors(app: AppTest) -> list[str]:
    """Return what a page says went wrong."""
    return [body for element in app.get("html") if "ns-notice is-error" in (body := element.proto.body)]


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one finished experiment, `exp_demo`, for tests that only look."""
    folder = tmp_path_factory.mktemp("demo")
    write_experiment(folder)
    return folder


@pytest.fixture
def show(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Show:
    """Return a way to open a page, with URL parameters, and have it free of exceptions.

    It shows ``tmp_path`` unless given another folder.
    """

    def open_page(page: str, /, folder: Path = tmp_path, **parameters: str) -> AppTest:
        monkeypatch.setenv("NIGHTSCHOOL_DATA", str(folder))
        app = AppTest.from_function(page_script, default_timeout=40, kwargs={"page": page})
        for name, value in parameters.items():
            app.query_params[name] = value
        app.run()
        assert [] == [error.message for error in app.exception]
        return app

    return open_page
