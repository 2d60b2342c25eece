"""What a suite declares whose results are handed in: the tool for it, and how a simulated author errs.

    # suite.yaml
    trials: hand-ins
    hand_in:
      tool: hand_in_files
      description: Hand in the file you were asked for, once it is finished.
      schema: hand_in.schema.json
    simulation:
      errors: {rule: 0.1, slip: 0.02}
      mends: 0.8

Knows nothing about what is handed in: the suite's own schema says what is accepted.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from nightschool.experiments.yaml_file import fail_at
from nightschool.models.simulated_author import Habits
from nightschool.outcomes.form import BadForm
from nightschool.outcomes.schema_form import parse_schema
from nightschool.sandbox.submission import HandIn

__all__ = ["HandInFile", "SimulationFile", "hand_in_of"]

Rate = Annotated[float, Field(ge=0, le=1)]


class HandInFile(BaseModel):
    """The declaration."""

    model_config = ConfigDict(extra="forbid")

    tool: Annotated[str, Field(pattern=r"^[a-zA-Z0-9_-]{1,64}$")]
    """The tool's name, as an agent calls it."""
    description: Annotated[str, Field(min_length=1)]
    schema_file: Annotated[str, Field(min_length=1, alias="schema")]
    """A file beside suite.yaml: the JSON Schema of what is accepted."""


class SimulationFile(BaseModel):
    """How a simulated author and grader err; what the fields mean is said at `Habits`."""

    model_config = ConfigDict(extra="forbid")

    errors: dict[str, Rate]
    blind: dict[str, Rate] = {}
    spread: Annotated[float, Field(ge=0, le=3)] = 0.0
    mends: Rate = 0.8
    spoils: Rate = 0.3
    breaks: Rate = 0.0
    finds: Rate = 0.1
    detects: Rate = 0.8
    false_alarm: Rate = 0.02

    def as_habits(self) -> Habits:
        """Return them as the simulated author has them."""
        return Habits(**self.model_dump())


def hand_in_of(path: Path, declared: HandInFile) -> HandIn:
    """Return the tool that the suite.yaml at a path declares.

    Raises:
        Malformed: there is no such schema, it is none, or it accepts what a tool cannot be given.
    """
    place, field = path.parent / declared.schema_file, ("hand_in", "schema")
    try:
        schema = json.loads(place.read_text(encoding="utf-8"))
        parse_schema(schema)
    except OSError as error:
        fail_at(path, field, f"{place} cannot be read: {error.strerror}")
    except json.JSONDecodeError as error:
        fail_at(path, field, f"{place}, line {error.lineno}: not JSON: {error.msg}")
    except (BadForm, UnicodeDecodeError) as error:
        fail_at(path, field, f"{place}: {error}")
    if schema.get("type") != "object":
        fail_at(path, field, f'{place}: a tool is given an object; say `"type": "object"`')
    return HandIn(name=declared.tool, description=declared.description, schema=schema)
