"""`nightschool plan`: plans to look at."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import anyio
import click
from rich.markup import escape
from rich.table import Table

from nightschool.bootstrap import open_workspace
from nightschool.cli.console import results, show_json
from nightschool.cli.plan_experiment import experiment
from nightschool.cli.plan_make import make
from nightschool.cli.plan_run import run, wake
from nightschool.core.errors import NotFound
from nightschool.events.plan import PlanCreated, PlanRevised
from nightschool.orchestration.conflicts import conflicts, serial_queues
from nightschool.orchestration.plan import Plan, layers
from nightschool.orchestration.plan_file import load_plan, plan_from_event
from nightschool.orchestration.shape import shape_of
from nightschool.orchestration.staffing import expected_tokens
from nightschool.settings import Settings

__all__ = ["plan", "show"]


@click.group()
def plan() -> None:
    """Look at plans, of tasks and of experiments, and have them done."""


plan.add_command(experiment)
plan.add_command(make)
plan.add_command(run)
plan.add_command(wake)


@plan.command()
@click.argument("source", metavar="FILE|SESSION")
@click.option("--json", "as_json", is_flag=True, help="Print the plan and its measures as JSON.")
@click.pass_obj
def show(settings: Settings, *, source: str, as_json: bool) -> None:
    """Show a plan's layers, its critical path and what must run in a queue.

    FILE is a plan in YAML or JSON; SESSION is the session of an orchestrator.
    """
    shown = (
        anyio.run(partial(_logged, settings, source))
        if source.startswith("sesn_")
        else load_plan(Path(source))
    )
    if as_json:
        show_json(_as_json(shown))
    else:
        _print(shown)


async def _logged(settings: Settings, session_id: str) -> Plan:
    with open_workspace(settings, read_only=True) as workspace:
        events = await workspace.log.get_events(session_id, types=("plan.created", "plan.revised"))
    created = [event for event in events if isinstance(event, PlanCreated | PlanRevised)]
    if not created:
        raise NotFound(
            f"session {session_id} in {settings.data_dir} has no plan; sessions of orchestrators are those"
            " that the view v1_tasks names in session_id"
        )
    return plan_from_event(created[-1], name=session_id)


def _as_json(shown: Plan) -> dict[str, Any]:
    shape, queues = shape_of(shown), serial_queues(conflicts(shown))
    return {
        "goal": shown.goal,
        **({} if shown.outcome is None else {"outcome": shown.outcome}),
        "tasks": [task.as_json() for task in shown.tasks],
        "layers": layers(shown),
        "critical_path": shape.critical_path,
        "serial_queues": queues,
        "depth": shape.depth,
        "width": shape.width,
        "parallelism": shape.parallelism,
    }


def _print(shown: Plan) -> None:
    shape = shape_of(shown)
    table = Table("layer", "task", "waits for", "needs", "writes", "on failure", "tokens", box=None)
    for number, layer in enumerate(layers(shown), 1):
        for task_id in layer:
            table.add_row(str(number), *_row(shown, task_id, critical=task_id in shape.critical_path))
    console = results()
    console.print(f"{shown.goal}\n", markup=False)
    console.print(table)
    console.print(f"\ncritical path: {' → '.join(shape.critical_path)}", markup=False)
    console.print(
        f"{shape.tasks} tasks in {shape.depth} layers, up to {shape.width} side by side;"
        f" more agents can shorten it at most {shape.parallelism:.1f} times"
    )
    for queue in serial_queues(conflicts(shown)):
        console.print(f"one after another, they write the same: {', '.join(queue)}", markup=False)


def _row(shown: Plan, task_id: str, *, critical: bool) -> tuple[str, ...]:
    task = shown.task(task_id)
    name = escape(task_id if task.title == task_id else f"{task_id}: {task.title}")
    lists = (task.depends_on, task.needs, task.writes)
    told = (escape(", ".join(each)) or "—" for each in lists)
    return (f"[bold]{name}[/]" if critical else name, *told, str(task.on_failure), str(expected_tokens(task)))
