"""One agent, one context: it pages through the document and keeps notes when its context fills up."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from nightschool.harness.progress import accepted_input
from nightschool.orchestration.assignment import Assignment, open_session, work
from nightschool.orchestration.review import Review, Workplace
from nightschool.outcomes.grader import grade_absences
from nightschool.outcomes.revision import OutcomeLoop, by_code

__all__ = ["review_single"]


async def review_single(review: Review, workplace: Workplace) -> Mapping[str, Any]:
    """Return the one agent's answer."""
    assignment = review.assignment(
        "reviewer", prompt="Review the whole contract.", title=f"Review of {review.document.title}"
    )
    if review.setup.second_looks:
        return await _looked_again(review, workplace, assignment)
    events = await work(workplace.log, review.harness(workplace), assignment)
    return accepted_input(events, "submit_findings") or {"positions": []}


async def _looked_again(review: Review, workplace: Workplace, assignment: Assignment) -> Mapping[str, Any]:
    required = tuple(policy.id for policy in review.policies if policy.required)
    tools = await open_session(workplace.log, assignment)
    loop = OutcomeLoop(
        log=workplace.log,
        harness=review.harness(workplace),
        grade=by_code(partial(grade_absences, document=review.document, required=required, tier=review.tier)),
        tier=review.tier,
        tier_facts=review.tier_facts,
        max_iterations=1 + review.setup.second_looks,
    )
    return await loop.run(assignment.session_id, tools)
