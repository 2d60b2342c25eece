"""A brain that answers from the request alone, by a rule the test can see: read, read, submit, done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from nightschool.models.wire import Answer
from nightschool.sandbox.tools import ToolDefinition, ToolResult


def tool_use(call_id: str, name: str, **tool_input: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": name, "input": tool_input}


def say(text: str) -> Answer:
    return Answer(content=({"type": "text", "text": text},), stop_reason="end_turn")


def _results(request: Mapping[str, Any]) -> int:
    return sum(
        block["type"] == "tool_result"
        for message in request["messages"]
        if isinstance(message["content"], list)
        for block in message["content"]
    )


@dataclass
class ScriptedBrain:
    """Reads two things at once, submits them, and says good-bye."""

    model_id: str = "scripted"
    requests: list[Mapping[str, Any]] = field(default_factory=list)

    def answer(self, request: Mapping[str, Any]) -> Answer:
        self.requests.append(request)
        match _results(request):
            case 0:
                calls = (tool_use("toolu_1", "read", n=1), tool_use("toolu_2", "read", n=2))
                return Answer(content=calls, stop_reason="tool_use")
            case 2:
                return Answer(content=(tool_use("toolu_3", "submit", found=[1, 2]),), stop_reason="tool_use")
            case _:
                return say("Done.")


@dataclass
class CountingTool:
    """Counts how often it was executed with which input."""

    name: str
    inputs: list[Mapping[str, Any]] = field(default_factory=list)

    @property
    def definition(self) -> ToolDefinition:
        return ToolDefinition(name=self.name, description=self.name, input_schema={"type": "object"})

    async def execute(self, tool_input: Mapping[str, Any]) -> ToolResult:
        self.inputs.append(tool_input)
        return ToolResult(text=f"{self.name} {dict(tool_input)}")
