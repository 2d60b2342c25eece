"""`nightschool trace`: one session, legibly."""

from __future__ import annotations

from functools import partial

import anyio
import click
from rich.console import Console
from rich.text import Text

from nightschool.bootstrap import open_workspace
from nightschool.cli.console import json_option, results, show_json
from nightschool.core.errors import NotFound
from nightschool.events.base import EventBase
from nightschool.events.trace import TraceLine, trace_lines
from nightschool.settings import Settings

__all__ = ["trace"]

_SHORT = 400
"""Characters of a text shown unless all is asked for."""
_COLOURS = {"user": "cyan", "agent": "green", "tool": "yellow", "grader": "magenta", "model": "blue"}


@click.command()
@click.argument("session_id", metavar="SESSION")
@click.option("--full", is_flag=True, help="Show every text whole.")
@json_option
@click.pass_obj
def trace(settings: Settings, session_id: str, *, full: bool, as_json: bool) -> None:
    """Show what happened in SESSION, event by event."""
    events = anyio.run(partial(_events, settings, session_id))
    if as_json:
        show_json([event.model_dump(mode="json") for event in events])
        return
    console = results()
    for line in trace_lines(events):
        _print(console, line, full=full)


async def _events(settings: Settings, session_id: str) -> list[EventBase]:
    with open_workspace(settings, read_only=True) as workspace:
        events = await workspace.log.get_events(session_id)
    if not events:
        raise NotFound(
            f"no session {session_id} in {settings.data_dir}; the view v1_sessions lists those there are"
        )
    return events


def _print(console: Console, line: TraceLine, *, full: bool) -> None:
    time = line.at.strftime("%H:%M:%S") if line.at else "        "
    colour = "red" if line.is_error else _COLOURS.get(line.who, "dim")
    console.print(Text.assemble((time, "dim"), "  ", (f"{line.who:<12}", colour), " ", line.head))
    if line.text:
        short = (
            line.text if full or len(line.text) <= _SHORT else line.text[:_SHORT] + " … (--full shows all)"
        )
        console.print(Text(short, style="dim" if line.who == "tool" else ""), soft_wrap=True)
