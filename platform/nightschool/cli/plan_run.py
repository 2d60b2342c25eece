"""`nightschool plan run` and `nightschool plan wake`: a plan put to work, and taken up again."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

import anyio
import click

from nightschool.bootstrap import Workspace, open_workspace
from nightschool.cli.console import command, messages, results, show_json
from nightschool.cli.exits import Exit
from nightschool.core.errors import NightschoolError
from nightschool.experiments.plan_launch import PlanRequest, run_plan_request, wake_plan
from nightschool.orchestration.agent_choice import ChoicePolicy
from nightschool.orchestration.aggregate import answer_of
from nightschool.orchestration.board import Board
from nightschool.orchestration.plan_file import load_plan
from nightschool.settings import Settings

__all__ = ["run", "wake"]


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--brain", default="simulated", show_default=True, help="simulated, or a claude-... model.")
@click.option(
    "--policy",
    default=str(ChoicePolicy.CAPABILITY),
    show_default=True,
    type=click.Choice([*map(str, ChoicePolicy)]),
    help="How an agent is chosen among those that can.",
)
@click.option(
    "--width", default=20, show_default=True, type=click.IntRange(1, 256), help="Most agents at work."
)
@click.option("--fallback", metavar="AGENT", help="Who works on the fallback queue.")
@click.option("--context-limit", type=click.IntRange(min=1), help="Tokens; longer tasks are split.")
@click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON.")
@click.pass_obj
def run(  # noqa: PLR0913 - each is an option
    settings: Settings,
    *,
    file: Path,
    brain: str,
    policy: str,
    width: int,
    fallback: str | None,
    context_limit: int | None,
    as_json: bool,
) -> int:
    """Have the agents of the registry do the plan in FILE (YAML or JSON)."""
    plan = load_plan(file)
    request = PlanRequest(
        brain=brain,
        policy=ChoicePolicy(policy),
        width=width,
        fallback=fallback,
        context_limit_tokens=context_limit,
    )
    with open_workspace(settings) as workspace:
        session_id = workspace.ids.new("session")
        work = partial(run_plan_request, workspace, plan, request, session_id=session_id)
        return _carry_out(workspace, session_id, work, as_json=as_json)


@click.command()
@click.argument("session_id", metavar="SESSION")
@click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON.")
@click.pass_obj
def wake(settings: Settings, *, session_id: str, as_json: bool) -> int:
    """Finish the interrupted plan of SESSION; what was finished is not repeated."""
    with open_workspace(settings) as workspace:
        work = partial(wake_plan, workspace, session_id)
        return _carry_out(workspace, session_id, work, as_json=as_json)


def _carry_out(
    workspace: Workspace, session_id: str, work: Callable[[], Awaitable[Board]], *, as_json: bool
) -> int:
    again = command("plan", "wake", session_id)
    try:
        board = anyio.run(work)
    except KeyboardInterrupt:
        messages().print(f"stopped; every finished task is kept. Go on with: {again}", markup=False)
        raise
    except NightschoolError as error:
        if anyio.run(workspace.log.exists, session_id):
            error.message += f" Every finished task is kept; go on with: {again}"
        raise
    workspace.warehouse.sync(workspace.journal)
    _show(board, session_id, as_json=as_json)
    return int(Exit.UNEXPECTED if "failed" in answer_of(board) else Exit.SUCCESS)


def _show(board: Board, session_id: str, *, as_json: bool) -> None:
    answer = answer_of(board)
    if as_json:
        show_json({"session_id": session_id, **answer})
        return
    for task_id, result in answer["results"].items():
        results().print(f"{task_id}: {result}", markup=False)
    for task_id, note in answer.get("notes", {}).items():
        messages().print(f"{task_id} was accepted with a note: {note}", markup=False, style="yellow")
    for task_id, reason in answer.get("failed", {}).items():
        messages().print(f"{task_id} failed: {reason}", markup=False, style="red")
    shown = command("plan", "show", session_id)
    results().print(f"stored as session {session_id} · {shown}", markup=False)
