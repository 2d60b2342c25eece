"""The tools by which an agent reads and writes what tasks share: bound to one task at a time."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from nightschool.core.errors import VersionConflict
from nightschool.core.ids import derived_id
from nightschool.orchestration.shared import Reading, SharedResources
from nightschool.sandbox.submission import schema_errors
from nightschool.sandbox.tools import ToolDefinition, ToolResult

__all__ = ["ReadShared", "WriteShared", "shared_tools"]

_NAME: Final = {"type": "string", "description": "The resource, such as table:prices."}
_READ: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {"resource": _NAME},
    "required": ["resource"],
}
_WRITE: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "resource": _NAME,
        "version": {"type": "integer", "minimum": 0, "description": "The version you read."},
        "value": {"description": "The whole new value."},
    },
    "required": ["resource", "version", "value"],
}


@dataclass(slots=True)
class _Desk:
    """What one task has read, and how often its writes were refused."""

    resources: SharedResources
    task_id: str
    read: dict[tuple[str, int], Reading] = field(default_factory=dict)
    conflicts: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ReadShared:
    """Reads a shared resource and its version."""

    desk: _Desk

    @property
    def definition(self) -> ToolDefinition:
        """How the tool is presented to a model."""
        return ToolDefinition(
            name="read_shared",
            description="Read a shared resource and the version it is at.",
            input_schema=_READ,
        )

    async def execute(self, tool_input: Mapping[str, Any]) -> ToolResult:
        """Return version and value as JSON; version 0 and null where there is nothing."""
        if errors := schema_errors(tool_input, _READ):
            return ToolResult(text="; ".join(errors), is_error=True)
        resource = tool_input["resource"]
        found = await self.desk.resources.read(resource)
        self.desk.read[resource, found.version] = found
        return ToolResult(text=json.dumps({"version": found.version, "value": found.value}))


@dataclass(frozen=True, slots=True)
class WriteShared:
    """Writes a shared resource on top of the version that was read."""

    desk: _Desk

    @property
    def definition(self) -> ToolDefinition:
        """How the tool is presented to a model."""
        return ToolDefinition(
            name="write_shared",
            description="Write a shared resource on top of the version you read; read again if it changed.",
            input_schema=_WRITE,
        )

    def writes(self, tool_input: Mapping[str, Any]) -> Sequence[str]:
        """Return the resource that a call would change."""
        return [str(tool_input.get("resource", ""))]

    async def execute(self, tool_input: Mapping[str, Any]) -> ToolResult:
        """Write, or say what is there by now."""
        if errors := schema_errors(tool_input, _WRITE):
            return ToolResult(text="; ".join(errors), is_error=True)
        resource, version, value = (tool_input[name] for name in ("resource", "version", "value"))
        desk = self.desk
        # Derived from the call itself: made again after a crash, it is known to have landed.
        write_id = derived_id("event", desk.task_id, resource, version, json.dumps(value, sort_keys=True))
        base = desk.read.get((resource, version)) or await self._present(resource, version, write_id)
        if base is None:
            told = f"You have not read version {version} of {resource}. Read it again, then decide again."
            return ToolResult(text=told, is_error=True)
        conflicts = desk.conflicts.get(resource, 0)
        try:
            written = await desk.resources.write(
                resource, value, base=base, task_id=desk.task_id, write_id=write_id, conflicts=conflicts
            )
        except VersionConflict as conflict:
            desk.conflicts[resource] = conflicts + 1
            return ToolResult(text=conflict.message, is_error=True)
        desk.conflicts.pop(resource, None)
        return ToolResult(text=json.dumps({"version": written.version, "value": written.value}))

    async def _present(self, resource: str, version: int, write_id: str) -> Reading | None:
        """Return what a process that died had read, where it is still there or was written already."""
        present = await self.desk.resources.read(resource)
        landed = present.applied.get(self.desk.task_id) == write_id
        return Reading(version, None, {}) if landed else present if present.version == version else None


def shared_tools(resources: SharedResources, task_id: str) -> list[ReadShared | WriteShared]:
    """Return the tools of one task."""
    desk = _Desk(resources, task_id)
    return [ReadShared(desk), WriteShared(desk)]
