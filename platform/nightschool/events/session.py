"""What becomes of a session and of its threads."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from nightschool.events.base import EventBase, JsonObject, Wire

__all__ = [
    "AgentSnapshot",
    "SessionCreated",
    "SessionDeleted",
    "SessionError",
    "SessionStatusIdle",
    "SessionStatusRescheduled",
    "SessionStatusRunning",
    "SessionStatusTerminated",
    "SessionThreadCreated",
    "SessionThreadStatusIdle",
    "SessionThreadStatusRescheduled",
    "SessionThreadStatusRunning",
    "SessionThreadStatusTerminated",
    "SessionUpdated",
    "SessionUsage",
    "StopReason",
]


class AgentSnapshot(Wire):
    """The session's own copy of its agent's configuration."""

    name: str
    model: str
    system: str = ""
    tools: tuple[JsonObject, ...] = ()
    version: int = 1


class StopReason(Wire):
    """Why a turn ended: end_turn, requires_action, retries_exhausted, budget_reached, refusal."""

    type: str
    event_ids: tuple[str, ...] | None = None


class SessionCreated(EventBase):
    """The first event of every session: who will work, and what the session belongs to."""

    type: Literal["session.created"] = "session.created"
    agent: AgentSnapshot | None = None
    title: str | None = None
    parent_session_id: str | None = None
    metadata: dict[str, str] = Field(default_factory=dict)
    """What the session belongs to: experiment_id, trial_id, arm, task_id, role, source ..."""


class SessionStatusRunning(EventBase):
    """The agent works."""

    type: Literal["session.status_running"] = "session.status_running"


class SessionStatusIdle(EventBase):
    """The turn is over and the session waits."""

    type: Literal["session.status_idle"] = "session.status_idle"
    stop_reason: StopReason


class SessionStatusRescheduled(EventBase):
    """The turn goes on later, or elsewhere."""

    type: Literal["session.status_rescheduled"] = "session.status_rescheduled"


class SessionStatusTerminated(EventBase):
    """The session is over for good."""

    type: Literal["session.status_terminated"] = "session.status_terminated"


class SessionDeleted(EventBase):
    """The session was deleted; ends live streams, never listed."""

    type: Literal["session.deleted"] = "session.deleted"


class SessionUpdated(EventBase):
    """Some fields of the session changed; only those are here."""

    type: Literal["session.updated"] = "session.updated"
    title: str | None = None
    metadata: dict[str, str] | None = None


class SessionError(EventBase):
    """Something went wrong; ``error.retry_status`` says whether it is tried again."""

    type: Literal["session.error"] = "session.error"
    error: JsonObject


class SessionUsage(EventBase):
    """Totals of the session so far; comes right before each `session.status_idle`."""

    type: Literal["session.usage"] = "session.usage"
    usage: JsonObject


class SessionThreadCreated(EventBase):
    """A child thread begins."""

    type: Literal["session.thread_created"] = "session.thread_created"
    agent_name: str
    workflow_run_id: str | None = None


class SessionThreadStatusRunning(EventBase):
    """A thread's agent works."""

    type: Literal["session.thread_status_running"] = "session.thread_status_running"
    agent_name: str


class SessionThreadStatusIdle(EventBase):
    """A thread's turn is over."""

    type: Literal["session.thread_status_idle"] = "session.thread_status_idle"
    agent_name: str
    stop_reason: StopReason


class SessionThreadStatusRescheduled(EventBase):
    """A thread goes on later."""

    type: Literal["session.thread_status_rescheduled"] = "session.thread_status_rescheduled"
    agent_name: str


class SessionThreadStatusTerminated(EventBase):
    """A thread is over for good."""

    type: Literal["session.thread_status_terminated"] = "session.thread_status_terminated"
    agent_name: str
