"""What a declared form says about an artefact: whether it keeps to it, and if not, where it breaks.

Knows nothing about JSON, grammars or rubrics.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple, Protocol

__all__ = ["BadForm", "Form", "Formed", "ask_forms", "length_problem", "shortened"]

_MOST_SHOWN: Final = 200


class Formed(NamedTuple):
    """What a form has decided."""

    score: float
    """1: it keeps to the form; 0: it does not."""
    problems: tuple[str, ...]
    """Where it breaks the form and what was expected there, a line each."""


class Form(Protocol):
    """A declared form, ready to be asked."""

    @property
    def name(self) -> str:
        """The check's name in a rubric."""
        ...

    def check(self, artefact: str) -> Formed:
        """Return whether an artefact keeps to the form; the same artefact always gets the same answer."""
        ...


def ask_forms(forms: Iterable[Form], artefact: str) -> Formed:
    """Return what several forms say together: the least of their scores, and all that is broken."""
    found = [form.check(artefact) for form in forms]
    return Formed(
        min((each.score for each in found), default=1.0),
        tuple(problem for each in found for problem in each.problems),
    )


class BadForm(ValueError):
    """A schema or grammar that cannot be meant; the reader of a file says which file."""

    def __init__(self, problem: str, line: int = 1) -> None:
        """Say what is wrong with it.

        Args:
            problem: what, and what to do.
            line: where in the text of the form, from 1.
        """
        super().__init__(problem)
        self.problem = problem
        self.line = line


def length_problem(artefact: str, most: int) -> Formed | None:
    """Return the verdict on an artefact that is too long to be read; None: it is not."""
    if len(artefact) <= most:
        return None
    return Formed(0.0, (f"{len(artefact):,} characters; a form is checked up to {most:,}",))


def shortened(text: str) -> str:
    """Return a text short enough for a line of feedback."""
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"
