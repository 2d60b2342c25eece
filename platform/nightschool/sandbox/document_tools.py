"""Reading tools over one document: the outline, and one section at a time."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

from nightschool.sandbox.documents import Document
from nightschool.sandbox.tools import ToolDefinition, ToolResult

__all__ = ["ListSections", "ReadSection", "render_outline", "render_section"]

_LIST: Final = ToolDefinition(
    name="list_sections",
    description="List the document's sections in order, one a line: number | title | words.",
    input_schema={"type": "object", "properties": {}},
)
_READ: Final = ToolDefinition(
    name="read_section",
    description="Read one section's own text, without its children's. Sections are named by number.",
    input_schema={
        "type": "object",
        "properties": {"number": {"type": "string", "description": "A number from list_sections."}},
        "required": ["number"],
    },
)


def render_outline(document: Document, only: Collection[str] | None = None) -> str:
    """Return the outline as text, whole or restricted to some section numbers."""
    return "\n".join(
        f"{section.number} | {section.title} | {section.words} words"
        for section in document.sections
        if only is None or section.number in only
    )


def render_section(document: Document, number: str) -> str | None:
    """Return one section as text under its heading, or None when there is no such section."""
    section = document.find(number)
    if section is None:
        return None
    return f"## {section.number} {section.title}\n\n{section.text}"


@dataclass(frozen=True, slots=True)
class ListSections:
    """Shows the outline of what this agent may read."""

    document: Document
    only: frozenset[str] | None = None
    """Section numbers that may be seen; None for all."""

    @property
    def definition(self) -> ToolDefinition:
        """How the tool is presented to a model."""
        return _LIST

    async def execute(self, tool_input: Mapping[str, Any]) -> ToolResult:  # noqa: ARG002  # needs no input
        """Return the outline."""
        return ToolResult(text=render_outline(self.document, self.only))


@dataclass(frozen=True, slots=True)
class ReadSection:
    """Reads sections; those outside the grant are refused visibly."""

    document: Document
    only: frozenset[str] | None = None

    @property
    def definition(self) -> ToolDefinition:
        """How the tool is presented to a model."""
        return _READ

    async def execute(self, tool_input: Mapping[str, Any]) -> ToolResult:
        """Return the section's text, or an error result that says what can be read instead."""
        number = str(tool_input.get("number", "")).strip().rstrip(".")
        text = render_section(self.document, number)
        if text is None:
            return ToolResult(text=f"There is no section {number!r}; see list_sections.", is_error=True)
        if self.only is not None and number not in self.only:
            return ToolResult(text=f"Section {number} is outside this task's grant.", is_error=True)
        return ToolResult(text=text)
