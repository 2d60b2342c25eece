"""`nightschool sync`: what a run does in the background, by hand."""

from __future__ import annotations

import click

from nightschool.bootstrap import open_workspace
from nightschool.cli.console import results
from nightschool.core.errors import StoreBusy
from nightschool.settings import Settings
from nightschool.warehouse.store import SyncStatus

__all__ = ["sync"]


@click.command()
@click.pass_obj
def sync(settings: Settings) -> None:
    """Copy what is new in the journal into the warehouse. Twice is once."""
    with open_workspace(settings) as workspace:
        outcome = workspace.warehouse.sync(workspace.journal)
    if outcome.status is SyncStatus.BUSY:
        raise StoreBusy(
            f"{settings.warehouse_path} is open elsewhere; {outcome.events:,} events were copied before that."
            " Nothing is lost: the rest is copied by the next sync."
        )
    results().print(f"{outcome.events:,} events copied; the warehouse holds everything committed so far")
