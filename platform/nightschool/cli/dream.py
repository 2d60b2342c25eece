"""`nightschool dream`: learn from sessions, look at the result, adopt it or take it back."""

from __future__ import annotations

from typing import Any

import click
from rich.markup import escape
from rich.table import Table

from nightschool.bootstrap import Workspace, open_workspace
from nightschool.cli.console import command, messages, results, show_json
from nightschool.cli.effect import effect
from nightschool.cli.findings import show_findings
from nightschool.cli.tick import tick
from nightschool.core.errors import InvalidInput
from nightschool.dreaming.adopt import Adoption
from nightschool.dreaming.consolidate import Edit
from nightschool.dreaming.mine import mine
from nightschool.dreaming.pipeline import Dreamer, DreamResult
from nightschool.dreaming.report import findings_json
from nightschool.dreaming.rules import RULES, Rules, rules_named
from nightschool.dreaming.select import read_episodes, select
from nightschool.memory.heads import DEFAULT_NAME
from nightschool.models.embed import MiniLmEmbedder
from nightschool.settings import Settings

__all__ = ["adopt", "diff", "dream", "list_", "reject", "rollback"]

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
@click.option("--auto", is_flag=True, help="Adopt the result when nothing speaks against it.")
@click.option("--dry-run", is_flag=True, help="Only report; write nothing.")
@click.option("--json", "as_json", is_flag=True, help="Everything, for programs.")
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
        )
        result = dreamer.dream(
            mode="rebuild" if rebuild else "incremental", session_ids=session_ids, source=source
        )
        adoption = _adoption(workspace)
        adopted = auto and result.completed.status == "completed" and not adoption.objections(result.dream_id)
        if adopted:
            adoption.adopt(result.dream_id, approved_by="auto")
    if as_json:
        show_json({**findings_json(result.findings, rules), "dream": _result_json(result, adopted=adopted)})
    else:
        show_findings(result.findings, rules)
        _show_result(result, adopted=adopted)


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


def _require_on(settings: Settings) -> None:
    if not settings.dreaming:
        raise InvalidInput("dreaming is switched off (NIGHTSCHOOL_DREAMING=off); nothing was read or written")


def _adoption(workspace: Workspace) -> Adoption:
    return Adoption(
        journal=workspace.journal, clock=workspace.clock, ids=workspace.ids, embedder=MiniLmEmbedder()
    )


def _result_json(result: DreamResult, *, adopted: bool) -> dict[str, Any]:
    done = result.completed
    return {
        "dream_id": result.dream_id,
        "status": "adopted" if adopted else done.status,
        "output_store_id": done.output_store_id,
        "store_hash": done.store_hash,
        "counts": done.counts,
        "gates": done.gates,
        "alarms": list(done.alarms),
    }


def _show_result(result: DreamResult, *, adopted: bool) -> None:
    done, console = result.completed, results()
    told = ", ".join(f"{count} {what}" for what, count in done.counts.items()) or "nothing"
    console.print(f"\ndream {result.dream_id}: {'adopted' if adopted else done.status}; {told}", markup=False)
    for gate, count in done.gates.items():
        console.print(f"  not recalled: {count} x {gate}", markup=False)
    for alarm in done.alarms:
        messages().print(f"look: {alarm}", markup=False)
    if done.status != "completed_no_change" and not adopted:
        for what in ("diff", "adopt"):
            messages().print(f"{what}: {command('dream', what, result.dream_id)}", markup=False)


@dream.command(name="list")
@click.pass_obj
def list_(settings: Settings) -> None:
    """List the dreams, oldest first, with what became of each."""
    with open_workspace(settings, read_only=True) as workspace:
        dreams = _adoption(workspace).dreams()
    table = Table("dream", "store", "rules", "mode", "sessions", "status", box=None)
    for each in dreams:
        made = each.created
        table.add_row(
            each.dream_id, escape(made.store), made.rules, made.mode, str(len(made.session_ids)), each.status
        )
    results().print(table)


@dream.command()
@click.argument("dream_id", metavar="DREAM")
@click.option("--json", "as_json", is_flag=True, help="Everything, for programs.")
@click.pass_obj
def diff(settings: Settings, *, dream_id: str, as_json: bool) -> None:
    """Show what adopting DREAM would change, and what speaks against it."""
    with open_workspace(settings, read_only=True) as workspace:
        adoption = _adoption(workspace)
        edits, objections = adoption.diff(dream_id), adoption.objections(dream_id)
    if as_json:
        show_json({"edits": [_edit_json(each) for each in edits], "objections": objections})
        return
    table = Table("what", "path", "state", "sure", "says", box=None)
    for each in edits:
        memory = each.after or each.before
        if memory is not None:
            known = memory.attributes
            table.add_row(
                each.what,
                escape(each.path),
                known.state,
                f"{known.confidence:.2f}",
                escape(memory.text[:100]),
            )
    results().print(table)
    for objection in objections:
        results().print(f"against it: {objection}", markup=False)


def _edit_json(each: Edit) -> dict[str, Any]:
    memory = each.after or each.before
    return {
        "what": each.what,
        "path": each.path,
        "before": None if each.before is None else each.before.text,
        "after": None if each.after is None else each.after.text,
        "state": None if memory is None else memory.attributes.state,
        "confidence": None if memory is None else memory.attributes.confidence,
        "reason": None if memory is None else memory.attributes.reason,
    }


@dream.command()
@click.argument("dream_id", metavar="DREAM")
@click.option("--approve", is_flag=True, help="In spite of what speaks against it.")
@click.pass_obj
def adopt(settings: Settings, *, dream_id: str, approve: bool) -> None:
    """Let sessions recall from DREAM's store from now on."""
    with open_workspace(settings, must_exist=True) as workspace:
        head = _adoption(workspace).adopt(dream_id, approved=approve)
    results().print(f"the store {head.name!r} is now {head.store_id}", markup=False)
    messages().print(f"take it back: {command('dream', 'rollback', '--store', head.name)}", markup=False)


@dream.command()
@click.argument("dream_id", metavar="DREAM")
@click.option("--reason", default="", help="Kept on record.")
@click.pass_obj
def reject(settings: Settings, *, dream_id: str, reason: str) -> None:
    """Note that DREAM's result is not wanted; nothing else changes."""
    with open_workspace(settings, must_exist=True) as workspace:
        _adoption(workspace).reject(dream_id, reason)
    results().print(f"dream {dream_id} is rejected", markup=False)


@dream.command()
@_named
@click.pass_obj
def rollback(settings: Settings, *, name: str) -> None:
    """Let sessions recall from the store before the last adoption."""
    with open_workspace(settings, must_exist=True) as workspace:
        head = _adoption(workspace).roll_back(name)
    results().print(f"the store {head.name!r} is {head.store_id} again", markup=False)


dream.add_command(tick)
dream.add_command(effect)
