"""`nightschool config`: what a run would use, and where each value comes from."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import click
from rich.table import Table

from nightschool.cli.console import json_option, results, show_json
from nightschool.settings import VARIABLES, Settings

__all__ = ["config"]


@click.command()
@json_option
@click.pass_obj
def config(settings: Settings, *, as_json: bool) -> None:
    """Show the settings in force; a key is shown only as set or not set."""
    if as_json:
        show_json(_as_json(settings))
    else:
        _print(settings)


def _as_json(settings: Settings) -> dict[str, Any]:
    values = {each.name: getattr(settings, each.name) for each in fields(settings)}
    return values | {"api_key": "set" if settings.api_key else None}


def _print(settings: Settings) -> None:
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
