"""What one task may do: the tools it needs and its agent has, and the writes it declared. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from nightschool.core.errors import Malformed
from nightschool.orchestration.plan import Task
from nightschool.orchestration.resources import covers
from nightschool.registry.agents import AgentFile
from nightschool.sandbox.tools import Tool, ToolDefinition, ToolResult

__all__ = ["Granted", "Writing", "grant", "writes_of"]


@runtime_checkable
class Writing(Protocol):
    """A tool that changes something and can say beforehand what."""

    def writes(self, tool_input: Mapping[str, Any]) -> Sequence[str]:
        """Return the resources that a call with this input would change."""


@dataclass(frozen=True, slots=True)
class Granted:
    """A tool held to a task's write set at each call."""

    tool: Tool
    allowed: tuple[str, ...]

    @property
    def definition(self) -> ToolDefinition:
        """How the tool is presented to a model."""
        return self.tool.definition

    async def execute(self, tool_input: Mapping[str, Any]) -> ToolResult:
        """Do the call, or say why it is refused."""
        if isinstance(self.tool, Writing):
            for resource in self.tool.writes(tool_input):
                if not self._may_write(resource):
                    granted = ", ".join(self.allowed) or "nothing"
                    reason = f"Writing {resource} is not granted to this task. It may write: {granted}."
                    return ToolResult(text=reason, is_error=True, is_refused=True)
        return await self.tool.execute(tool_input)

    def _may_write(self, resource: str) -> bool:
        try:
            return any(covers(permission, resource) for permission in self.allowed)
        except Malformed:
            return False


def writes_of(task: Task, agent: AgentFile) -> tuple[str, ...]:
    """Return what the task declared to write and its agent may."""
    return tuple(each for each in task.writes if any(covers(p, each) for p in agent.permissions))


def grant(task: Task, agent: AgentFile, tools: Sequence[Tool], *, always: Sequence[str] = ()) -> list[Tool]:
    """Return the tools of one task, least privilege: what it needs and its agent has, no more.

    Args:
        task: its ``needs`` and ``writes``.
        agent: its ``tools`` and ``permissions``.
        tools: what there is.
        always: tools that every task has, such as the one by which its result is handed in.
    """
    names = (set(task.needs) & set(agent.tools)) | set(always)
    allowed = writes_of(task, agent)
    return [Granted(tool, allowed) for tool in tools if tool.definition.name in names]
