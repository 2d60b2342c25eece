"""What may start now: a pure question to the board."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from nightschool.orchestration.board import Board
from nightschool.orchestration.conflicts import Conflicts
from nightschool.orchestration.plan import OnFailure, Task

__all__ = ["Turn", "blocked_by", "next_turn"]


class Turn(NamedTuple):
    """What the scheduler does next with the tasks that wait for nothing more."""

    blocked: list[tuple[str, str]]
    """Tasks that cannot be done, each with the failed task that it cannot do without."""
    starts: list[str]
    """Tasks to be started now, code's own included."""


def blocked_by(board: Board, task: Task) -> str | None:
    """Return the failed task that this one cannot do without."""
    if board.failed.isdisjoint(task.depends_on):
        return None
    failed = (needed for needed in task.depends_on if needed in board.failed)
    return next((each for each in failed if board.plan.task(each).on_failure is OnFailure.CRITICAL), None)


def next_turn(board: Board, *, room: int, apart: Conflicts) -> Turn:
    """Decide what is started: in the plan's order, no two that write the same, no more than there is room.

    The fallback queue is worked on when nothing else is ready. A task done by code takes no room.

    Args:
        board: where the tasks stand.
        room: free places.
        apart: who must not be at work together.
    """
    blocked: list[tuple[str, str]] = []
    starts: list[str] = []
    taken: set[str] = set(board.running) if apart else set()
    for task_id in _candidates(board):
        task = board.plan.task(task_id)
        if (failed := blocked_by(board, task)) is not None:
            blocked.append((task_id, failed))
        elif task.merge is not None:
            starts.append(task_id)
        elif room <= 0:
            break
        elif not apart.forbid(task_id, taken):
            starts.append(task_id)
            taken.add(task_id)
            room -= 1
    return Turn(blocked, starts)


def _candidates(board: Board) -> Iterator[str]:
    if board.is_stopped:
        return
    queue = board.ready or ([] if board.running or board.escalated else board.fallback)
    yield from [task_id for _, task_id in queue]
