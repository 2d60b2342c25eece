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
@click.option("--allow", is_flag=True, help="The call is made.")
@click.option("--deny", is_flag=True, help="It is not, and the agent is told so.")
@click.option("--reason", default="", help="Why it is denied, told to the agent.")
@click.option("--by", help="Who says so (default: NIGHTSCHOOL_REVIEWER, or the login name).")
@json_option
@click.pass_obj
def permit(
    settings: Settings,
    /,
    *,
    call: str | None,
    allow: bool,
    deny: bool,
    reason: str,
    by: str | None,
    as_json: bool,
) -> None:
    """Allow or deny CALL (its id or the end of it); without CALL, list those that wait.

    An agent's file says which of its tools ask: `ask: [bash]`. The session waits; its run goes on by itself
    once there is a word. Of several answers the first holds.
    """
    if call is None:
        if allow or deny:
            raise click.UsageError("name the CALL that you allow or deny; without one, they are listed")
        _show(_calls(settings)[0], as_json=as_json)
        return
    if allow == deny:
        raise click.UsageError("say --allow or --deny")
    answer = Answer(result="allow" if allow else "deny", given_by=by or settings.reviewer, reason=reason)
    chosen = _chosen(*_calls(settings), call)
    with open_workspace(settings) as workspace:
        say = partial(answer_call, workspace.log, chosen["session_id"], chosen["tool_use_id"], answer)
        held = anyio.run(say)
    if as_json:
        show_json(held.model_dump(mode="json", exclude_none=True))
        return
    holds = (held.given_by, held.result) == (answer.given_by, answer.result)
    late = "" if holds else "; that was said before you"
    results().print(f"{held.tool_use_id}: {held.result} by {held.given_by}{late}", markup=False)


def _calls(settings: Settings) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the calls that wait for a word, and those that had theirs."""
    if not settings.journal_path.exists():
        return [], []
    with connect_reader(settings) as reader:
        found = reader.waiting_permissions(), reader.answered_permissions()
    waiting, answered = (list(calls.iter_rows(named=True)) for calls in found)
    return waiting, answered


def _chosen(
    waiting: Sequence[dict[str, Any]], answered: Sequence[dict[str, Any]], name: str
) -> dict[str, Any]:
    fitting = [row for row in waiting if row["tool_use_id"].endswith(name)]
    if not fitting:
        for row in answered:
            if row["tool_use_id"].endswith(name):
                raise InvalidInput(
                    f"{row['tool_use_id']} has its word already: {row['status']} by {row['given_by']}"
                )
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
