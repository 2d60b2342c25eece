"""The tools one agent was granted, checked again at each call."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from nightschool.events.agent import Permission
from nightschool.sandbox.tools import Tool, ToolResult

__all__ = ["Tools"]


class Tools:
    """Routes a call to its tool. A call outside the grant is refused visibly and never executed."""

    def __init__(self, tools: Iterable[Tool], *, ask: Collection[str] = ()) -> None:
        """Grant exactly these tools; a call of one named in ``ask`` waits for a person's word."""
        self._tools = {tool.definition.name: tool for tool in tools}
        self._ask = frozenset(ask)

    @property
    def names(self) -> frozenset[str]:
        """The names granted."""
        return frozenset(self._tools)

    def permission(self, name: str) -> Permission:
        """Return what becomes of a call: it is made, waits for a person's word, or is refused."""
        if name not in self._tools:
            return "deny"
        return "ask" if name in self._ask else "allow"

    def as_wire(self) -> tuple[dict[str, Any], ...]:
        """Return the definitions as the Messages API wants them."""
        return tuple(tool.definition.as_wire() for tool in self._tools.values())

    async def execute(self, name: str, tool_input: Mapping[str, Any]) -> ToolResult:
        """Do the call, or say why not."""
        tool = self._tools.get(name)
        if tool is None:
            known = ", ".join(sorted(self._tools)) or "none"
            return ToolResult(
                text=f"Tool {name!r} is not granted to this agent. Granted: {known}.",
                is_error=True,
                is_refused=True,
            )
        return await tool.execute(tool_input)
