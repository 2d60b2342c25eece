"""What good means, as a Markdown file: dimensions with weights, each with the criteria it is judged by.

    # Rubric: review of a contract
    ## Accuracy (0.35)
    Are the findings right?
    - A finding is a clause that violates its policy.

A rubric none of whose headings names one of the five default dimensions has its own (`rubric_open`). Pure:
text in, value out. The hash of the text is the rubric's version: a changed rubric is another rubric.
Knows nothing about who grades.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from nightschool.core.errors import Malformed
from nightschool.outcomes.rubric_open import parse_open_rubric
from nightschool.outcomes.rubric_parts import Dimension, Rubric
from nightschool.outcomes.tiers import DIMENSIONS

__all__ = ["parse_rubric"]

_TITLE: Final = re.compile(r"^#\s+(?:Rubric:\s*)?(?P<title>.+?)\s*$")
_HEADING: Final = re.compile(r"^##\s+(?P<name>[^(]+?)\s*(?:\((?P<weight>[^)]*)\))?\s*$")
_CRITERION: Final = re.compile(r"^[-*]\s+(?P<text>.+)$")


@dataclass(slots=True)
class _Draft:
    line: int
    name: str
    weight: float
    prose: list[str]
    criteria: list[str]

    def add(self, line: str) -> None:
        criterion = _CRITERION.match(line)
        if criterion:
            self.criteria.append(criterion["text"])
        elif self.criteria and line.startswith((" ", "\t")) and line.strip():
            self.criteria[-1] += f" {line.strip()}"
        elif line.strip():
            self.prose.append(line.strip())

    def finished(self) -> Dimension:
        return Dimension(
            name=self.name,
            weight=self.weight,
            question=" ".join(self.prose),
            criteria=tuple(self.criteria),
        )


def parse_rubric(text: str, *, name: str = "rubric") -> Rubric:
    """Read a rubric.

    Args:
        text: Markdown: a `#` title, and a `##` heading per dimension, its weight in brackets; or any
            Markdown with headings of its own.
        name: what to call it in errors, usually its file name.

    Raises:
        Malformed: no title, no dimension, one that is unknown or given twice, or a weight that is no
            number from 0 up or leaves nothing to weigh.
    """
    lines = text.splitlines()
    if not _names_a_default(lines):
        return parse_open_rubric(text, name=name)
    title = next((match["title"] for line in lines if (match := _TITLE.match(line))), None)
    if title is None:
        raise Malformed(f"{name}: a rubric begins with a title, such as `# Rubric: review`", path=name)
    dimensions = tuple(draft.finished() for draft in _drafts(lines, name))
    if not dimensions or not sum(dimension.weight for dimension in dimensions):
        raise Malformed(f"{name}: a rubric needs a dimension with a weight above 0", path=name)
    return Rubric(
        title=title, dimensions=dimensions, text_hash=hashlib.sha256(text.encode("utf-8")).hexdigest()
    )


def _names_a_default(lines: Iterable[str]) -> bool:
    """Whether some heading is one of the five; then a heading that is not is a mistake, such as `Acuracy`."""
    headings = (match["name"].casefold() for line in lines if (match := _HEADING.match(line)))
    return any(heading in DIMENSIONS for heading in headings)


def _drafts(lines: list[str], name: str) -> Iterator[_Draft]:
    seen: dict[str, int] = {}
    draft: _Draft | None = None
    for number, line in enumerate(lines, 1):
        heading = _HEADING.match(line)
        if heading is None:
            if draft is not None:
                draft.add(line)
            continue
        if draft is not None:
            yield draft
        dimension = heading["name"].casefold()
        _check_name(dimension, seen, name, number)
        seen[dimension] = number
        draft = _Draft(number, dimension, _weight(heading["weight"], name, number), [], [])
    if draft is not None:
        yield draft


def _check_name(dimension: str, seen: dict[str, int], name: str, line: int) -> None:
    if dimension not in DIMENSIONS:
        known = ", ".join(DIMENSIONS)
        raise Malformed(
            f"{name}, line {line}: no dimension `{dimension}`; there are: {known}", path=name, line=line
        )
    if dimension in seen:
        raise Malformed(
            f"{name}, line {line}: `{dimension}` was already given on line {seen[dimension]}",
            path=name,
            line=line,
        )


def _weight(text: str | None, name: str, line: int) -> float:
    try:
        weight = 1.0 if text is None else float(text)
    except ValueError:
        weight = math.nan
    if not (math.isfinite(weight) and weight >= 0):
        raise Malformed(
            f"{name}, line {line}: the weight `{text}` must be a number from 0 up, such as (0.35)",
            path=name,
            line=line,
        )
    return weight
