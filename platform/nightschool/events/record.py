"""The standard record: the few columns that every event has, whatever happened in it.

Knows nothing about stores. Works on the event's JSON fields, so that an event of a type this version
does not know has a record too, and so that millions of them can be read without building objects.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from nightschool.events.base import EventBase

__all__ = ["Fields", "StandardRecord", "role_of", "standard_record"]

Fields = Mapping[str, object]
"""An event as parsed JSON; the objects inside it are dicts."""


class StandardRecord(NamedTuple):
    """What an analyst may ask of any event. Absent facts are None, never zero."""

    role: str
    """Who speaks: user, system, agent, tool, model, grader, orchestrator, workflow, experiment, session,
    memory, dream, registry."""
    content: str | None = None
    """The readable text of the event: words said, call made, result given, error told."""
    agent_id: str | None = None
    """The agent that acted, when the event names one."""
    input_tokens: int | None = None
    """Uncached tokens read by the request that ends here."""
    output_tokens: int | None = None
    """Tokens written by the request that ends here."""
    cache_creation_input_tokens: int | None = None
    """Tokens read and put into the prompt cache by the request that ends here."""
    cache_read_input_tokens: int | None = None
    """Tokens read from the prompt cache by the request that ends here."""
    duration_ms: float | None = None
    """How long what ends here took."""
    success: bool | None = None
    """Whether what ends here went well; None when the event ends nothing."""


@dataclass(frozen=True, slots=True)
class _Reading:
    """How the record of one event type is read from its fields."""

    content: Callable[[Fields], str | None]
    success: Callable[[Fields], bool | None]
    usage: str | None = None


def standard_record(event: EventBase | Fields) -> StandardRecord:
    """Return the standard record of an event, given as a model or as its parsed JSON.

    Running totals (`session.usage`, the usage of `trial.completed`) are left out of the token columns,
    so that summing a column over any set of events counts each token once.
    """
    fields = event.model_dump(mode="json", exclude_none=True) if isinstance(event, EventBase) else event
    kind = str(fields.get("type", ""))
    reading = _READINGS.get(kind, _OTHER)
    usage = _mapping(fields.get(reading.usage)) if reading.usage else None
    return StandardRecord(
        role=role_of(kind),
        content=reading.content(fields),
        agent_id=_text(fields.get("agent_id")),
        input_tokens=_count(usage, "input_tokens"),
        output_tokens=_count(usage, "output_tokens"),
        cache_creation_input_tokens=_count(usage, "cache_creation_input_tokens"),
        cache_read_input_tokens=_count(usage, "cache_read_input_tokens"),
        duration_ms=_duration(fields),
        success=reading.success(fields),
    )


@lru_cache(maxsize=1024)
def role_of(kind: str) -> str:
    """Return who speaks in an event of this type; the family's name when the type is unknown."""
    role = _ROLES.get(kind)
    if role is not None:
        return role
    family = kind.partition(".")[0]
    return _FAMILY_ROLES.get(family, family)


_ROLES: Final = {
    "agent.tool_result": "tool",
    "agent.mcp_tool_result": "tool",
    "user.tool_result": "tool",
    "user.custom_tool_result": "tool",
    "span.outcome_evaluation_start": "grader",
    "span.outcome_evaluation_ongoing": "grader",
    "span.outcome_evaluation_end": "grader",
}
_FAMILY_ROLES: Final = {
    "span": "model",
    "plan": "orchestrator",
    "task": "orchestrator",
    "escalation": "orchestrator",
    "pool": "orchestrator",
    "lock": "orchestrator",
    "mediation": "orchestrator",
    "workflow_run": "workflow",
    "trial": "experiment",
    "memory_store": "memory",
}


def _mapping(value: object) -> Fields | None:
    return value if isinstance(value, dict) else None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _count(usage: Fields | None, name: str) -> int | None:
    value = usage.get(name) if usage is not None else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _duration(fields: Fields) -> float | None:
    milliseconds = _number(fields.get("duration_ms"))
    if milliseconds is not None:
        return milliseconds
    seconds = _number(fields.get("duration_seconds"))
    return None if seconds is None else seconds * 1000.0


