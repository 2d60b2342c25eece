"""Grades criterion by criterion, each resting on words of the artefact; and several gradings joined into one.

Pure. A grade above 0 whose evidence does not stand in the artefact is no grade. Knows nothing about who
grades: a model, a person, or a test.
"""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from nightschool.core.errors import InvalidInput
from nightschool.outcomes.findings import is_quoted
from nightschool.outcomes.rubric_parts import Rubric

__all__ = [
    "GRADES_SCHEMA",
    "Criterion",
    "CriterionGrade",
    "criteria_of",
    "dimension_scores",
    "grade_errors",
    "grades_of",
    "join_gradings",
]

GRADES_SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "grades": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "criterion": {"type": "string", "description": "The criterion's id, such as accuracy.2."},
                    "score": {"type": "number", "minimum": 0, "maximum": 1},
                    "evidence": {
                        "type": ["string", "null"],
                        "description": "Words of the result, verbatim. Null only for a score of 0.",
                    },
                    "reason": {"type": "string"},
                },
                "required": ["criterion", "score", "evidence", "reason"],
            },
        }
    },
    "required": ["grades"],
}
"""The form in which a grader hands in its grades."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Criterion:
    """One thing to be judged."""

    id: str
    """The dimension and a number: accuracy.2."""
    dimension: str
    text: str
    anchors: tuple[tuple[float, str], ...] = ()
    """Score and what it stands for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionGrade:
    """What one grader says of one criterion."""

    criterion: str
    score: float
    evidence: str | None
    reason: str


def criteria_of(rubric: Rubric, *, decided: Collection[str] = ()) -> tuple[Criterion, ...]:
    """Return what is left to judge, in the rubric's order.

    Args:
        rubric: its criteria; a dimension without any is judged by its question.
        decided: dimensions that code has decided already.
    """
    return tuple(
        Criterion(
            id=f"{dimension.name}.{number}",
            dimension=dimension.name,
            text=text,
            anchors=dimension.anchors,
        )
        for dimension in rubric.dimensions
        if dimension.name not in decided
        for number, text in enumerate(dimension.criteria or (dimension.question,), 1)
    )


def grades_of(handed_in: Mapping[str, Any]) -> tuple[CriterionGrade, ...]:
    """Return the grades of an input that fits `GRADES_SCHEMA`."""
    return tuple(
        CriterionGrade(
            criterion=item["criterion"],
            score=float(item["score"]),
            evidence=item["evidence"],
            reason=item["reason"],
        )
        for item in handed_in["grades"]
    )


def grade_errors(grades: Sequence[CriterionGrade], criteria: Sequence[Criterion], artefact: str) -> list[str]:
    """Return what is wrong with a grading, a line each, naming the criterion: feedback for the grader."""
    times = Counter(grade.criterion for grade in grades)
    known = {criterion.id for criterion in criteria}
    errors = [f"{criterion.id}: not graded" for criterion in criteria if not times[criterion.id]]
    errors += [f"{name}: graded {count} times" for name, count in times.items() if count > 1]
    errors += [f"{name}: there is no such criterion" for name in times if name not in known]
    return errors + [problem for grade in grades if (problem := _problem(grade, artefact))]


def _problem(grade: CriterionGrade, artefact: str) -> str | None:
    if not 0 <= grade.score <= 1:
        return f"{grade.criterion}: the score {grade.score} is not a number from 0 to 1"
    if grade.evidence is None:
        # What is not there cannot be quoted; what is claimed to be there can.
        return None if grade.score == 0 else f"{grade.criterion}: a score above 0 needs evidence"
    if not is_quoted(grade.evidence, artefact):
        return f"{grade.criterion}: the evidence does not stand in the result; quote it word for word"
    return None


def join_gradings(gradings: Sequence[Sequence[CriterionGrade]]) -> dict[str, float]:
    """Return the median score of each criterion: one grader that is far off moves nothing.

    Raises:
        InvalidInput: there is no grading, or two are of different criteria.
    """
    if not gradings:
        raise InvalidInput("there is no grading to join")
    by_criterion = [{grade.criterion: grade.score for grade in grading} for grading in gradings]
    first = by_criterion[0]
    if any(other.keys() != first.keys() for other in by_criterion):
        raise InvalidInput("gradings of different criteria cannot be joined")
    return {name: statistics.median(each[name] for each in by_criterion) for name in first}


def dimension_scores(scores: Mapping[str, float], criteria: Sequence[Criterion]) -> dict[str, float]:
    """Return the mean of each dimension's criteria; a dimension without any is absent, never zero."""
    of: dict[str, list[float]] = {}
    for criterion in criteria:
        of.setdefault(criterion.dimension, []).append(scores[criterion.id])
    return {dimension: math.fsum(values) / len(values) for dimension, values in of.items()}
