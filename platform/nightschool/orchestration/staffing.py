"""Who can do a task, and whether it fits into their context: pure checks over a plan and its agents."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final

from nightschool.core.errors import Malformed
from nightschool.core.tokens import text_tokens
from nightschool.orchestration.plan import Plan, Task, validate
from nightschool.orchestration.resources import covers
from nightschool.registry.agents import AgentFile

__all__ = ["capable", "check_staff", "expected_tokens", "lacking"]

_OUTPUT_SHARE: Final = 0.25
"""Tokens written for each token read, where nobody says and no run has shown it."""


def expected_tokens(task: Task, measured: Mapping[str, float] | None = None) -> int:
    """Return how many tokens a task is expected to read and write.

    What past runs took for its type outranks what the plan says, but it is never less than the words that
    the task is given; where neither is known it is estimated from their length.

    Args:
        task: the task.
        measured: type of task to the tokens that past tasks of the type took.
    """
    past = (measured or {}).get(task.type)
    given = text_tokens("".join((task.title, task.prompt, task.inputs, *task.parts)))
    if past is not None:
        return max(math.ceil(past), given)
    read = given if task.input_tokens is None else task.input_tokens
    written = task.output_tokens if task.output_tokens is not None else math.ceil(read * _OUTPUT_SHARE)
    return read + written


def lacking(agent: AgentFile, task: Task) -> list[str]:
    """Return the tools and permissions that the task needs and the agent has not."""
    tools = [f"tool {name}" for name in task.needs if name not in agent.tools]
    refused = (w for w in task.writes if not any(covers(p, w) for p in agent.permissions))
    return tools + [f"permission {name}" for name in refused]


def capable(agents: Sequence[AgentFile], task: Task) -> list[AgentFile]:
    """Return the agents that have what the task needs, in their order."""
    return [agent for agent in agents if not lacking(agent, task)]


def check_staff(plan: Plan, agents: Sequence[AgentFile]) -> None:
    """Refuse a plan with a task that none of the agents can do, by name.

    Raises:
        Malformed: as said, or see `plan.validate`.
    """
    validate(plan)
    for task in plan.tasks:
        if task.merge is not None or capable(agents, task):
            continue
        nearest = min((lacking(agent, task) for agent in agents), key=len, default=list(task.needs))
        raise Malformed(
            f"plan: no agent can do task {task.id!r}: the nearest lacks {', '.join(nearest) or 'everything'};"
            " give an agent what it needs, or the task less",
            field=task.id,
        )
