"""The same rubric written as YAML, for what Markdown has no place for: anchors and checks.

    title: review of a contract
    dimensions:
      - name: accuracy
        weight: 0.35
        question: Are the findings right?
        criteria: [A finding is a clause that violates its policy.]
        anchors: {0: none is right, 1: all are right}
      - name: format
        checks: [quotes, {json_schema: answer.schema.json}]

A check is a name (`checks`) or, for `format`, a form that is declared (`rubric_forms`). Files beside the
rubric are read by what the caller hands in; otherwise pure: text in, value out. Knows nothing about who
grades.
"""

from __future__ import annotations

import hashlib
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from nightschool.core.errors import Malformed
from nightschool.outcomes.checks import CHECKS
from nightschool.outcomes.form import Form
from nightschool.outcomes.rubric_forms import FormReader, ReadFile
from nightschool.outcomes.rubric_parts import Dimension, Rubric

__all__ = ["parse_rubric_yaml"]

Text = Annotated[str, Field(min_length=1)]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class _Dimension(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: Literal["accuracy", "completeness", "consistency", "efficiency", "format"]
    weight: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 1.0
    question: str = ""
    criteria: tuple[Text, ...] = ()
    anchors: dict[Share, Text] = Field(default_factory=dict)
    checks: tuple[Text | dict[str, Any], ...] = ()

    def parsed(self, checks: tuple[str | Form, ...]) -> Dimension:
        return Dimension(
            name=self.name,
            weight=self.weight,
            question=self.question,
            criteria=self.criteria,
            anchors=tuple(sorted(self.anchors.items())),
            checks=checks,
        )


class _Rubric(BaseModel):
    model_config = ConfigDict(extra="forbid")

    title: Text
    dimensions: Annotated[tuple[_Dimension, ...], Field(min_length=1)]


def parse_rubric_yaml(text: str, *, name: str = "rubric", read_file: ReadFile | None = None) -> Rubric:
    """Read a rubric.

    Args:
        text: YAML, as above.
        name: what to call it in errors, usually its file name.
        read_file: returns the text of a file beside the rubric; None: forms cannot be in files.

    Raises:
        Malformed: not YAML, a field that is missing, unknown or wrong, a dimension given twice or with
            nothing to judge it by, an unknown check, a form that cannot be meant, or no weight above 0.
    """
    try:
        declared = _Rubric.model_validate(yaml.safe_load(text))
    except yaml.YAMLError as error:
        raise Malformed(f"{name}: not YAML: {error}", path=name) from error
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "rubric"
        raise Malformed(f"{name}: field `{place}`: {first['msg']}", path=name, field=place) from error
    _check(declared, name)
    reader = FormReader(name=name, root=yaml.compose(text, yaml.SafeLoader), read_file=read_file, texts=[])
    dimensions = tuple(
        each.parsed(_checks(each, number, reader)) for number, each in enumerate(declared.dimensions)
    )
    texts = "\0".join([text, *reader.texts])
    return Rubric(
        title=declared.title,
        dimensions=dimensions,
        text_hash=hashlib.sha256(texts.encode("utf-8")).hexdigest(),
    )


def _checks(declared: _Dimension, dimension: int, reader: FormReader) -> tuple[str | Form, ...]:
    return tuple(
        check if isinstance(check, str) else reader.form(check, ("dimensions", dimension, "checks", number))
        for number, check in enumerate(declared.checks)
    )


def _check(declared: _Rubric, name: str) -> None:
    seen: set[str] = set()
    for each in declared.dimensions:
        if each.name in seen:
            raise Malformed(f"{name}: dimension `{each.name}` is given twice", path=name)
        seen.add(each.name)
        if not (each.question or each.criteria or each.checks):
            problem = "needs a question, criteria or checks to be judged by"
            raise Malformed(f"{name}: dimension `{each.name}` {problem}", path=name)
        forms = [check for check in each.checks if not isinstance(check, str)]
        if forms and each.name != "format":
            raise Malformed(
                f"{name}: dimension `{each.name}`: a form is declared for `format` only", path=name
            )
        unknown = [check for check in each.checks if isinstance(check, str) and check not in CHECKS]
        if unknown:
            known = ", ".join([*CHECKS, "{json_schema: …}", "{grammar: …}"])
            problem = f"no check `{unknown[0]}`; there are: {known}"
            raise Malformed(f"{name}: dimension `{each.name}`: {problem}", path=name)
    if not sum(each.weight for each in declared.dimensions):
        raise Malformed(f"{name}: a rubric needs a dimension with a weight above 0", path=name)
