"""`nightschool plan show`: a plan to look at, as it is written down or as it was run."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

import anyio
import click
from rich.markup import escape
from rich.table import Table

from nightschool.cli.console import results, show_json
from nightschool.core.errors import NotFound
from nightschool.events.plan import PlanCreated, PlanRevised
from nightschool.orchestration.conflicts import conflicts, serial_queues
from nightschool.orchestration.plan import Plan, layers
from nightschool.orchestration.plan_file import load_plan, plan_from_event
from nightschool.orchestration.shape import shape_of
from nightschool.orchestration.staffing import expected_tokens
from nightschool.settings import Settings

__all__ = ["show"]

_COLUMNS: Final = ("layer", "task", "waits for", "needs", "writes", "on failure", "tokens")
_MANY: Final = 500
"""Tasks from which on they are shown as plain lines."""
_NAMED: Final = 40
"""Tasks that are named one by one in a line."""
_WIDEST: Final = 40
"""Columns of text that are kept free for a cell in plain lines."""


@click.command()
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
    # The stores take a second to import, and a file needs none.
    from nightschool.bootstrap import open_workspace

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
    shape, console = shape_of(shown), results()
    critical = frozenset(shape.critical_path)
    rows = [
        (str(number), *_row(shown, task_id))
        for number, layer in enumerate(layers(shown), 1)
        for task_id in layer
    ]
    console.print(f"{shown.goal}\n", markup=False)
    if len(rows) > _MANY:
        click.echo("\n".join(_lines([_COLUMNS, *rows])))
    else:
        console.print(_table(rows, [task_id in critical for layer in layers(shown) for task_id in layer]))
    console.print(f"\ncritical path: {_few(shape.critical_path, ' → ')}", markup=False)
    console.print(
        f"{shape.tasks} tasks in {shape.depth} layers, up to {shape.width} side by side;"
        f" more agents can shorten it at most {shape.parallelism:.1f} times"
    )
    for queue in serial_queues(conflicts(shown)):
        console.print(f"one after another, they write the same: {_few(queue)}", markup=False)


def _row(shown: Plan, task_id: str) -> tuple[str, ...]:
    task = shown.task(task_id)
    name = task_id if task.title == task_id else f"{task_id}: {task.title}"
    told = (_few(each) or "—" for each in (task.depends_on, task.needs, task.writes))
    return (name, *told, str(task.on_failure), str(expected_tokens(task)))


def _few(names: Sequence[str], between: str = ", ") -> str:
    """Name the first and the last where there are too many to read."""
    if len(names) <= _NAMED:
        return between.join(names)
    return f"{between.join((*names[:10], '…', names[-1]))} ({len(names):,} in all; --json names them)"


def _table(rows: Sequence[Sequence[str]], critical: Sequence[bool]) -> Table:
    """Lay the tasks out as the terminal is wide; those of the critical path stand out."""
    table = Table(*_COLUMNS, box=None)
    for row, is_critical in zip(rows, critical, strict=True):
        number, name, *others = map(escape, row)
        table.add_row(number, f"[bold]{name}[/]" if is_critical else name, *others)
    return table


def _lines(rows: Sequence[Sequence[str]]) -> list[str]:
    """Lay out so many tasks that measuring each cell against the terminal would take its time."""
    widths = [min(max(map(len, column)), _WIDEST) for column in zip(*rows, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
