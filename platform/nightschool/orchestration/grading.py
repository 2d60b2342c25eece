"""Who grades inside a review: code, and where an arm asks for it, graders in sessions of their own.

What decides lies outside the reach of the graded work: a grader is shown the playbook, the part of the
document that the author was given, and what was handed in. Knows nothing about gold.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any

from nightschool.core.errors import InvalidInput
from nightschool.orchestration.review import Review, Workplace
from nightschool.outcomes.checks import artefact_of
from nightschool.outcomes.examiner import Examination, Examiner
from nightschool.outcomes.findings import shown
from nightschool.outcomes.form import ask_forms
from nightschool.outcomes.grader import Verdict
from nightschool.outcomes.revision import Grade, Grading
from nightschool.outcomes.rubric_parts import Rubric
from nightschool.sandbox.documents import Document

__all__ = ["grading_by"]


def grading_by(
    by_code: Grade,
    review: Review,
    workplace: Workplace,
    *,
    session_id: str,
    sections: Collection[str] | None = None,
    shown: Callable[[Mapping[str, Any]], str] = shown,
) -> Grade:
    """Return the grading of one session's results: by code first, then by the graders that the arm asks for.

    Args:
        by_code: what code decides, the forms that the rubric declares added; what is scored then, no grader
            is asked about.
        review: says how many graders, and by which rubric.
        workplace: where they work.
        session_id: the author's session; those of its graders belong to it.
        sections: the part of the document that the author was given; None: all of it.
        shown: an answer as graders are shown it.

    Raises:
        InvalidInput: the arm asks for graders and there is no rubric to grade by.
    """
    by_code = _with_forms(by_code, review.rubric)
    if not review.setup.graders:
        return by_code
    if review.rubric is None:
        raise InvalidInput("an arm with `graders` needs a suite with a rubric to grade by")
    examiner = Examiner(
        log=workplace.log,
        harness=review.harness(workplace),
        rubric=review.rubric.of_one_answer(),
        models=(review.model,) * review.setup.graders,
        tier=review.tier,
    )
    task = f"{review.playbook}\n\n{_text(review.document, sections)}"

    async def graded(answer: Mapping[str, Any], grading: Grading) -> Verdict:
        checked = await by_code(answer, grading)
        if not checked.scores.get("format"):
            return checked  # it cannot be read: there is nothing to judge
        paper = Examination(
            id=grading.id,
            task=task,
            artefact=shown(answer),
            decided=checked.scores,
            feedback=checked.feedback,
            parent_session_id=session_id,
            metadata=review.metadata,
        )
        verdict = await examiner.examine(paper, on_graded=grading.ongoing)
        # What code doubts is to be looked into, whatever a grader thinks of the rest.
        return replace(verdict, satisfied=verdict.satisfied and checked.satisfied)

    return graded


def _with_forms(by_code: Grade, rubric: Rubric | None) -> Grade:
    """Return the grading that also asks the declared forms; a form that is broken is to be mended."""
    if rubric is None or not rubric.forms:
        return by_code
    forms = rubric.forms

    async def graded(answer: Mapping[str, Any], grading: Grading) -> Verdict:
        checked = await by_code(answer, grading)
        score, problems = ask_forms(forms, artefact_of(answer))
        return replace(
            checked,
            scores={**checked.scores, "format": min(score, checked.scores.get("format", 1.0))},
            satisfied=checked.satisfied and score == 1,
            feedback=(*checked.feedback, *problems),
        )

    return graded


def _text(document: Document, sections: Collection[str] | None) -> str:
    wanted = [each for each in document.sections if sections is None or each.number in sections]
    return "\n\n".join(f"## {each.number} {each.title}\n\n{each.text}" for each in wanted)
