"""What a tool is to the rest of the program: a definition the model reads, and something to execute."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

__all__ = ["Tool", "ToolDefinition", "ToolResult"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolDefinition:
    """How a tool is presented to a model (the Messages API's fields)."""

    name: str
    description: str
    input_schema: Mapping[str, Any]

    def as_wire(self) -> dict[str, Any]:
        """Return the Messages API's JSON form."""
        return {
            "name": self.name,
            "description": self.description,
            "input_schema": dict(self.input_schema),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """What came of a call; an error is a result too, for the agent to read and mend."""

    text: str
    is_error: bool = False
    is_refused: bool = False
    """Whether the call lay outside what was granted, and so was not made."""


class Tool(Protocol):
    """Something an agent can call. Guaranteed: `execute` turns bad input into an error result."""

    @property
    def definition(self) -> ToolDefinition:
        """How the tool is presented to a model."""

    async def execute(self, tool_input: Mapping[str, Any]) -> ToolResult:
        """Do it. Must be safe to repeat: a call whose result was not logged is made again after a crash."""
