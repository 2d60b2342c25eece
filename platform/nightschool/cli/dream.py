"""`nightschool dream`: learn from sessions, look at the result, adopt it or take it back."""

from __future__ import annotations

from typing import Any

import click
from rich.markup import escape
from rich.table import Table

from nightschool.bootstrap import Workspace, connect_model, open_workspace
from nightschool.cli.adoption import adopt, adoption_of, diff, reject, rollback, try_
from nightschool.cli.cold import lifetimes_of, put_away
from nightschool.cli.console import command, json_option, messages, results, show_json
from nightschool.cli.effect import effect
from nightschool.cli.findings import show_findings
from nightschool.cli.tick import tick
from nightschool.core.errors import InvalidInput
from nightschool.dreaming.adopt import Dreamt
from nightschool.dreaming.asked_wording import ModelWriter
from nightschool.dreaming.mine import mine
from nightschool.dreaming.pipeline import Dreamer, DreamResult
from nightschool.dreaming.report import findings_json
from nightschool.dreaming.rules import RULES, Rules, rules_named
from nightschool.dreaming.select import read_episodes, select
from nightschool.events.dream import DreamWorded
from nightschool.memory.heads import DEFAULT_NAME
from nightschool.settings import Settings

__all__ = ["dream", "list_"]

_named = click.option("--store", "name", default=DEFAULT_NAME, show_default=True, help="For which store.")


