"""`nightschool plan make`: a goal becomes a plan file."""

from __future__ import annotations

from pathlib import Path

import anyio
import click
import yaml

from nightschool.bootstrap import Workspace, open_workspace
from nightschool.cli.console import command, json_option, messages, show_json
from nightschool.core.errors import InvalidInput
from nightschool.experiments.plan_launch import make_plan
from nightschool.orchestration.plan import Plan
from nightschool.settings import Settings

__all__ = ["make"]


@click.command()
@click.argument("goal")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--brain", required=True, help="A language model: claude-..., or any with --base-url.")
@click.option("--context-limit", type=click.IntRange(min=1), help="Tokens; longer tasks are split.")
@json_option
@click.pass_obj
def make(
    settings: Settings, *, goal: str, file: Path, brain: str, context_limit: int | None, as_json: bool
) -> None:
    """Have a model split GOAL into tasks for the agents of the registry, and write the plan to FILE."""
    if file.exists():
        raise InvalidInput(f"{file} is there already; name another file")
    with open_workspace(settings) as workspace:
        plan = anyio.run(_made, workspace, goal, brain, context_limit)
    outcome = {} if plan.outcome is None else {"outcome": dict(plan.outcome)}
    value = {"goal": plan.goal, **outcome, "tasks": [task.as_json() for task in plan.tasks]}
    file.write_text(yaml.safe_dump(value, sort_keys=False, allow_unicode=True), encoding="utf-8")
    if as_json:
        show_json({"file": str(file), **value})
        return
    messages().print(f"{len(plan.tasks)} tasks written to {file}", markup=False)
    messages().print(f"look at it: {command('plan', 'show', str(file))}", markup=False)


async def _made(workspace: Workspace, goal: str, brain: str, context_limit: int | None) -> Plan:
    return await make_plan(workspace, goal, brain=brain, context_limit_tokens=context_limit)
