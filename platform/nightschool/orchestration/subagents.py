"""A lead that hands parts of the document to subagents and joins their reports in its own context."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from anyio import CapacityLimiter

from nightschool.harness.progress import accepted_input
from nightschool.orchestration.assignment import work
from nightschool.orchestration.delegation import Delegate, Delegated, Report
from nightschool.orchestration.review import Review, Workplace

__all__ = ["review_by_subagents"]


def _prompt(part: Delegated) -> str:
    lines = [f"Sections: {', '.join(part.sections)}", "Report only what you find in these sections."]
    return "\n".join([*lines, part.note] if part.note else lines)


async def review_by_subagents(review: Review, workplace: Workplace) -> Mapping[str, Any]:
    """Return the lead's answer."""
    harness = review.harness(workplace)

    async def run_subagent(part: Delegated) -> Report:
        assignment = review.assignment(
            "subagent",
            *part.sections,
            prompt=_prompt(part),
            title=part.title,
            task_id=",".join(part.sections),
        )
        events = await work(workplace.log, harness, assignment)
        answer = accepted_input(events, "submit_findings") or {"positions": []}
        return Report(session_id=assignment.session_id, answer=answer)

    lead = review.assignment(
        "lead", prompt="Review the whole contract.", title=f"Review of {review.document.title}"
    )
    delegate = Delegate(run_subagent, CapacityLimiter(review.setup.slots.max_parallel_agents))
    events = await work(workplace.log, harness, replace(lead, tools=[*review.tools(), delegate]))
    return accepted_input(events, "submit_findings") or {"positions": []}
