"""`nightschool sync`: what a run does in the background, by hand."""

from __future__ import annotations

from dataclasses import asdict

import click

from nightschool.bootstrap import open_workspace
from nightschool.cli.console import json_option, results, show_json
from nightschool.core.errors import StoreBusy
from nightschool.settings import Settings
from nightschool.warehouse.store import SyncStatus

__all__ = ["sync"]


@click.command()
@json_option
@click.pass_obj
def sync(settings: Settings, *, as_json: bool) -> None:
    """Copy what is new in the journal into the warehouse. Twice is once."""
    with open_workspace(settings) as workspace:
        outcome = workspace.warehouse.sync(workspace.journal)
    if outcome.status is SyncStatus.BUSY:
        raise StoreBusy(
            f"{settings.warehouse_path} is open elsewhere; {outcome.events:,} events were copied before that."
            " Nothing is lost: the rest is copied by the next sync."
        )
    if as_json:
        show_json(asdict(outcome))
        return
    results().print(f"{outcome.events:,} events copied; the warehouse holds everything committed so far")
