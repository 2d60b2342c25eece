"""How a goal became tasks, and what became of each task. Appended to the orchestrator's session."""

from __future__ import annotations

from typing import Literal

from nightschool.events.base import EventBase, JsonObject

__all__ = ["PlanCompleted", "PlanCreated", "TaskCompleted", "TaskFailed", "TaskStarted"]


class PlanCreated(EventBase):
    """The goal's tasks and their dependencies."""

    type: Literal["plan.created"] = "plan.created"
    plan_id: str
    goal: str
    tasks: tuple[JsonObject, ...]
    """Each task: id, title, needs, depends_on, inputs."""
    layers: tuple[tuple[str, ...], ...]
    """Task ids in layers; those of one layer wait only for earlier ones."""


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
    task_session_id: str
    attempt: int = 1


class TaskCompleted(EventBase):
    """A task has its result."""

    type: Literal["task.completed"] = "task.completed"
    plan_id: str
    task_id: str
    task_session_id: str
    result: JsonObject
    duration_ms: float | None = None


class TaskFailed(EventBase):
    """A task ended without a result; ``error`` says why."""

    type: Literal["task.failed"] = "task.failed"
    plan_id: str
    task_id: str
    task_session_id: str | None = None
    error: JsonObject
    duration_ms: float | None = None
