"""The tool by which a grader hands in its grades, checked before they are accepted.

Knows nothing about models; a refusal says what to mend, so that the grader's own session mends it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nightschool.outcomes.gradings import GRADES_SCHEMA, Criterion, grade_errors, grades_of
from nightschool.sandbox.submission import schema_errors
from nightschool.sandbox.tools import ToolDefinition, ToolResult

__all__ = ["SubmitGrades"]

_MOST_ERRORS_SHOWN = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmitGrades:
    """Accepts a grade for each criterion whose evidence stands in the artefact."""

    criteria: Sequence[Criterion]
    artefact: str

    @property
    def definition(self) -> ToolDefinition:
        """How the tool is presented to a model."""
        return ToolDefinition(
            name="submit_grades",
            description="Hand in one grade for each criterion, once, as the last step.",
            input_schema=GRADES_SCHEMA,
        )

    async def execute(self, tool_input: Mapping[str, Any]) -> ToolResult:
        """Accept the grades, or say what to mend."""
        errors = schema_errors(tool_input, GRADES_SCHEMA) or grade_errors(
            grades_of(tool_input), self.criteria, self.artefact
        )
        if errors:
            return ToolResult(text="Not accepted: " + "; ".join(errors[:_MOST_ERRORS_SHOWN]), is_error=True)
        return ToolResult(text=f"accepted {len(tool_input['grades'])} grades")
