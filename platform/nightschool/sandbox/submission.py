"""The tools by which an agent hands in a structured answer, checked before it is accepted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import jsonschema

from nightschool.sandbox.documents import Document
from nightschool.sandbox.tools import ToolDefinition, ToolResult

__all__ = ["FINDINGS_SCHEMA", "HandIn", "SubmitFindings", "schema_errors"]

FINDINGS_SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "positions": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "policy": {"type": "string", "description": "The policy's id, such as P07."},
                    "position": {"enum": ["violation", "compliant", "missing"]},
                    "section": {"type": ["string", "null"], "description": "Null for missing."},
                    "quote": {"type": ["string", "null"], "description": "Verbatim words of the section."},
                    "confidence": {"type": "number", "minimum": 0, "maximum": 1},
                    "reason": {"type": "string"},
                },
                "required": ["policy", "position", "section", "quote", "confidence"],
            },
        }
    },
    "required": ["positions"],
}
_MOST_ERRORS_SHOWN: Final = 5


def schema_errors(answer: Mapping[str, Any], schema: Mapping[str, Any] = FINDINGS_SCHEMA) -> list[str]:
    """Return what is wrong with an answer, field by field; empty when nothing is."""
    validator = jsonschema.Draft202012Validator(dict(schema))
    return [
        f"{'.'.join(str(part) for part in error.absolute_path) or 'answer'}: {error.message}"
        for error in validator.iter_errors(dict(answer))
    ]


def _refused(errors: Sequence[str]) -> ToolResult:
    return ToolResult(text="Not accepted: " + "; ".join(errors[:_MOST_ERRORS_SHOWN]), is_error=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class HandIn:
    """Accepts what fits a declared schema; the accepted input in the log is the agent's answer."""

    name: str
    description: str
    schema: Mapping[str, Any]

    @property
    def definition(self) -> ToolDefinition:
        """How the tool is presented to a model."""
        return ToolDefinition(name=self.name, description=self.description, input_schema=self.schema)

    async def execute(self, tool_input: Mapping[str, Any]) -> ToolResult:
        """Accept the answer, or say what to mend."""
        errors = schema_errors(tool_input, self.schema)
        return _refused(errors) if errors else ToolResult(text="accepted")


@dataclass(frozen=True, slots=True)
class SubmitFindings:
    """Accepts positions that fit the schema; the accepted input in the log is the agent's answer."""

    document: Document
    checks: Sequence[Callable[[Mapping[str, Any], Document], Sequence[str]]] = ()
    """Further checks, each returning what is wrong with the answer."""

    @property
    def definition(self) -> ToolDefinition:
        """How the tool is presented to a model."""
        return ToolDefinition(
            name="submit_findings",
            description="Hand in your positions, once, as the last step.",
            input_schema=FINDINGS_SCHEMA,
        )

    async def execute(self, tool_input: Mapping[str, Any]) -> ToolResult:
        """Accept the answer, or say what to mend."""
        errors = schema_errors(tool_input) or [e for c in self.checks for e in c(tool_input, self.document)]
        if errors:
            return _refused(errors)
        return ToolResult(text=f"accepted {len(tool_input['positions'])} positions")
