"""`nightschool dream diff|adopt|reject|rollback`: decide about what a dream came to."""

from __future__ import annotations

from typing import Any

import anyio
import click
from rich.markup import escape
from rich.table import Table

from nightschool.bootstrap import Workspace, open_workspace
from nightschool.cli.cold import put_away
from nightschool.cli.console import command, json_option, messages, results, show_json
from nightschool.dreaming.adopt import Adoption
from nightschool.memory.edit import Edit
from nightschool.memory.heads import DEFAULT_NAME
from nightschool.models.embed import MiniLmEmbedder
from nightschool.settings import Settings

__all__ = ["adopt", "adoption_of", "diff", "reject", "rollback", "try_"]


def adoption_of(workspace: Workspace) -> Adoption:
    """Return who decides about the dreams of a data folder."""
    return Adoption(
        journal=workspace.journal,
        clock=workspace.clock,
        ids=workspace.ids,
        embedder=MiniLmEmbedder(),
        suite=workspace.settings.adoption_suite,
    )


@click.command()
@click.argument("dream_id", metavar="DREAM")
@json_option
@click.pass_obj
def diff(settings: Settings, *, dream_id: str, as_json: bool) -> None:
    """Show what adopting DREAM would change, and what speaks against it."""
    with open_workspace(settings, read_only=True) as workspace:
        adoption = adoption_of(workspace)
        edits, objections = adoption.diff(dream_id), adoption.objections(dream_id)
    if as_json:
        show_json({"edits": [_edit_json(each) for each in edits], "objections": objections})
        return
    table = Table("what", "path", "state", "sure", "says", box=None)
    for each in edits:
        known = each.memory.attributes
        says = escape(each.memory.text[:100])
        table.add_row(each.what, escape(each.path), known.state, f"{known.confidence:.2f}", says)
    results().print(table)
    for objection in objections:
        results().print(f"against it: {objection}", markup=False)


def _edit_json(each: Edit) -> dict[str, Any]:
    known = each.memory.attributes
    return {
        "what": each.what,
        "path": each.path,
        "before": None if each.before is None else each.before.text,
        "after": None if each.after is None else each.after.text,
        "state": known.state,
        "confidence": known.confidence,
        "reason": known.reason,
    }


@click.command()
@click.argument("dream_id", metavar="DREAM")
@click.option("--approve", is_flag=True, help="In spite of what speaks against it.")
@json_option
@click.pass_obj
def adopt(settings: Settings, *, dream_id: str, approve: bool, as_json: bool) -> None:
    """Let sessions recall from DREAM's store from now on."""
    with open_workspace(settings, must_exist=True) as workspace:
        head = adoption_of(workspace).adopt(dream_id, approved=approve)
        put_away(workspace)
    if as_json:
        show_json({"dream_id": dream_id, "status": "adopted", "store": head.name, "store_id": head.store_id})
        return
    results().print(f"the store {head.name!r} is now {head.store_id}", markup=False)
    messages().print(f"take it back: {command('dream', 'rollback', '--store', head.name)}", markup=False)


@click.command(name="try")
@click.argument("dream_id", metavar="DREAM")
@click.option("--suite", help="What it is tried on (default: NIGHTSCHOOL_ADOPTION_SUITE, else memory).")
@click.option("--arm", default="single", show_default=True, help="How the work is routed.")
@click.option("--brain", default="reader", show_default=True, help="reader, simulated, or claude-...")
@click.option("--samples", default="", help="Sample ids, with commas (default: all).")
@click.option("--repeats", default=1, show_default=True, type=click.IntRange(min=1))
@click.option(
    "--min-effect",
    type=click.FloatRange(min=0, min_open=True),
    help="The smallest loss that matters, in the metric's units (default: any loss).",
)
@json_option
@click.pass_obj
def try_(  # noqa: PLR0913  # one parameter per option
    settings: Settings,
    *,
    dream_id: str,
    suite: str | None,
    arm: str,
    brain: str,
    samples: str,
    repeats: int,
    min_effect: float | None,
    as_json: bool,
) -> None:
    """Run a suite with the store before DREAM and with DREAM's own, and note the gate's verdict with it.

    A regression, an invalid trial, or a shortcut that agents take with the new memories only speaks against
    adopting it.
    """
    # These load the whole workbench, which takes seconds.
    from nightschool.experiments.adoption_trial import AdoptionTrial, try_dream

    trial = AdoptionTrial(
        suite=suite or settings.adoption_suite or "memory",
        arm=arm,
        brain=brain,
        samples=tuple(part.strip() for part in samples.split(",") if part.strip()),
        repeats=repeats,
        min_effect=min_effect,
    )
    with open_workspace(settings, must_exist=True) as workspace:
        tried = anyio.run(try_dream, workspace, adoption_of(workspace), dream_id, trial)
        objections = adoption_of(workspace).objections(dream_id)
    if as_json:
        show_json({**tried.model_dump(mode="json"), "objections": objections})
        return
    results().print(f"{tried.result} on {tried.suite}: {tried.reason}", markup=False)
    for objection in objections:
        results().print(f"against it: {objection}", markup=False)
    messages().print(f"look closer: {command('compare', tried.experiment_id)}", markup=False)


@click.command()
@click.argument("dream_id", metavar="DREAM")
@click.option("--reason", default="", help="Kept on record.")
@json_option
@click.pass_obj
def reject(settings: Settings, *, dream_id: str, reason: str, as_json: bool) -> None:
    """Note that DREAM's result is not wanted; nothing else changes."""
    with open_workspace(settings, must_exist=True) as workspace:
        adoption_of(workspace).reject(dream_id, reason)
    if as_json:
        show_json({"dream_id": dream_id, "status": "rejected", "reason": reason})
    else:
        results().print(f"dream {dream_id} is rejected", markup=False)


@click.command()
@click.option("--store", "name", default=DEFAULT_NAME, show_default=True, help="For which store.")
@json_option
@click.pass_obj
def rollback(settings: Settings, *, name: str, as_json: bool) -> None:
    """Let sessions recall from the store before the last adoption."""
    with open_workspace(settings, must_exist=True) as workspace:
        head = adoption_of(workspace).roll_back(name)
        put_away(workspace)
    if as_json:
        show_json({"store": head.name, "store_id": head.store_id, "status": "rolled_back"})
    else:
        results().print(f"the store {head.name!r} is {head.store_id} again", markup=False)
