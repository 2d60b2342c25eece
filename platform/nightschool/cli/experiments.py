"""`nightschool experiments`: what has been run here."""

from __future__ import annotations

import anyio
import click
from rich.table import Column, Table

from nightschool.bootstrap import Workspace, open_workspace
from nightschool.cli.console import messages, results
from nightschool.experiments.ledger import Ledger
from nightschool.experiments.lookup import read_ledger
from nightschool.settings import Settings

__all__ = ["experiments"]


@click.command()
@click.pass_obj
def experiments(settings: Settings) -> None:
    """List the experiments stored here, newest last."""
    found = _found(settings)
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


def _found(settings: Settings) -> dict[str, Ledger]:
    if not settings.journal_path.exists():
        return {}
    with open_workspace(settings, read_only=True) as workspace:
        return anyio.run(_ledgers, workspace)


async def _ledgers(workspace: Workspace) -> dict[str, Ledger]:
    known = sorted(await workspace.log.list_sessions(prefix="exp_"))
    return {experiment_id: await read_ledger(workspace, experiment_id) for experiment_id in known}
