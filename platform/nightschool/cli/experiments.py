"""`nightschool experiments`: what has been run here."""

from __future__ import annotations

import anyio
import click
from rich.table import Table

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
    with open_workspace(settings) as workspace:
        found = anyio.run(_ledgers, workspace)
    if not found:
        messages().print(f"no experiment in {settings.data_dir} yet; run one with: nightschool demo")
        return
    table = Table("experiment", "suite", "arms", "brain", "trials", "declared", box=None)
    for experiment_id, ledger in found.items():
        manifest = ledger.manifest
        done = f"{len(ledger.results())}/{manifest.expected}"
        declared = manifest.declared_at.strftime("%Y-%m-%d %H:%M")
        table.add_row(experiment_id, manifest.suite, ", ".join(manifest.arms), manifest.brain, done, declared)
    results().print(table)


async def _ledgers(workspace: Workspace) -> dict[str, Ledger]:
    known = sorted(await workspace.log.list_sessions(prefix="exp_"))
    return {experiment_id: await read_ledger(workspace, experiment_id) for experiment_id in known}
