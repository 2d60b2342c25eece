"""What code can decide about an answer without knowing the truth, by name, so that a rubric can ask for it.

    schema    does it have the form that was asked for?
    quotes    the share of positions whose quote stands where it is said to stand
    coverage  the share of what was asked about that got a position

or by a form that the rubric declares (`form`): a JSON Schema or a grammar, asked about its text.

A dimension that names checks is decided by them, as the least of them, and no model is asked about it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from nightschool.outcomes.findings import evidence_errors, findings_of, unplaced_policies
from nightschool.outcomes.form import Form
from nightschool.sandbox.documents import Document
from nightschool.sandbox.submission import schema_errors

__all__ = ["CHECKS", "Checked", "Decided", "artefact_of", "decide_by_code"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """An answer, and what it can be checked against."""

    answer: Mapping[str, Any]
    document: Document
    policies: Collection[str] = field(default=())
    text: str | None = None
    """The artefact as it was handed in; None: it was handed in as a value, and its JSON counts."""

    @property
    def artefact(self) -> str:
        """What declared forms are asked about."""
        return artefact_of(self.answer) if self.text is None else self.text


class Decided(NamedTuple):
    """What checks have decided."""

    scores: dict[str, float]
    """By dimension."""
    feedback: tuple[str, ...]
    """What to mend, a line each."""


def _schema(checked: Checked) -> tuple[float, list[str]]:
    errors = schema_errors(checked.answer)
    return float(not errors), errors


def _quotes(checked: Checked) -> tuple[float, list[str]]:
    if schema_errors(checked.answer):
        return 0.0, []
    findings = findings_of(checked.answer)
    errors = evidence_errors(findings, checked.document)
    return _share(len(errors), len(findings)), errors


def _coverage(checked: Checked) -> tuple[float, list[str]]:
    if schema_errors(checked.answer):
        return 0.0, []
    unplaced = unplaced_policies(findings_of(checked.answer), checked.policies)
    return _share(len(unplaced), len(checked.policies)), [
        f"{policy}: no position given" for policy in unplaced
    ]


CHECKS: Final[Mapping[str, Callable[[Checked], tuple[float, list[str]]]]] = {
    "coverage": _coverage,
    "quotes": _quotes,
    "schema": _schema,
}
"""Name to check: a score from 0 to 1 and what to mend."""


def artefact_of(answer: Mapping[str, Any]) -> str:
    """Return the text that declared forms are asked about, for an answer handed in as a value: its JSON."""
    return json.dumps(answer, indent=2, ensure_ascii=False)


def decide_by_code(checks: Mapping[str, Collection[str | Form]], checked: Checked) -> Decided:
    """Return the score of each dimension that names checks; the others are left to a grader.

    Args:
        checks: dimension to the its checks: names, all of them in `CHECKS`, and forms.
        checked: the answer and what it is held against.
    """
    scores: dict[str, float] = {}
    feedback: dict[str, None] = {}
    for dimension, asked in checks.items():
        found = [_asked(each, checked) for each in asked]
        if found:
            scores[dimension] = min(score for score, _ in found)
            feedback |= dict.fromkeys(line for _, lines in found for line in lines)
    return Decided(scores, tuple(feedback))


def _asked(check: str | Form, checked: Checked) -> tuple[float, Sequence[str]]:
    return CHECKS[check](checked) if isinstance(check, str) else check.check(checked.artefact)


def _share(wrong: int, total: int) -> float:
    return 1.0 if total == 0 else max(0.0, 1.0 - wrong / total)
