"""The events of each step of the loop, made but not yet appended. Decides nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from nightschool.core.errors import ModelError
from nightschool.core.usage import Usage
from nightschool.events.agent import AgentMessage, AgentToolRefused, AgentToolResult, AgentToolUse, Permission
from nightschool.events.base import EventBase, TextBlock
from nightschool.events.session import SessionError, SessionStatusIdle, SessionUsage, StopReason
from nightschool.events.span import ModelUsage, SpanModelRequestEnd, SpanModelRequestStart
from nightschool.events.user import UserToolConfirmation
from nightschool.models.request import ModelReply, ModelRequest
from nightschool.sandbox.tools import ToolResult
from nightschool.sessions.log import SessionWriter

__all__ = [
    "denied",
    "event",
    "failure",
    "reply_events",
    "request_end",
    "request_failed",
    "request_start",
    "stopped",
    "tool_result",
    "unheard",
]

_Kind = TypeVar("_Kind", bound=EventBase)


def event(writer: SessionWriter, kind: type[_Kind], **fields: object) -> _Kind:
    """Return a new event of the session with a fresh id and the time of now."""
    return kind.model_validate({"id": writer.new_event_id(), "processed_at": writer.now(), **fields})


def request_start(writer: SessionWriter, request: ModelRequest) -> SpanModelRequestStart:
    """Return the event that a request goes out."""
    return event(writer, SpanModelRequestStart, model=request.model)


def request_end(
    writer: SessionWriter,
    start: SpanModelRequestStart,
    request: ModelRequest,
    reply: ModelReply,
    seconds: float,
) -> SpanModelRequestEnd:
    """Return the event that a request was answered."""
    first = reply.time_to_first_token_seconds
    return event(
        writer,
        SpanModelRequestEnd,
        model_request_start_id=start.id,
        model=request.model,
        model_usage=ModelUsage.of(reply.usage),
        stop_reason=reply.stop_reason,
        duration_ms=seconds * 1000,
        time_to_first_token_ms=None if first is None else first * 1000,
    )


def request_failed(
    writer: SessionWriter, start: SpanModelRequestStart, error: ModelError
) -> SpanModelRequestEnd:
    """Return the event that a request failed."""
    return event(
        writer,
        SpanModelRequestEnd,
        model_request_start_id=start.id,
        model=start.model,
        model_usage=ModelUsage(),
        is_error=True,
        stop_reason=error.code,
    )


def reply_events(
    writer: SessionWriter, reply: ModelReply, *, permission: Callable[[str], Permission]
) -> list[EventBase]:
    """Return what the model said and which tools it calls, in its order."""
    events: list[EventBase] = []
    for block in reply.content:
        if block["type"] == "text":
            events.append(event(writer, AgentMessage, content=(TextBlock(text=block["text"]),)))
        elif block["type"] == "tool_use":
            events.append(
                event(
                    writer,
                    AgentToolUse,
                    name=block["name"],
                    input=block["input"],
                    api_tool_use_id=block["id"],
                    evaluated_permission=permission(block["name"]),
                )
            )
    return events


def tool_result(
    writer: SessionWriter, call: AgentToolUse, result: ToolResult, milliseconds: float
) -> list[EventBase]:
    """Return what a tool gave back, after the refusal when the call was not granted."""
    given = event(
        writer,
        AgentToolResult,
        tool_use_id=call.id,
        content=(TextBlock(text=result.text),),
        is_error=result.is_error or None,
        duration_ms=milliseconds,
    )
    if not result.is_refused:
        return [given]
    return [
        event(writer, AgentToolRefused, tool_use_id=call.id, name=call.name, reason=result.text),
        given,
    ]


def denied(writer: SessionWriter, call: AgentToolUse, word: UserToolConfirmation | None) -> list[EventBase]:
    """Return what the agent is told of a call that was denied: it was not made, and why."""
    why = word.deny_message if word else None
    told = "This call was denied and not made." + (f" Reason given: {why}" if why else "")
    return tool_result(writer, call, ToolResult(text=told, is_error=True, is_refused=True), 0.0)


def unheard(writer: SessionWriter, tool_use_id: str, seconds: float) -> UserToolConfirmation:
    """Return the word on a call about which nobody said anything in time."""
    return event(
        writer,
        UserToolConfirmation,
        tool_use_id=tool_use_id,
        result="deny",
        deny_message=f"nobody answered within {seconds:,.0f} seconds",
        given_by="nightschool",
    )


def stopped(
    writer: SessionWriter,
    events: Sequence[EventBase],
    reason: str,
    *,
    waits_for: tuple[str, ...] | None = None,
) -> tuple[EventBase, EventBase]:
    """Return the end of a turn: the totals, then idle, perhaps until somebody answers ``waits_for``."""
    total = sum((e.model_usage.as_usage() for e in events if isinstance(e, SpanModelRequestEnd)), Usage())
    usage = {"input_tokens": total.input_tokens, "output_tokens": total.output_tokens}
    if total.cache_read_input_tokens:
        usage["cache_read_input_tokens"] = total.cache_read_input_tokens
    if total.cache_creation_input_tokens:
        usage["cache_creation_input_tokens"] = total.cache_creation_input_tokens
    return (
        event(writer, SessionUsage, usage=usage),
        event(writer, SessionStatusIdle, stop_reason=StopReason(type=reason, event_ids=waits_for)),
    )


def failure(writer: SessionWriter, events: Sequence[EventBase], error: ModelError) -> list[EventBase]:
    """Return the end of a turn that a model failure cut short."""
    kind = "model_overloaded_error" if error.retryable else "model_request_failed_error"
    described = {
        "type": kind,
        "message": error.message,
        "retry_status": {"type": "exhausted"},
        "code": error.code,
    }
    return [event(writer, SessionError, error=described), *stopped(writer, events, "retries_exhausted")]
