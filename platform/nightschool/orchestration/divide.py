"""One task's work divided among as many agents as there are, and put together by one more: pure.

Unlike a split for length, which code joins for nothing, whoever puts the pieces together reads all of them:
with every agent more there is less to do for each and more to read at the end.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from nightschool.orchestration.plan import Plan, Task, validate

__all__ = ["divide"]

_JOIN: Final = "Put the results of the parts together."


def divide(plan: Plan, agents: int) -> Plan:
    """Return the plan with every task that has parts divided into at most so many pieces.

    The pieces are of neighbouring parts, as even in number as can be. What waits for the task waits for the
    one who puts them together, who has its id.

    Args:
        plan: a valid plan.
        agents: how many work on one task; 1 changes nothing.
    """
    tasks = [each for task in plan.tasks for each in _pieces(task, min(agents, len(task.parts)))]
    divided = replace(plan, tasks=tuple(tasks))
    validate(divided)
    return divided


def _pieces(task: Task, count: int) -> list[Task]:
    if count < 2 or task.merge is not None:
        return [task]
    ends = [len(task.parts) * number // count for number in range(count + 1)]
    pieces = [
        replace(
            task,
            id=f"{task.id}#{number + 1}",
            title=f"{task.title} ({number + 1} of {count})",
            parts=task.parts[ends[number] : ends[number + 1]],
            input_tokens=None,
            output_tokens=None,
        )
        for number in range(count)
    ]
    join = replace(
        task,
        title=f"{task.title} (put together)",
        prompt=f"{_JOIN}\n\n{task.prompt or task.title}",
        parts=(),
        depends_on=(*task.depends_on, *(piece.id for piece in pieces)),
        writes=(),
        input_tokens=None,
        output_tokens=None,
    )
    return [*pieces, join]
