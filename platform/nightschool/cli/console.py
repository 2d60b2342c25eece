"""Where the command line writes: results to standard output, everything else to standard error."""

from __future__ import annotations

import json
import shlex
from typing import Any

import click
from rich.console import Console

from nightschool.core.errors import NightschoolError

__all__ = ["command", "json_option", "messages", "results", "show_error", "show_json"]

_PIPED_WIDTH = 160
"""Columns of text when nobody's screen limits them."""


json_option = click.option("--json", "as_json", is_flag=True, help="Print everything as JSON, for programs.")
"""What every command that has something to say can do."""


def results() -> Console:
    """Return the console for what was asked for; plain and wide when piped."""
    terminal = Console(highlight=False)
    return terminal if terminal.is_terminal else Console(highlight=False, soft_wrap=True, width=_PIPED_WIDTH)


def messages() -> Console:
    """Return the console for progress and remarks, silent with --quiet; commands can be copied whole."""
    context = click.get_current_context(silent=True)
    is_quiet = bool(context and context.find_root().params.get("quiet"))
    return Console(stderr=True, highlight=False, soft_wrap=True, quiet=is_quiet)


def command(*words: str) -> str:
    """Return a command to type that goes to the same data folder and the same server as this one."""
    context = click.get_current_context(silent=True)
    options = context.find_root().params if context else {}
    place = [("--data", options.get("data")), ("--base-url", options.get("base_url"))]
    given = [part for option, value in place if value is not None for part in (option, str(value))]
    return shlex.join(["nightschool", *given, *words])


def show_json(value: Any) -> None:
    """Write a value as JSON, for other programs."""
    click.echo(json.dumps(value, indent=2, ensure_ascii=False, default=str))


def show_error(error: NightschoolError) -> None:
    """Say what went wrong and what to do, in one paragraph, with the code that scripts can look for."""
    click.secho(f"nightschool: {error.message}", fg="red", err=True, nl=False)
    click.echo(f"  [{error.code}]", err=True)
