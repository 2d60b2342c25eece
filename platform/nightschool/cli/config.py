"""`nightschool config`: what a run would use, and where each value comes from."""

from __future__ import annotations

import click
from rich.table import Table

from nightschool.cli.console import results
from nightschool.settings import VARIABLES, Settings

__all__ = ["config"]


@click.command()
@click.pass_obj
def config(settings: Settings) -> None:
    """Show the settings in force; a key is shown only as set or not set."""
    values = Table(box=None, show_header=False)
    values.add_row("data folder", str(settings.data_dir.absolute()))
    values.add_row("suites", ", ".join(str(folder.absolute()) for folder in settings.suite_dirs))
    values.add_row("base URL", settings.base_url or "Claude's own")
    values.add_row("API key", "set" if settings.api_key else "not set (the `reader` brain needs none)")
    values.add_row("retention", f"{settings.retention_days} days")
    values.add_row("reviewer", settings.reviewer or "not set; NIGHTSCHOOL_REVIEWER names one")
    results().print(values)
    variables = Table(box=None, show_header=False, title="read from the environment", title_justify="left")
    for name, meaning in VARIABLES.items():
        variables.add_row(name, meaning)
    results().print(variables)
