"""`nightschool plan`: its subcommands by name, each imported when it is called."""

from __future__ import annotations

import importlib
from typing import Final

import click

from nightschool.cli.examples import with_examples

__all__ = ["plan"]

_MODULES: Final = {
    "experiment": "plan_experiment",
    "make": "plan_make",
    "run": "plan_run",
    "show": "plan_show",
    "wake": "plan_run",
}


class _PlanGroup(click.Group):
    """Shows a plan without importing what runs one, which takes seconds."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return sorted(_MODULES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in _MODULES:
            return None
        module = importlib.import_module(f"nightschool.cli.{_MODULES[cmd_name]}")
        return with_examples(getattr(module, cmd_name), f"plan {cmd_name}")


@click.group(cls=_PlanGroup)
def plan() -> None:
    """Look at plans, of tasks and of experiments, and have them done."""
