"""What a good result of a task is, as its plan declares it: by which rubric, at which tier. Pure.

    outcome:
      rubric: report.md      # a file beside the plan, or the rubric itself, Markdown or YAML
      tier: strict           # standard where it is not said
      threshold: 0.8         # in place of the tier's own
      graders: 3             # joined by the median

Knows nothing about who grades.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from nightschool.core.errors import Malformed
from nightschool.outcomes.rubric import parse_rubric
from nightschool.outcomes.rubric_parts import Rubric
from nightschool.outcomes.rubric_yaml import parse_rubric_yaml
from nightschool.outcomes.tiers import THRESHOLDS, Tier

__all__ = ["TaskOutcome", "parse_outcome"]

_YAML: Final = re.compile(r"\s*(#.*\n\s*)*(title|dimensions):")


class TaskOutcome(BaseModel):
    """What a result is held to."""

    model_config = ConfigDict(extra="forbid", frozen=True, title="An outcome of nightschool")

    rubric: str = Field(
        min_length=1, description="The rubric (Markdown or YAML), or the name of a file beside the plan."
    )
    tier: Tier = Field(default=Tier.STANDARD, description="strict, standard or lenient.")
    threshold: float | None = Field(
        default=None, ge=0, le=1, description="What the tier compares with, in place of its own threshold."
    )
    graders: int = Field(default=1, ge=1, le=9, description="Gradings of each result, joined by the median.")
    grader: str | None = Field(default=None, min_length=1, description="The graders' model; the run's.")
    max_reruns: int | None = Field(
        default=None, ge=0, le=20, description="How often a result is sent back; the run's own limit."
    )

    @property
    def least(self) -> float:
        """What the tier compares with."""
        return THRESHOLDS[self.tier] if self.threshold is None else self.threshold

    def parsed(self) -> Rubric:
        """Return the rubric, without the dimensions that no grader can judge from one result.

        Raises:
            Malformed: it cannot be read, or nothing is left to be judged.
        """
        return _rubric(self.rubric)


@lru_cache(maxsize=256)
def _rubric(text: str) -> Rubric:
    if "\n" not in text:
        raise Malformed(f"rubric: {text!r} names a file; outside a plan file, write the rubric itself")
    rubric = (parse_rubric_yaml if _YAML.match(text) else parse_rubric)(text, name="rubric").of_one_answer()
    if not sum(rubric.weights.values()):
        raise Malformed("rubric: no dimension with a weight above 0 can be judged from one result")
    for dimension in rubric.dimensions:
        named = [check for check in dimension.checks if isinstance(check, str)]
        if named:
            raise Malformed(
                f"rubric: dimension `{dimension.name}`: the check `{named[0]}` is for findings in a document;"
                " give criteria, or a form for `format`"
            )
    return rubric


def parse_outcome(value: Mapping[str, Any], *, name: str = "outcome") -> TaskOutcome:
    """Read what a result is held to.

    Raises:
        Malformed: a field is missing, unknown or wrong, or see `TaskOutcome.parsed`.
    """
    try:
        found = TaskOutcome.model_validate(dict(value))
        found.parsed()
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"]))
        raise Malformed(f"{name}: field `{field}`: {first['msg']}", field=field) from error
    except Malformed as error:
        raise Malformed(f"{name}: {error.message}", field="rubric") from error
    return found
