"""The life of a dynamic workflow run."""

from __future__ import annotations

from typing import Literal

from nightschool.events.base import EventBase, JsonObject

__all__ = [
    "WorkflowRunCreated",
    "WorkflowRunError",
    "WorkflowRunPhaseEnded",
    "WorkflowRunPhaseStarted",
    "WorkflowRunStatusEnded",
    "WorkflowRunStatusIdle",
    "WorkflowRunStatusRunning",
]


class WorkflowRunCreated(EventBase):
    """A run exists, with the phases its script declares."""

    type: Literal["workflow_run.created"] = "workflow_run.created"
    workflow_run_id: str
    name: str
    phases: tuple[JsonObject, ...] = ()
    description: str | None = None


class WorkflowRunStatusRunning(EventBase):
    """The script executes."""

    type: Literal["workflow_run.status_running"] = "workflow_run.status_running"
    workflow_run_id: str


class WorkflowRunStatusIdle(EventBase):
    """The script is paused; the event never says why."""

    type: Literal["workflow_run.status_idle"] = "workflow_run.status_idle"
    workflow_run_id: str


class WorkflowRunStatusEnded(EventBase):
    """The last event of a run: completed, stopped or error."""

    type: Literal["workflow_run.status_ended"] = "workflow_run.status_ended"
    workflow_run_id: str
    result: JsonObject


class WorkflowRunError(EventBase):
    """A run failed or could not start."""

    type: Literal["workflow_run.error"] = "workflow_run.error"
    workflow_run_id: str | None = None
    error: JsonObject


class WorkflowRunPhaseStarted(EventBase):
    """A declared phase begins."""

    type: Literal["workflow_run.phase_started"] = "workflow_run.phase_started"
    workflow_run_id: str
    workflow_run_phase_id: str


class WorkflowRunPhaseEnded(EventBase):
    """A started phase is over."""

    type: Literal["workflow_run.phase_ended"] = "workflow_run.phase_ended"
    workflow_run_id: str
    workflow_run_phase_id: str
    phase_started_id: str
