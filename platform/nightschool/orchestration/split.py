"""Tasks too long for their agent's context, cut into some that fit: pure.

A task is cut along its parts. The pieces are joined under the task's own id, so whatever waits for it
waits for the join and need not know.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from nightschool.core.errors import Malformed
from nightschool.orchestration.plan import Plan, Task, validate
from nightschool.orchestration.staffing import expected_tokens

__all__ = ["split_long_tasks"]

_JOIN: Final = {"strategy": "union"}


def split_long_tasks(
    plan: Plan, context_limit_tokens: int, measured: Mapping[str, float] | None = None
) -> Plan:
    """Return the plan with every task over the limit cut in pieces; itself when there is none.

    Args:
        plan: a valid plan.
        context_limit_tokens: what the agents can read and write in one request.
        measured: tokens of past tasks by type, see `expected_tokens`.

    Raises:
        Malformed: a task is too long and has not the parts along which to cut it; it is named.
    """
    tasks: list[Task] = []
    for task in plan.tasks:
        expected = expected_tokens(task, measured)
        fits = task.merge is not None or expected <= context_limit_tokens
        tasks += [task] if fits else _cut(task, expected, context_limit_tokens)
    if len(tasks) == len(plan.tasks):
        return plan
    cut = replace(plan, tasks=tuple(tasks))
    validate(cut)
    return cut


def _cut(task: Task, expected: int, limit: int) -> list[Task]:
    weights = [_size(part) or 1 for part in task.parts]
    # What is not in the parts (words, inputs) goes to every piece.
    given = _size(task.title + task.prompt + task.inputs)
    everywhere = expected * given / (given + sum(weights))
    shares = [(expected - everywhere) * weight / sum(weights) for weight in weights]
    if len(task.parts) < 2 or everywhere + max(shares) > limit:
        raise Malformed(
            f"plan: task {task.id!r} is expected to take {expected} tokens, more than the {limit} of its"
            " agent's context, and has no `parts` small enough to be worked on apart; divide it",
            field=task.id,
        )
    pieces = [
        replace(
            task,
            id=f"{task.id}#{number}",
            title=f"{task.title} ({number})",
            parts=tuple(task.parts[place] for place in places),
            input_tokens=math.floor(sum(shares[place] for place in places) + everywhere),
            output_tokens=0,
        )
        for number, places in enumerate(_filled(shares, limit - everywhere), 1)
    ]
    join = replace(
        task,
        title=f"{task.title} (joined)",
        depends_on=tuple(piece.id for piece in pieces),
        needs=(), parts=(), writes=(), inputs="", prompt="", input_tokens=None, output_tokens=None,
        merge=_JOIN,
    )  # fmt: skip
    return [*pieces, join]


def _size(text: str) -> int:
    # What tokens are estimated from.
    return len(text.encode())


def _filled(shares: list[float], room: float) -> list[list[int]]:
    """Put neighbouring parts together as long as they fit."""
    bins: list[list[int]] = [[]]
    filled = 0.0
    for place, share in enumerate(shares):
        if bins[-1] and filled + share > room:
            bins.append([])
            filled = 0.0
        bins[-1].append(place)
        filled += share
    return bins
