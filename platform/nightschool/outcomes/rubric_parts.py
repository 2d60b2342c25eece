"""What a rubric is, once it is read: dimensions with weights, each with what it is judged by.

Values only. Knows nothing about how rubrics are written.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from nightschool.outcomes.form import Form

__all__ = ["Dimension", "Rubric"]

_OF_MANY: Final = frozenset({"consistency", "efficiency"})
"""Dimensions that no grader can judge from one answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dimension:
    """One dimension of quality, scored from 0 to 1."""

    name: str
    weight: float
    """How much it counts in the weighted mean; 1 unless the heading says otherwise."""
    question: str
    """What the dimension asks, in prose."""
    criteria: tuple[str, ...]
    """What it is judged by, one a line."""
    anchors: tuple[tuple[float, str], ...] = ()
    """Score and what it stands for, lowest first."""
    checks: tuple[str | Form, ...] = ()
    """Code checks that decide it, by name or as a declared form; no grader is asked then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rubric:
    """A rubric, parsed."""

    title: str
    dimensions: tuple[Dimension, ...]
    text_hash: str
    """SHA-256 of the text."""

    @property
    def weights(self) -> dict[str, float]:
        """Weight by dimension."""
        return {dimension.name: dimension.weight for dimension in self.dimensions}

    @property
    def checks(self) -> dict[str, tuple[str | Form, ...]]:
        """Checks by dimension, of those that code decides."""
        return {dimension.name: dimension.checks for dimension in self.dimensions if dimension.checks}

    @property
    def forms(self) -> tuple[Form, ...]:
        """The forms it declares for the dimension `format`; none: code and graders decide it without them."""
        return tuple(each for each in self.checks.get("format", ()) if not isinstance(each, str))

    def of_one_answer(self) -> Rubric:
        """Return the rubric without the dimensions that nobody can judge from one answer."""
        kept = tuple(dimension for dimension in self.dimensions if dimension.name not in _OF_MANY)
        return replace(self, dimensions=kept)
