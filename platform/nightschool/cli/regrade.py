"""`nightschool regrade`: recorded answers scored anew, without asking any model again."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

import anyio
import click

from nightschool.bootstrap import Workspace, open_workspace
from nightschool.cli.console import command, json_option, results, show_json
from nightschool.experiments.launch import regrade_experiment
from nightschool.experiments.regrading import Action, Step
from nightschool.settings import Settings

__all__ = ["regrade"]

_SCHEMA: Final = "nightschool.regrade/1"


@click.command()
@click.argument("experiment", default="LAST")
@click.option("--dry-run", is_flag=True, help="Only say what each trial needs.")
@json_option
@click.pass_obj
def regrade(settings: Settings, /, *, experiment: str, dry_run: bool, as_json: bool) -> None:
    """Score EXPERIMENT's recorded answers by the suite as it is now, as a new experiment."""
    with open_workspace(settings) as workspace:
        steps, made = anyio.run(_regrade, workspace, experiment, dry_run)
        if made is not None:
            workspace.warehouse.sync(workspace.journal)
    if as_json:
        show_json({"schema": _SCHEMA, "experiment": made, "steps": [_as_json(step) for step in steps]})
        return
    _print(steps, made)


async def _regrade(workspace: Workspace, name: str, dry_run: bool) -> tuple[list[Step], str | None]:  # noqa: FBT001  # anyio.run passes by position
    return await regrade_experiment(workspace, name, dry_run=dry_run)


def _as_json(step: Step) -> dict[str, Any]:
    trial = step.result
    return {
        "trial_id": trial.trial_id,
        "arm": trial.arm,
        "sample_id": trial.sample_id,
        "epoch": trial.epoch,
        "action": str(step.action),
        "reason": step.reason,
    }


def _print(steps: list[Step], made: str | None) -> None:
    console = results()
    for (action, reason), count in Counter((s.action, s.reason) for s in steps).most_common():
        console.print(f"{action.upper()} {count}: {reason}", markup=False)
    if made is None:
        return
    console.print(f"regraded as {made}", markup=False)
    if any(step.action is Action.RERUN for step in steps):
        console.print(f"run what must be run: {command('run', '--resume', made)}", markup=False)
    else:
        console.print(f"look at it: {command('compare', made)}", markup=False)