def _block_text(block: object) -> str:
    if not isinstance(block, dict):
        return str(block)
    text = block.get("text")
    return text if isinstance(text, str) else f"[{block.get('type', 'block')}]"


def _words(fields: Fields) -> str | None:
    content = fields.get("content")
    if isinstance(content, list | tuple):
        return "\n".join(map(_block_text, content))
    return _text(content)


def _call(fields: Fields) -> str | None:
    arguments = json.dumps(fields.get("input", {}), ensure_ascii=False, separators=(",", ":"))
    return f"{fields.get('name', '')} {arguments}"


def _error(fields: Fields) -> str | None:
    error = _mapping(fields.get("error"))
    return None if error is None else _text(error.get("message")) or _text(error.get("type"))


def _field(name: str) -> Callable[[Fields], str | None]:
    return lambda fields: _text(fields.get(name))


def _applied(fields: Fields) -> str | None:
    return f"{fields.get('name', '?')} version {fields.get('version', '?')}"


def _allowed(fields: Fields) -> str | None:
    tools, writes = (fields.get(name) for name in ("tools", "writes"))
    named = [", ".join(map(str, each)) if isinstance(each, list | tuple) else "" for each in (tools, writes)]
    return f"tools: {named[0] or 'none'}; may write: {named[1] or 'nothing'}"


def _unsaid(_: Fields) -> None:
    return None


def _went_well(_: Fields) -> bool:
    return True


def _went_wrong(_: Fields) -> bool:
    return False


def _no_error(fields: Fields) -> bool:
    return not fields.get("is_error")


def _satisfied(fields: Fields) -> bool:
    return fields.get("result") == "satisfied"


def _is_satisfied(fields: Fields) -> bool:
    return bool(fields.get("satisfied"))


def _run_completed(fields: Fields) -> bool:
    result = _mapping(fields.get("result"))
    return result is not None and result.get("type") == "completed"


_CALL: Final = _Reading(_call, _unsaid)
_RESULT: Final = _Reading(_words, _no_error)
_FAILURE: Final = _Reading(_error, _went_wrong)
_OTHER: Final = _Reading(_words, _unsaid)
_READINGS: Final[dict[str, _Reading]] = {
    "agent.tool_use": _CALL,
    "agent.mcp_tool_use": _CALL,
    "agent.custom_tool_use": _CALL,
    "agent.tool_result": _RESULT,
    "agent.tool_refused": _Reading(_field("reason"), _went_wrong),
    "agent.mcp_tool_result": _RESULT,
    "user.tool_result": _RESULT,
    "user.custom_tool_result": _RESULT,
    "agent.thread_context_compacted": _Reading(_field("notes"), _unsaid),
    "user.define_outcome": _Reading(_field("description"), _unsaid),
    "span.model_request_end": _Reading(_unsaid, _no_error, usage="model_usage"),
    "span.outcome_evaluation_end": _Reading(_field("explanation"), _satisfied, usage="usage"),
    "session.created": _Reading(_field("title"), _unsaid),
    "session.error": _FAILURE,
    "workflow_run.error": _FAILURE,
    "workflow_run.status_ended": _Reading(_unsaid, _run_completed),
    "plan.created": _Reading(_field("goal"), _unsaid),
    "plan.revised": _Reading(_field("note"), _unsaid),
    "task.graded": _Reading(_unsaid, _is_satisfied),
    "escalation.decided": _Reading(_field("note"), _unsaid),
    "mediation.decided": _Reading(_field("note"), _unsaid),
    "registry.agent_applied": _Reading(_applied, _unsaid),
    "task.granted": _Reading(_allowed, _unsaid),
    "task.completed": _Reading(_unsaid, _went_well),
    "task.failed": _FAILURE,
    "trial.completed": _Reading(_unsaid, _went_well),
    "trial.failed": _FAILURE,
    "feedback.recorded": _Reading(_field("comment"), _unsaid),
}
