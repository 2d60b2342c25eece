"""One agent, one context: it pages through the document and keeps notes when its context fills up."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from nightschool.core.errors import InvalidInput
from nightschool.harness.progress import accepted_input
from nightschool.models.embed import CachedEmbedder
from nightschool.orchestration.assignment import Assignment, open_session, work
from nightschool.orchestration.grading import grading_by
from nightschool.orchestration.review import Review, Workplace
from nightschool.outcomes.grader import grade, grade_absences, grade_pointing
from nightschool.outcomes.revision import Grade, OutcomeLoop, by_code, by_code_that_remembers

__all__ = ["review_single"]


async def review_single(review: Review, workplace: Workplace) -> Mapping[str, Any]:
    """Return the one agent's answer."""
    assignment = review.assignment(
        "reviewer", prompt="Review the whole contract.", title=f"Review of {review.document.title}"
    )
    if review.setup.second_looks or review.setup.graders:
        return await _graded(review, workplace, assignment)
    events = await work(workplace.log, review.harness(workplace), assignment)
    return accepted_input(events, "submit_findings") or {"positions": []}


async def _graded(review: Review, workplace: Workplace, assignment: Assignment) -> Mapping[str, Any]:
    _, tools = await open_session(workplace.log, assignment)
    code, looks = _code(review, workplace), review.setup.second_looks
    loop = OutcomeLoop(
        log=workplace.log,
        harness=review.harness(workplace),
        grade=grading_by(code, review, workplace, session_id=assignment.session_id),
        max_iterations=1 + looks if looks else review.setup.max_iterations,
        tier=review.tier,
        tier_facts=review.tier_facts,
    )
    return await loop.run(assignment.session_id, tools)


def _code(review: Review, workplace: Workplace) -> Grade:
    """Return what code looks at: form alone, or also what is said to be missing."""
    document, tier, setup = review.document, review.tier, review.setup
    if not setup.second_looks:
        every = [policy.id for policy in review.policies]
        return by_code(partial(grade, document=document, tier=tier, policies=every))
    if not setup.point_from:
        required = [policy.id for policy in review.policies if policy.required]
        return by_code(partial(grade_absences, document=document, tier=tier, required=required))
    if workplace.embedder is None:
        raise InvalidInput("`point_from` needs an embedder to compare sentences with")
    pointing = partial(
        grade_pointing,
        document=document,
        tier=tier,
        policies=review.policies,
        # Remembered within one review: what is graded again was looked at before.
        embedder=CachedEmbedder(workplace.embedder),
        least=setup.point_from,
    )
    return by_code_that_remembers(pointing)
