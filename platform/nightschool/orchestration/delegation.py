"""The lead's tool for handing parts of its work to subagents, each with a context of its own.

The results come back into the lead's context: that is what tells this way of routing from a plan.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import anyio
import jsonschema

from nightschool.core.errors import STOPPING, ModelUnavailable, NightschoolError
from nightschool.core.groups import task_group
from nightschool.events.agent import AgentToolResult, AgentToolUse
from nightschool.events.base import EventBase, text_of
from nightschool.sandbox.tools import ToolDefinition, ToolResult

__all__ = ["Delegate", "Delegated", "Report", "delegated_sessions"]

_SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "tasks": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "properties": {
                    "title": {"type": "string"},
                    "sections": {"type": "array", "items": {"type": "string"}, "minItems": 1},
                    "note": {"type": "string", "description": "What else the subagent must know."},
                },
                "required": ["title", "sections"],
            },
        }
    },
    "required": ["tasks"],
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Delegated:
    """One part handed over. Its place in the call and its words make its identity."""

    title: str
    sections: tuple[str, ...]
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What a subagent handed in, and the session in which it worked."""

    session_id: str
    answer: Mapping[str, Any]


RunSubagent = Callable[[Delegated], Awaitable[Report]]
"""Has one part done."""


@dataclass(frozen=True, slots=True)
class Delegate:
    """Runs subagents side by side; a part that fails for its own reasons is reported, the others go on."""

    run_subagent: RunSubagent
    limiter: anyio.CapacityLimiter

    @property
    def definition(self) -> ToolDefinition:
        """How the tool is presented to a model."""
        return ToolDefinition(
            name="delegate",
            description=(
                "Hand parts of the document to subagents that work side by side and report their positions."
                " Each sees only its own sections' texts and your note."
            ),
            input_schema=_SCHEMA,
        )

    async def execute(self, tool_input: Mapping[str, Any]) -> ToolResult:
        """Run all parts and return their results as JSON, in the order asked.

        Raises:
            ModelUnavailable: a part could not be done for reasons outside; the others were.
        """
        error = next(iter(jsonschema.Draft202012Validator(dict(_SCHEMA)).iter_errors(dict(tool_input))), None)
        if error is not None:
            return ToolResult(text=f"Not delegated: {error.message}", is_error=True)
        parts = [
            Delegated(title=task["title"], sections=tuple(task["sections"]), note=task.get("note", ""))
            for task in tool_input["tasks"]
        ]
        results: list[dict[str, Any]] = [{} for _ in parts]
        outages: list[ModelUnavailable] = []
        async with task_group() as group:
            for index, part in enumerate(parts):
                group.start_soon(self._run_part, part, results, index, outages)
        if outages:
            # A server that is down says nothing about the work: without a result this call stays open, and
            # is made again when the review is carried on. What the other parts found is kept until then.
            raise outages[0]
        return ToolResult(text=json.dumps({"results": results}, ensure_ascii=False))

    async def _run_part(
        self, part: Delegated, results: list[dict[str, Any]], index: int, outages: list[ModelUnavailable]
    ) -> None:
        async with self.limiter:
            try:
                report = await self.run_subagent(part)
                results[index] = {
                    "title": part.title,
                    "session_id": report.session_id,
                    "positions": list(report.answer["positions"]),
                    "error": None,
                }
            except STOPPING:
                raise
            except ModelUnavailable as error:
                outages.append(error)
            except NightschoolError as error:
                results[index] = {"title": part.title, "positions": [], "error": error.message}


def delegated_sessions(events: Sequence[EventBase]) -> list[str]:
    """Return the ids of the sessions in which a lead's subagents worked, read from the lead's own log."""
    calls = {event.id for event in events if isinstance(event, AgentToolUse) and event.name == "delegate"}
    answers = [
        json.loads(text_of(event.content))
        for event in events
        if isinstance(event, AgentToolResult) and event.tool_use_id in calls and not event.is_error
    ]
    return [part["session_id"] for answer in answers for part in answer["results"] if "session_id" in part]
