"""How a goal became tasks, and what became of each task. Appended to the orchestrator's session."""

from __future__ import annotations

from typing import Literal

from nightschool.events.base import EventBase, JsonObject
from nightschool.events.span import ModelUsage

__all__ = [
    "EscalationDecided",
    "PlanCompleted",
    "PlanCreated",
    "PlanRevised",
    "PoolResized",
    "TaskCompleted",
    "TaskFailed",
    "TaskGraded",
    "TaskGranted",
    "TaskStarted",
]


class PlanCreated(EventBase):
    """The goal's tasks and their dependencies."""

    type: Literal["plan.created"] = "plan.created"
    plan_id: str
    goal: str
    tasks: tuple[JsonObject, ...]
    """Each task: id, title, needs, depends_on, inputs, and what else the plan says of it."""
    layers: tuple[tuple[str, ...], ...]
    """Task ids in layers; those of one layer wait only for earlier ones."""
    outcome: JsonObject | None = None
    """What a good result is of every task that does not say so itself."""
    learnt: JsonObject | None = None
    """What earlier tasks had taught when it began (`verdicts`, `tokens`); a plan woken keeps to it."""


class PlanRevised(EventBase):
    """The orchestrator planned anew; the tasks here are all tasks from now on."""

    type: Literal["plan.revised"] = "plan.revised"
    plan_id: str
    goal: str
    tasks: tuple[JsonObject, ...]
    layers: tuple[tuple[str, ...], ...]
    task_id: str
    """The task that gave the reason."""
    note: str | None = None
    outcome: JsonObject | None = None
    """As in `plan.created`."""


class PlanCompleted(EventBase):
    """The execution summary: what finished, what failed and why, and at which cost."""

    type: Literal["plan.completed"] = "plan.completed"
    plan_id: str
    summary: JsonObject


class TaskStarted(EventBase):
    """A task took a slot and became a session of its own."""

    type: Literal["task.started"] = "task.started"
    plan_id: str
    task_id: str
    task_session_id: str | None = None
    """The session in which an agent works on it; null where code does the task."""
    attempt: int = 1
    slot: int | None = None
    """The place in the pool that it took."""
    agent_version: int | None = None
    policy: str | None = None
    """How its agent was chosen; null where there was no choice."""
    probabilities: dict[str, float] | None = None
    """How probable each choice of an agent was, by name."""
    received: str | None = None
    """Everything that the task was given, byte for byte."""


class TaskCompleted(EventBase):
    """A task has its result."""

    type: Literal["task.completed"] = "task.completed"
    plan_id: str
    task_id: str
    task_session_id: str | None = None
    result: JsonObject
    duration_ms: float | None = None
    attempt: int | None = None
    tokens: int | None = None
    """Tokens that the attempt read and wrote."""
    note: str | None = None
    """What is to be said against the result, when it was accepted all the same."""


class TaskFailed(EventBase):
    """An attempt at a task ended without a result; ``error`` says why."""

    type: Literal["task.failed"] = "task.failed"
    plan_id: str
    task_id: str
    task_session_id: str | None = None
    error: JsonObject
    duration_ms: float | None = None
    attempt: int | None = None
    tokens: int | None = None
    next: str | None = None
    """What follows: retry, reassign, fallback, escalate, or fail."""


class TaskGraded(EventBase):
    """The result of an attempt was judged; below its tier it is not the task's result."""

    type: Literal["task.graded"] = "task.graded"
    plan_id: str
    task_id: str
    attempt: int
    satisfied: bool
    scores: dict[str, float]
    feedback: tuple[str, ...] = ()
    """What to mend; the next attempt is given it."""
    result: JsonObject
    next: str
    """What follows: accept, rerun, fallback or escalate."""
    duration_ms: float | None = None
    tokens: int | None = None
    task_session_id: str | None = None
    """The session whose result was judged; null where code made it."""
    tier: str | None = None
    """The tier it was judged at: strict, standard or lenient; null where no rubric was declared."""
    threshold: float | None = None
    """What the tier compared with."""
    margin: float | None = None
    """How far above that the result lies; negative below it."""
    usage: ModelUsage | None = None
    """Tokens that the grading took; null where code judged."""


class TaskGranted(EventBase):
    """What an attempt at a task may do; stands in the session of its agent, before its first message."""

    type: Literal["task.granted"] = "task.granted"
    plan_id: str
    task_id: str
    attempt: int
    tools: tuple[str, ...]
    """The tools that it needs and its agent has."""
    writes: tuple[str, ...] = ()
    """What it declared to write and its agent may; a call that would write anything else is refused."""


class EscalationDecided(EventBase):
    """The orchestrator decided what becomes of a task that its agents could not do well enough."""

    type: Literal["escalation.decided"] = "escalation.decided"
    plan_id: str
    task_id: str
    action: str
    """replan, reassign, accept or stop."""
    note: str
    """Why."""
    assigned_to: str | None = None
    """The agent that does it now."""


class PoolResized(EventBase):
    """Agents were started or released."""

    type: Literal["pool.resized"] = "pool.resized"
    plan_id: str
    size: int
    """Members from now on."""
    started: int = 0
    released: int = 0
    waiting: int = 0
    """Tasks that were ready and had no place."""
