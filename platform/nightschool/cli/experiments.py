"""`nightschool experiments`: what has been run here."""

from __future__ import annotations

from typing import Any

import anyio
import click
from rich.table import Column, Table

from nightschool.bootstrap import Workspace, open_workspace
from nightschool.cli.console import json_option, messages, results, show_json
from nightschool.experiments.ledger import Ledger
from nightschool.experiments.lookup import read_ledger
from nightschool.settings import Settings

__all__ = ["experiments"]


@click.command()
@json_option
@click.pass_obj
def experiments(settings: Settings, *, as_json: bool) -> None:
    """List the experiments stored here, newest last."""
    found = _found(settings)
    if as_json:
        show_json([_as_json(experiment_id, ledger) for experiment_id, ledger in found.items()])
        return
    if not found:
        messages().print(f"no experiment in {settings.data_dir} yet; run one with: nightschool demo")
        return
    table = Table(
        Column("experiment", no_wrap=True), "suite", "arms", "brain", "trials", "declared", box=None
    )
    for experiment_id, ledger in found.items():
        manifest = ledger.manifest
        done = f"{len(ledger.results())}/{manifest.expected}"
        declared = manifest.declared_at.strftime("%Y-%m-%d %H:%M")
        table.add_row(experiment_id, manifest.suite, ", ".join(manifest.arms), manifest.brain, done, declared)
    results().print(table)


def _as_json(experiment_id: str, ledger: Ledger) -> dict[str, Any]:
    manifest = ledger.manifest
    return {
        "experiment": experiment_id,
        "suite": manifest.suite,
        "arms": manifest.arms,
        "brain": manifest.brain,
        "recorded": len(ledger.results()),
        "expected": manifest.expected,
        "declared_at": manifest.declared_at,
    }


def _found(settings: Settings) -> dict[str, Ledger]:
    if not settings.journal_path.exists():
        return {}
    with open_workspace(settings, read_only=True) as workspace:
        return anyio.run(_ledgers, workspace)


async def _ledgers(workspace: Workspace) -> dict[str, Ledger]:
    known = sorted(await workspace.log.list_sessions(prefix="exp_"))
    return {experiment_id: await read_ledger(workspace, experiment_id) for experiment_id in known}
