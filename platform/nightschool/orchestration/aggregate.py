"""From the results of tasks to what others are given and to the answer of the whole: pure.

Minimal context: a task is given its own words, the results it declared to wait for and the feedback on its
last attempt, and nothing else. What failed is named wherever its result is missing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nightschool.orchestration.board import Board, Status
from nightschool.orchestration.plan import Task

__all__ = ["answer_of", "asked_of", "context_of", "failures_of"]


def asked_of(board: Board, task: Task) -> str:
    """Return what is asked for: the task's own words and the results it waits for, as one text."""
    blocks = (task.prompt or task.title, task.inputs, *task.parts, board.told(task.depends_on))
    return "\n\n".join(filter(None, blocks))


def context_of(board: Board, task: Task, asked: str | None = None) -> str:
    """Return everything the task is given, as one text.

    Args:
        board: where the tasks stand.
        task: the task.
        asked: what `asked_of` says, where the caller knows it.
    """
    blocks = [asked_of(board, task) if asked is None else asked]
    own = board.tasks[task.id]
    if own.tries and own.error is not None:
        blocks.append(f"Attempt {own.tries + 1}; the last one failed: {own.error.get('message')}")
    if own.feedback:
        times = "once" if own.reruns == 1 else f"{own.reruns} times"
        blocks.append("\n".join((f"Your result was sent back {times}. Mend this:", *own.feedback)))
    return "\n\n".join(block for block in blocks if block)


def failures_of(board: Board) -> dict[str, str]:
    """Return the tasks without a result, each with the reason."""
    return {
        task_id: str((state.error or {}).get("message", "the plan was stopped before it"))
        for task_id, state in board.tasks.items()
        if state.status is not Status.DONE
    }


def answer_of(board: Board) -> dict[str, Any]:
    """Return the results of the tasks that no other waits for, what failed and why, and the reservations."""
    needed = {each for task in board.plan.tasks for each in task.depends_on}
    last = [task.id for task in board.plan.tasks if task.id not in needed]
    results: dict[str, Mapping[str, Any] | None] = {
        task_id: board.tasks[task_id].result for task_id in last if board.tasks[task_id].status is Status.DONE
    }
    notes = {
        task_id: state.note
        for task_id, state in board.tasks.items()
        if state.note and state.status is Status.DONE
    }
    answer: dict[str, Any] = {"results": results}
    failed = failures_of(board)
    return answer | ({"failed": failed} if failed else {}) | ({"notes": notes} if notes else {})
