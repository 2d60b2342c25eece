"""A session's events as lines a person can read. Pure; knows nothing about where they are shown."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from nightschool.events.agent import (
    AgentMessage,
    AgentThreadContextCompacted,
    AgentToolRefused,
    AgentToolResult,
    AgentToolUse,
)
from nightschool.events.base import EventBase, JsonObject
from nightschool.events.experiment import FeedbackRecorded
from nightschool.events.memory import MemoryRecalled
from nightschool.events.plan import PoolResized, TaskCompleted, TaskFailed, TaskGraded, TaskStarted
from nightschool.events.record import standard_record
from nightschool.events.session import SessionCreated, SessionStatusIdle
from nightschool.events.span import SpanModelRequestEnd, SpanOutcomeEvaluationEnd
from nightschool.events.user import UserMessage, UserToolConfirmation

__all__ = ["TraceLine", "trace_lines"]

_SILENT: Final = frozenset(
    {"session.status_running", "session.usage", "span.model_request_start", "span.outcome_evaluation_start"}
)
"""Events that tell a reader nothing their neighbours do not."""


_EVALUATED: Final = {"deny": " · not granted", "ask": " · asks for permission"}


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceLine:
    """One event, legibly."""

    at: datetime | None
    """When it happened; imported transcripts may not know."""
    who: str
    """user, agent, tool, model, grader, session ..."""
    head: str
    """What happened, in a few words."""
    text: str = ""
    """What was said, asked for or given back."""
    is_error: bool = False
    event_id: str = ""


def _head(event: EventBase) -> str:  # noqa: C901, PLR0911, PLR0912  # one line per kind of event
    match event:
        case SessionCreated():
            agent = event.agent
            return "session created" + (f" · {agent.name} · {agent.model}" if agent else "")
        case AgentToolUse():
            return f"calls {event.name}{_EVALUATED.get(event.evaluated_permission or '', '')}"
        case AgentToolRefused():
            return f"refused {event.name} · the call was not made"
        case AgentToolResult():
            took = "" if event.duration_ms is None else f" · {event.duration_ms:.0f} ms"
            return ("error" if event.is_error else "result") + took
        case UserToolConfirmation():
            return f"{event.result} · by {event.given_by or 'unknown'}"
        case SpanModelRequestEnd():
            usage = event.model_usage
            took = "" if event.duration_ms is None else f" · {event.duration_ms:.0f} ms"
            return f"answered · {usage.input_tokens:,} tokens in, {usage.output_tokens:,} out{took}"
        case SpanOutcomeEvaluationEnd():
            return f"graded · {event.result} · iteration {event.iteration}"
        case AgentMessage() | UserMessage():
            return "says"
        case SessionStatusIdle():
            return f"idle · {event.stop_reason.type}"
        case AgentThreadContextCompacted():
            return "context compacted to notes"
        case FeedbackRecorded():
            return _judged(event)
        case MemoryRecalled():
            looked_at = max(len(event.candidates), len(event.memories))
            return f"recalled {len(event.memories)} of {looked_at} memories · {event.tokens:,} tokens"
        case TaskStarted() | TaskCompleted() | TaskFailed():
            return f"{event.type} · {event.task_id}{_again(event.attempt)}"
        case TaskGraded():
            result = "satisfied" if event.satisfied else f"not satisfied, {event.next}"
            return f"{event.type} · {event.task_id}{_again(event.attempt)} · {result}"
        case PoolResized():
            agents, tasks = ("" if number == 1 else "s" for number in (event.size, event.waiting))
            return f"{event.type} · {event.size} agent{agents}, {event.waiting} waiting task{tasks}"
        case _:
            return event.type


def _again(attempt: int | None) -> str:
    return f" · attempt {attempt}" if attempt is not None and attempt > 1 else ""


def _judged(event: FeedbackRecorded) -> str:
    if event.decision is None:
        return f"feedback · {event.source} · {event.value:g}"
    score = "" if event.score is None else f" · score {event.score:g}"
    return f"label · {event.decision} · by {event.given_by or 'unknown'}{score}"


def _text(event: EventBase) -> str:  # noqa: PLR0911  # one line per kind of event
    match event:
        case AgentToolUse():
            return json.dumps(event.input, ensure_ascii=False)
        case AgentThreadContextCompacted():
            return event.notes or ""
        case SessionCreated():
            return _granted(event)
        case SessionStatusIdle() | SpanModelRequestEnd():
            return ""
        case AgentToolRefused():
            return event.reason
        case UserToolConfirmation():
            return event.deny_message or ""
        case MemoryRecalled():
            return "\n".join(_candidates(event))
        case FeedbackRecorded():
            return event.comment or ""
        case _:
            return standard_record(event).content or ""


def _granted(event: SessionCreated) -> str:
    if event.agent is None or not event.agent.tools:
        return ""
    return "granted: " + ", ".join(str(tool.get("name", "?")) for tool in event.agent.tools)


def _candidates(event: MemoryRecalled) -> list[str]:
    """Return a line for each memory: what its place was decided by, and why it was left out if it was."""
    if not event.candidates:
        return [memory.path for memory in event.memories]
    return [_candidate(each) for each in event.candidates]


def _candidate(facts: JsonObject) -> str:
    factors = [f"{name} {value:.2f}" for name, value in facts.items() if isinstance(value, int | float)]
    why = facts.get("left_out")
    return " · ".join([str(facts.get("path", "?")), *factors, f"left out: {why}" if why else "recalled"])


def trace_lines(events: Iterable[EventBase]) -> list[TraceLine]:
    """Return the lines of a trace, in the order of the events."""
    lines = []
    for event in events:
        if event.type in _SILENT:
            continue
        record = standard_record(event)
        lines.append(
            TraceLine(
                at=event.processed_at,
                who=record.role,
                head=_head(event),
                text=_text(event),
                is_error=record.success is False,
                event_id=event.id,
            )
        )
    return lines
