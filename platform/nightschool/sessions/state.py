"""What a session's events add up to: a pure fold, so that any process can go on where another stopped.

Knows nothing about where events come from. ``fold(b, fold(a)) == fold(a + b)``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from types import MappingProxyType

from nightschool.core.usage import Usage
from nightschool.events.agent import (
    AgentCustomToolUse,
    AgentMcpToolResult,
    AgentMcpToolUse,
    AgentMessage,
    AgentThreadContextCompacted,
    AgentToolResult,
    AgentToolUse,
)
from nightschool.events.experiment import FeedbackRecorded
from nightschool.events.session import (
    AgentSnapshot,
    SessionCreated,
    SessionDeleted,
    SessionError,
    SessionStatusIdle,
    SessionStatusRescheduled,
    SessionStatusRunning,
    SessionStatusTerminated,
    SessionUpdated,
    StopReason,
)
from nightschool.events.span import (
    SpanModelRequestEnd,
    SpanModelRequestStart,
    SpanOutcomeEvaluationEnd,
)
from nightschool.events.union import Event, UnknownEvent
from nightschool.events.user import (
    UserCustomToolResult,
    UserDefineOutcome,
    UserInterrupt,
    UserMessage,
    UserToolConfirmation,
    UserToolResult,
)

__all__ = ["SessionState", "SessionStatus", "ToolCall", "ToolResult", "ToolUse", "fold"]

ToolUse = AgentToolUse | AgentMcpToolUse | AgentCustomToolUse
ToolResult = AgentToolResult | AgentMcpToolResult | UserToolResult | UserCustomToolResult


class SessionStatus(StrEnum):
    """idle -> running -> idle, any number of times; running -> rescheduling -> running; terminated ends."""

    IDLE = "idle"
    """Waits for somebody."""
    RUNNING = "running"
    """The agent works, or was working when its process died."""
    RESCHEDULING = "rescheduling"
    """Goes on later, or elsewhere."""
    TERMINATED = "terminated"
    """Over for good."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """A tool call and, once there is one, its result."""

    use: ToolUse
    """The event that asked; its id is the call's id."""
    result: ToolResult | None = None
    """None: not finished."""
    confirmation: UserToolConfirmation | None = None
    """What a person said when the call asked for permission."""

    @property
    def is_finished(self) -> bool:
        """Whether there is a result."""
        return self.result is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionState:
    """A session at one moment."""

    created: bool = False
    """Whether ``session.created`` was seen."""
    agent: AgentSnapshot | None = None
    """The session's own copy of its agent."""
    title: str | None = None
    """A name for people."""
    parent_session_id: str | None = None
    """The session that started this one."""
    metadata: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """What the session belongs to: experiment_id, trial_id, arm, task_id, role, source ..."""
    status: SessionStatus = SessionStatus.IDLE
    """Where it stands."""
    stop_reason: StopReason | None = None
    """Why it last became idle; None while it runs or before its first turn."""
    deleted: bool = False
    """Whether it was deleted."""
    interrupted: bool = False
    """A person stopped the current turn, and no new turn has begun."""
    usage: Usage = field(default_factory=Usage)
    """Tokens of all finished model requests of the session itself."""
    grading_usage: Usage = field(default_factory=Usage)
    """Tokens spent on judging its outcome."""
    model_calls: int = 0
    """Finished model requests, failed ones included."""
    failed_model_calls: int = 0
    """Those that ended in an error."""
    open_model_requests: tuple[str, ...] = ()
    """Ids of started requests without an end."""
    tool_calls: tuple[ToolCall, ...] = ()
    """All tool calls, in the order they were asked for."""
    outcome: UserDefineOutcome | None = None
    """What done means, as last defined."""
    evaluations: tuple[SpanOutcomeEvaluationEnd, ...] = ()
    """The grader's verdicts."""
    feedback: tuple[FeedbackRecorded, ...] = ()
    """Judgements from outside."""
    last_message: AgentMessage | None = None
    """The agent's latest words."""
    last_user_message: UserMessage | None = None
    """The latest words said to it."""
    last_error: SessionError | None = None
    """What went wrong last."""
    compactions: int = 0
    """How often the agent's view was shortened."""
    events: int = 0
    """Events folded."""
    unknown_events: int = 0
    """Those of a type this version does not know; they change nothing else."""

    @property
    def open_tool_calls(self) -> tuple[ToolCall, ...]:
        """Calls without a result, oldest first."""
        return tuple(call for call in self.tool_calls if call.result is None)

    def tool_call(self, tool_use_id: str) -> ToolCall | None:
        """Return the call with that id."""
        return next((call for call in self.tool_calls if call.use.id == tool_use_id), None)


