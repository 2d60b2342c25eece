"""What a session still owes, read from its events: pure questions that the loop asks before each step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from nightschool.core.tokens import text_tokens
from nightschool.events.agent import AgentThreadContextCompacted, AgentToolResult, AgentToolUse
from nightschool.events.base import EventBase, text_of
from nightschool.events.session import SessionStatusIdle, SessionStatusRunning
from nightschool.events.span import SpanModelRequestEnd
from nightschool.events.user import UserMessage, UserToolConfirmation

__all__ = [
    "REQUIRES_ACTION",
    "accepted_input",
    "asked",
    "context_tokens",
    "is_running",
    "is_waiting",
    "model_calls_this_turn",
    "reads_since_compaction",
    "unanswered",
    "word_on",
]

REQUIRES_ACTION: Final = "requires_action"
"""Why a session is idle that waits for a person's word on a tool call."""


def is_waiting(events: Sequence[EventBase]) -> bool:
    """Return whether the session has nothing to do: its last turn ended and nobody has spoken since.

    A turn cut short by a failing model is not over: running the session again carries it on.
    """
    for event in reversed(events):
        if isinstance(event, UserMessage):
            return False
        if isinstance(event, SessionStatusIdle):
            # Two words may come together: the second is then older than the idle that asks for it.
            heard = (word_on(events, call) for call in event.stop_reason.event_ids or ())
            return event.stop_reason.type != "retries_exhausted" and not any(heard)
    return True


def asked(events: Sequence[EventBase]) -> tuple[str, ...]:
    """Return the ids of the calls for which the session waits for a person's word; none: it does not wait."""
    if not is_waiting(events):
        return ()
    idle = next((event for event in reversed(events) if isinstance(event, SessionStatusIdle)), None)
    if idle is None or idle.stop_reason.type != REQUIRES_ACTION:
        return ()
    return idle.stop_reason.event_ids or ()


def word_on(events: Sequence[EventBase], tool_use_id: str) -> UserToolConfirmation | None:
    """Return what was said first of a call that asked for permission."""
    words = (event for event in events if isinstance(event, UserToolConfirmation))
    return next((word for word in words if word.tool_use_id == tool_use_id), None)


def is_running(events: Sequence[EventBase]) -> bool:
    """Return whether the current turn was already announced as running."""
    for event in reversed(events):
        if isinstance(event, SessionStatusRunning):
            return True
        if isinstance(event, SessionStatusIdle):
            return False
    return False


def unanswered(events: Sequence[EventBase]) -> list[AgentToolUse]:
    """Return the tool calls without a result, in the order they were made.

    A model is asked again only when all are answered, so none lies before its latest answer.
    """
    answered: set[str] = set()
    waiting: list[AgentToolUse] = []
    for event in reversed(events):
        if isinstance(event, AgentToolResult):
            answered.add(event.tool_use_id)
        elif isinstance(event, AgentToolUse) and event.id not in answered:
            waiting.append(event)
        elif isinstance(event, SpanModelRequestEnd):
            break
    return waiting[::-1]


def model_calls_this_turn(events: Sequence[EventBase]) -> int:
    """Return how many model requests were answered in this turn, waits for permission included."""
    calls = 0
    for event in reversed(events):
        if isinstance(event, SessionStatusIdle) and event.stop_reason.type != REQUIRES_ACTION:
            break
        calls += isinstance(event, SpanModelRequestEnd)
    return calls


def reads_since_compaction(events: Sequence[EventBase]) -> int:
    """Return how many tool results came into view since the last compaction; none: compacting is useless."""
    reads = 0
    for event in reversed(events):
        if isinstance(event, AgentThreadContextCompacted):
            break
        reads += isinstance(event, AgentToolResult)
    return reads


def context_tokens(events: Sequence[EventBase]) -> int | None:
    """Return how long the next request will be, as far as the log tells.

    What the model counted last, plus an estimate of what came into view since; None when
    nothing was counted yet, or a compaction made the count void.
    """
    unread = 0
    for event in reversed(events):
        match event:
            case AgentToolResult() | UserMessage():
                unread += text_tokens(text_of(event.content))
            case AgentThreadContextCompacted():
                return None
            case SpanModelRequestEnd() if not event.is_error:
                usage = event.model_usage.as_usage()
                return usage.total_tokens + unread
    return None


def accepted_input(events: Sequence[EventBase], tool_name: str) -> Mapping[str, Any] | None:
    """Return the input of the last call of a tool that succeeded: the agent's structured answer."""
    failed = {e.tool_use_id: bool(e.is_error) for e in events if isinstance(e, AgentToolResult)}
    for event in reversed(events):
        if isinstance(event, AgentToolUse) and event.name == tool_name and failed.get(event.id) is False:
            return event.input
    return None
