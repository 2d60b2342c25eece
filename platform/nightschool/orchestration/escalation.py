"""What the orchestrator is asked when its agents could not do a task well enough, and what it may answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from nightschool.orchestration.plan import Task

__all__ = ["Action", "Decide", "Decision", "Escalation", "by_rule", "decide_by_rule"]


class Action(StrEnum):
    """What becomes of the task."""

    REPLAN = "replan"
    """Other tasks take its place; one of them has its id, so that what waits for it still does."""
    REASSIGN = "reassign"
    """Another agent does it."""
    ACCEPT = "accept"
    """What there is stands, with a note; without any result, the task ends without one."""
    STOP = "stop"
    """Nothing more of the plan is started."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Escalation:
    """The facts on which the orchestrator decides."""

    task: Task
    reason: str
    """Why the task came here."""
    agents: tuple[str, ...]
    """Who worked on it."""
    candidates: tuple[str, ...]
    """Who could do it and has not tried."""
    result: Mapping[str, Any] | None
    """The last result handed in, which was not good enough; None: there was none."""
    feedback: tuple[str, ...]
    """What was wrong with it."""
    escalations: int
    """How often the orchestrator decided about it before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The orchestrator's answer."""

    action: Action
    note: str
    agent: str | None = None
    """For `reassign`: who does it now."""
    tasks: tuple[Task, ...] = ()
    """For `replan`: what takes the task's place."""


Decide = Callable[[Escalation], Awaitable[Decision]]


def by_rule(escalation: Escalation) -> Decision:
    """Decide without a model: who has not tried may try, once; then what there is stands, with a note."""
    if escalation.candidates and not escalation.escalations:
        agent = escalation.candidates[0]
        return Decision(action=Action.REASSIGN, note=f"{escalation.reason}; {agent} tries", agent=agent)
    kept = "accepted all the same" if escalation.result is not None else "given up"
    return Decision(action=Action.ACCEPT, note=f"{escalation.reason}; {kept}")


async def decide_by_rule(escalation: Escalation) -> Decision:
    """Decide as `by_rule`, where a decision may take its time."""
    return by_rule(escalation)
