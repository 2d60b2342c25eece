"""The dashboard as a server of its own: what a first page needs is loaded while the browser is on its way."""

from __future__ import annotations

import argparse
import sys
import threading
from collections.abc import Sequence
from importlib import import_module
from importlib.resources import files
from typing import Final

__all__ = ["serve"]

_NEEDED: Final = (
    "nightschool.dashboard.navigation",
    "nightschool.dashboard.pages.home",
    "nightschool.dashboard.results",
    "nightschool.dashboard.latest",
    "pandas",
)
"""Imported ahead, in this order: scipy takes two seconds, and Streamlit needs pandas for its first table."""


def serve(arguments: Sequence[str]) -> None:
    """Serve the dashboard until interrupted.

    Args:
        arguments: ``--port`` and ``--data``, as on the command line.
    """
    from streamlit.web import cli

    parser = argparse.ArgumentParser(prog="nightschool.dashboard")
    parser.add_argument("--port", type=int, default=8501)
    parser.add_argument("--data")
    chosen = parser.parse_args(arguments)
    threading.Thread(target=_load_ahead, name="load-ahead", daemon=True).start()
    options = ["--server.port", str(chosen.port), "--server.headless", "true"]
    data = ["--", "--data", chosen.data] if chosen.data else []
    script = str(files("nightschool.dashboard.entry").joinpath("script.py"))
    sys.argv = ["streamlit", "run", script, *options, *data]
    cli.main()


def _load_ahead() -> None:
    for name in _NEEDED:
        import_module(name)