@click.group(invoke_without_command=True)
@click.option("--source", help="Only sessions from here: run, review, import:tau-bench ...")
@click.option("--session", "session_ids", multiple=True, help="Only this session; may be given again.")
@click.option("--tenant", default="", help="Whose sessions; those of others are never read.")
@_named
@click.option(
    "--rules", "rules_name", default="sharpened", show_default=True, type=click.Choice(sorted(RULES))
)
@click.option(
    "--rebuild", is_flag=True, help="Read the whole log anew, not only what came since the last dream."
)
@click.option(
    "--model",
    "--brain",
    "brain",
    help="Have it word and merge findings: reader, simulated, claude-..., any with --base-url.",
)
@click.option("--auto", is_flag=True, help="Adopt the result when nothing speaks against it.")
@click.option("--dry-run", is_flag=True, help="Only report; write nothing.")
@json_option
@click.pass_context
def dream(  # noqa: PLR0913  # one parameter per option
    ctx: click.Context,
    *,
    source: str | None,
    session_ids: tuple[str, ...],
    tenant: str,
    name: str,
    rules_name: str,
    rebuild: bool,
    brain: str | None,
    auto: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Learn from the sessions in the data folder and write a new memory store, to be adopted.

    The store that sessions recall from is never changed: `adopt` lets another one take its place.
    """
    if ctx.invoked_subcommand is not None:
        return
    settings: Settings = ctx.obj
    rules = rules_named(rules_name)
    if dry_run and brain:
        raise InvalidInput("with --dry-run no model is asked; leave out --model, or --dry-run")
    if dry_run:
        _look(settings, rules, session_ids, source, tenant, as_json=as_json)
        return
    _require_on(settings)
    with open_workspace(settings, must_exist=True) as workspace:
        dreamer = Dreamer(
            journal=workspace.journal,
            clock=workspace.clock,
            ids=workspace.ids,
            rules=rules,
            name=name,
            tenant=tenant,
            lifetimes=lifetimes_of(settings),
            writer=None if brain is None else _writer(workspace, brain),
        )
        result = dreamer.dream(
            mode="rebuild" if rebuild else "incremental", session_ids=session_ids, source=source
        )
        adoption = adoption_of(workspace)
        if auto:
            adoption.adopt_unless_objected(result.dream_id)
            put_away(workspace)
        status = adoption.dreamt(result.dream_id).status
    if as_json:
        show_json({**findings_json(result.findings, rules), "dream": _result_json(result, status)})
    else:
        show_findings(result.findings, rules)
        _show_result(result, status)


def _look(  # the command's options
    settings: Settings,
    rules: Rules,
    session_ids: tuple[str, ...],
    source: str | None,
    tenant: str,
    *,
    as_json: bool,
) -> None:
    with open_workspace(settings, read_only=True) as workspace:
        selection = select(workspace.journal, session_ids=session_ids)
        episodes = read_episodes(workspace.journal, selection, source=source, tenant=tenant)
        findings = mine(episodes, rules)
    if as_json:
        show_json(findings_json(findings, rules))
    else:
        show_findings(findings, rules)


def _writer(workspace: Workspace, brain: str) -> ModelWriter:
    return ModelWriter(
        journal=workspace.journal,
        clock=workspace.clock,
        ids=workspace.ids,
        client=connect_model(workspace.settings, brain, context_limit_tokens=None),
        model=brain,
    )


def _require_on(settings: Settings) -> None:
    if not settings.dreaming:
        raise InvalidInput("dreaming is switched off (NIGHTSCHOOL_DREAMING=off); nothing was read or written")


def _result_json(result: DreamResult, status: str) -> dict[str, Any]:
    done = result.completed
    return {
        "dream_id": result.dream_id,
        "status": status,
        "is_earlier": result.is_earlier,
        "output_store_id": done.output_store_id,
        "store_hash": done.store_hash,
        "counts": done.counts,
        "gates": done.gates,
        "alarms": list(done.alarms),
        "worded": None if result.worded is None else _worded_json(result.worded),
    }


def _worded_json(worded: DreamWorded) -> dict[str, Any]:
    return {
        "model": worded.model,
        "asked": worded.asked,
        "worded": len(worded.items),
        "merged": sum(len(item["merges"]) for item in worded.items),
        "dropped": worded.dropped,
        "input_tokens": worded.input_tokens,
        "output_tokens": worded.output_tokens,
        "session_ids": list(worded.session_ids),
    }


def _show_worded(worded: DreamWorded) -> None:
    told = _worded_json(worded)
    dropped = sum(worded.dropped.values())
    results().print(
        f"  {worded.model} was asked about {worded.asked} findings and worded {told['worded']}, merging"
        f" {told['merged']} others into them; {dropped} of its items were dropped",
        markup=False,
    )
    for reason, count in worded.dropped.items():
        results().print(f"  dropped: {count} x {reason}", markup=False)


def _show_result(result: DreamResult, status: str) -> None:
    done, console = result.completed, results()
    told = ", ".join(f"{count} {what}" for what, count in done.counts.items()) or "nothing"
    console.print(f"\ndream {result.dream_id}: {status}; {told}", markup=False)
    if result.is_earlier:
        console.print("Nothing has come in since that dream: no other was made.")
    if result.worded is not None:
        _show_worded(result.worded)
    for gate, count in done.gates.items():
        console.print(f"  not recalled: {count} x {gate}", markup=False)
    for alarm in done.alarms:
        messages().print(f"look: {alarm}", markup=False)
    if status in {"completed", "held"}:
        for what in ("diff", "adopt"):
            messages().print(f"{what}: {command('dream', what, result.dream_id)}", markup=False)


@dream.command(name="list")
@json_option
@click.pass_obj
def list_(settings: Settings, *, as_json: bool) -> None:
    """List the dreams, oldest first, with what became of each."""
    with open_workspace(settings, read_only=True) as workspace:
        dreams = adoption_of(workspace).dreams()
    if as_json:
        show_json([_dreamt_json(each) for each in dreams])
        return
    table = Table("dream", "store", "rules", "mode", "sessions", "status", "tried", box=None)
    for each in dreams:
        made = each.created
        table.add_row(
            each.dream_id,
            escape(made.store),
            made.rules,
            made.mode,
            str(len(made.session_ids)),
            each.status,
            "" if each.tried is None else f"{each.tried.result} on {each.tried.suite}",
        )
    results().print(table)


def _dreamt_json(each: Dreamt) -> dict[str, Any]:
    made, done = each.created, each.completed
    return {
        "dream_id": each.dream_id,
        "store": made.store,
        "rules": made.rules,
        "mode": made.mode,
        "sessions": len(made.session_ids),
        "status": each.status,
        "created_at": made.processed_at,
        "input_store_id": made.input_store_id,
        "output_store_id": None if done is None else done.output_store_id,
        "counts": {} if done is None else done.counts,
        "tried": None if each.tried is None else each.tried.model_dump(mode="json"),
        "error": None if each.failure is None or done is not None else each.failure.error,
    }


for _each in (diff, try_, adopt, reject, rollback, tick, effect):
    dream.add_command(_each)