def fold(events: Iterable[Event], onto: SessionState | None = None) -> SessionState:
    """Return the state after ``events``, starting from a new session or from ``onto``."""
    draft = _Draft(onto or SessionState())
    for event in events:
        draft.take(event)
    return draft.finished()


class _Draft:
    """A state being built: the growing parts as mutable collections, so that a fold is linear."""

    def __init__(self, state: SessionState) -> None:
        self.state = state
        self.calls = {call.use.id: call for call in state.tool_calls}
        self.requests = dict.fromkeys(state.open_model_requests)
        self.evaluations = list(state.evaluations)
        self.feedback = list(state.feedback)
        self.count = state.events
        self.unknown = state.unknown_events

    def finished(self) -> SessionState:
        """Return the state with the growing parts put in."""
        return replace(
            self.state,
            tool_calls=tuple(self.calls.values()),
            open_model_requests=tuple(self.requests),
            evaluations=tuple(self.evaluations),
            feedback=tuple(self.feedback),
            events=self.count,
            unknown_events=self.unknown,
        )

    def take(self, event: Event) -> None:
        """Let one event change the state."""
        self.count += 1
        match event:
            case UnknownEvent():
                self.unknown += 1
            case AgentToolUse() | AgentMcpToolUse() | AgentCustomToolUse():
                self.calls.setdefault(event.id, ToolCall(use=event))
            case AgentToolResult() | UserToolResult():
                self._answer(event.tool_use_id, event)
            case AgentMcpToolResult():
                self._answer(event.mcp_tool_use_id, event)
            case UserCustomToolResult():
                self._answer(event.custom_tool_use_id, event)
            case UserToolConfirmation():
                self._confirm(event)
            case _:
                self._take_span(event)

    def _take_span(self, event: Event) -> None:
        match event:
            case SpanModelRequestStart():
                self.requests[event.id] = None
            case SpanModelRequestEnd():
                self._end_request(event)
            case SpanOutcomeEvaluationEnd():
                self.evaluations.append(event)
                self._set(grading_usage=self.state.grading_usage + event.usage.as_usage())
            case FeedbackRecorded():
                self.feedback.append(event)
            case _:
                self._take_words(event)

    def _take_words(self, event: Event) -> None:
        match event:
            case UserMessage():
                self._set(last_user_message=event)
            case UserInterrupt():
                self._set(interrupted=True)
            case UserDefineOutcome():
                self._set(outcome=event)
            case AgentMessage():
                self._set(last_message=event)
            case AgentThreadContextCompacted():
                self._set(compactions=self.state.compactions + 1)
            case _:
                self._take_life(event)

    def _take_life(self, event: Event) -> None:
        match event:
            case SessionCreated():
                self._create(event)
            case SessionUpdated():
                self._update(event)
            case SessionStatusIdle():
                self._set(status=SessionStatus.IDLE, stop_reason=event.stop_reason)
            case SessionStatusRunning():
                self._set(status=SessionStatus.RUNNING, stop_reason=None, interrupted=False)
            case SessionStatusRescheduled():
                self._set(status=SessionStatus.RESCHEDULING, stop_reason=None)
            case SessionStatusTerminated():
                self._set(status=SessionStatus.TERMINATED)
            case SessionDeleted():
                self._set(deleted=True)
            case SessionError():
                self._set(last_error=event)

    def _create(self, event: SessionCreated) -> None:
        self._set(
            created=True,
            agent=event.agent,
            title=event.title,
            parent_session_id=event.parent_session_id,
            metadata=MappingProxyType(dict(event.metadata)),
        )

    def _update(self, event: SessionUpdated) -> None:
        metadata = {**self.state.metadata, **(event.metadata or {})}
        title = self.state.title if event.title is None else event.title
        self._set(title=title, metadata=MappingProxyType(metadata))

    def _end_request(self, event: SpanModelRequestEnd) -> None:
        self.requests.pop(event.model_request_start_id, None)
        self._set(
            usage=self.state.usage + event.model_usage.as_usage(),
            model_calls=self.state.model_calls + 1,
            failed_model_calls=self.state.failed_model_calls + bool(event.is_error),
        )

    def _answer(self, tool_use_id: str, result: ToolResult) -> None:
        call = self.calls.get(tool_use_id)
        # The first result stands: what a second worker did after losing the session was not seen by anyone.
        if call is not None and call.result is None:
            self.calls[tool_use_id] = replace(call, result=result)

    def _confirm(self, event: UserToolConfirmation) -> None:
        call = self.calls.get(event.tool_use_id)
        # The first word holds: the call may have been made on it before a second one arrived.
        if call is not None and call.confirmation is None:
            self.calls[event.tool_use_id] = replace(call, confirmation=event)

    def _set(self, **changes: object) -> None:
        self.state = replace(self.state, **changes)  # type: ignore[arg-type]  # checked by the field's own users
