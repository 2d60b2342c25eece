from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from nightschool.orchestration.grant import grant
from nightschool.orchestration.plan import Task
from nightschool.registry.agents import AgentFile
from nightschool.sandbox.tools import ToolDefinition, ToolResult

pytestmark = pytest.mark.anyio


@dataclass
class Plain:
    name: str
    calls: list[Mapping[str, Any]] = field(default_factory=list)

    @property
    def definition(self) -> ToolDefinition:
        return ToolDefinition(name=self.name, description="d", input_schema={"type": "object"})

    async def execute(self, tool_input: Mapping[str, Any]) -> ToolResult:
        self.calls.append(tool_input)
        return ToolResult(text="done")


class Writer(Plain):
    def writes(self, tool_input: Mapping[str, Any]) -> Sequence[str]:
        return [f"file:{tool_input['path']}"]


AGENT = AgentFile(name="a", system="s", tools=("read", "write"), permissions=("file:out/**",))


def _names(task: Task) -> list[str]:
    tools = [Plain("read"), Writer("write"), Plain("fly"), Plain("submit")]
    return [tool.definition.name for tool in grant(task, AGENT, tools, always=("submit",))]


def test_a_task_has_the_tools_it_needs_and_its_agent_has() -> None:
    assert ["read", "submit"] == _names(Task(id="t", title="t", needs=("read", "fly")))
    assert ["submit"] == _names(Task(id="t", title="t"))


@pytest.mark.parametrize(
    ("path", "is_made"), [("out/a.md", True), ("out/b.md", False), ("out/../etc", False), ("", False)]
)
async def test_a_call_outside_the_write_set_is_refused_and_not_made(path: str, *, is_made: bool) -> None:
    writer = Writer("write")
    task = Task(id="t", title="t", needs=("write",), writes=("file:out/a.md",))

    (tool,) = grant(task, AGENT, [writer])
    result = await tool.execute({"path": path})

    assert is_made == bool(writer.calls)
    assert result.is_refused is not is_made
    assert is_made or "It may write: file:out/a.md." in result.text


async def test_what_the_agent_may_not_write_a_task_may_not_either() -> None:
    writer = Writer("write")
    task = Task(id="t", title="t", needs=("write",), writes=("file:in/a.md",))

    (tool,) = grant(task, AGENT, [writer])

    assert (await tool.execute({"path": "in/a.md"})).is_refused
    assert [] == writer.calls
