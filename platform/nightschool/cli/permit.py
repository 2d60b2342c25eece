"""`nightschool permit`: the tool calls that wait for a person's word, and the word."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import anyio
import click
from rich.markup import escape
from rich.table import Table

from nightschool.bootstrap import connect_reader, open_workspace
from nightschool.cli.console import command, json_option, messages, results, show_json
from nightschool.core.errors import InvalidInput, NotFound
from nightschool.sessions.permission import Answer, answer_call
from nightschool.settings import Settings

__all__ = ["permit"]


@click.command()
@click.argument("call", required=False)
@click.option("--allow", "result", flag_value="allow", help="The call is made.")
@click.option("--deny", "result", flag_value="deny", help="It is not, and the agent is told so.")
@click.option("--reason", default="", help="Why it is denied, told to the agent.")
@click.option("--by", help="Who says so (default: NIGHTSCHOOL_REVIEWER, or the login name).")
@json_option
@click.pass_obj
def permit(
    settings: Settings, /, *, call: str | None, result: Any, reason: str, by: str | None, as_json: bool
) -> None:
    r"""Allow or deny CALL (its id or the end of it); without CALL, list those that wait.

    \b
    An agent's file says which of its tools ask: `ask: [bash]`. The session waits; its run goes on by itself
    once there is a word. Of several answers the first holds.
    """
    waiting = _waiting(settings)
    if call is None:
        if result is not None:
            raise click.UsageError("name the CALL that you allow or deny; without one, they are listed")
        _show(waiting, as_json=as_json)
        return
    if result is None:
        raise click.UsageError("say --allow or --deny")
    chosen = _chosen(waiting, call)
    answer = Answer(result=result, given_by=by or settings.reviewer, reason=reason)
    with open_workspace(settings) as workspace:
        say = partial(answer_call, workspace.log, chosen["session_id"], chosen["tool_use_id"], answer)
        held = anyio.run(say)
    if as_json:
        show_json(held.model_dump(mode="json", exclude_none=True))
        return
    late = "" if held.given_by == answer.given_by and held.result == result else "; that was said before you"
    results().print(f"{held.tool_use_id}: {held.result} by {held.given_by}{late}", markup=False)


def _waiting(settings: Settings) -> list[dict[str, Any]]:
    if not settings.journal_path.exists():
        return []
    with connect_reader(settings) as reader:
        return list(reader.waiting_permissions().iter_rows(named=True))


def _chosen(waiting: Sequence[dict[str, Any]], name: str) -> dict[str, Any]:
    fitting = [row for row in waiting if row["tool_use_id"] == name or row["tool_use_id"].endswith(name)]
    if not fitting:
        raise NotFound(f"no tool call `{name}` waits for a word; list those that do: nightschool permit")
    if len(fitting) > 1:
        raise InvalidInput(f"`{name}` fits {len(fitting)} calls; give more of the id")
    return fitting[0]


def _show(waiting: Sequence[dict[str, Any]], *, as_json: bool) -> None:
    if as_json:
        show_json(waiting)
        return
    if not waiting:
        messages().print("no tool call waits for a word")
        return
    table = Table("call", "session", "tool", "given", "asked (UTC)", box=None)
    for row in waiting:
        asked = row["asked_at"].strftime("%Y-%m-%d %H:%M:%S") if row["asked_at"] else "—"
        shown = (row["tool_use_id"], row["session_id"], row["tool"], row["input"] or "{}", asked)
        table.add_row(*map(escape, shown))
    results().print(table)
    messages().print(f"answer one: {command('permit', 'CALL', '--allow')} (or --deny)", markup=False)
