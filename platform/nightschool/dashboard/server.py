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

_FRAMES: Final = ("polars", "pandas")
"""Imported before the first page: plotly and Streamlit take whichever of them is there, even one that another
thread is still importing, and then fail on what it lacks."""
_NEEDED: Final = (
    "nightschool.dashboard.entry.served",
    "nightschool.dashboard.pages.home",
    "nightschool.dashboard.results",
    "nightschool.dashboard.latest",
)
"""Imported while the browser is on its way: scipy takes two seconds."""


def serve(arguments: Sequence[str]) -> None:
    """Serve the dashboard until interrupted.

    Args:
        arguments: ``--port``, ``--data`` and ``--answers``, as on the command line.
    """
    from streamlit.web import cli

    parser = argparse.ArgumentParser(prog="nightschool.dashboard")
    parser.add_argument("--port", type=int, default=8501)
    parser.add_argument("--data")
    parser.add_argument("--answers", action="store_true")
    chosen = parser.parse_args(arguments)
    _load(_FRAMES)
    threading.Thread(target=_load, args=[_NEEDED], name="load-ahead", daemon=True).start()
    options = ["--server.port", str(chosen.port), "--server.headless", "true"]
    passed = ["--data", chosen.data] if chosen.data else []
    passed += ["--answers"] if chosen.answers else []
    script = str(files("nightschool.dashboard.entry").joinpath("served.py"))
    sys.argv = ["streamlit", "run", script, *options, "--", *passed]
    cli.main()


def _load(names: Sequence[str]) -> None:
    for name in names:
        import_module(name)
