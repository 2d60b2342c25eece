"""The tool by which an agent hands in the result of a task, checked against the schema of the task."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from nightschool.sandbox.submission import schema_errors
from nightschool.sandbox.tools import ToolDefinition, ToolResult

__all__ = ["SUBMIT_RESULT", "SubmitResult"]

SUBMIT_RESULT: Final = "submit_result"


@dataclass(frozen=True, slots=True)
class SubmitResult:
    """Accepts a result that fits; the accepted input in the log is the task's result."""

    schema: Mapping[str, Any]

    @property
    def definition(self) -> ToolDefinition:
        """How the tool is presented to a model."""
        return ToolDefinition(
            name=SUBMIT_RESULT,
            description="Hand in the result of the task, once, as the last step.",
            input_schema=self.schema,
        )

    async def execute(self, tool_input: Mapping[str, Any]) -> ToolResult:
        """Accept the result, or say what to mend."""
        errors = schema_errors(tool_input, self.schema)
        if errors:
            return ToolResult(text="Not accepted: " + "; ".join(errors[:5]), is_error=True)
        return ToolResult(text="accepted")
