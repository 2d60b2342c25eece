"""One agent, one context: it pages through the document and keeps notes when its context fills up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nightschool.harness.progress import accepted_input
from nightschool.orchestration.assignment import work
from nightschool.orchestration.review import Review, Workplace

__all__ = ["review_single"]


async def review_single(review: Review, workplace: Workplace) -> Mapping[str, Any]:
    """Return the one agent's answer."""
    assignment = review.assignment(
        "reviewer", prompt="Review the whole contract.", title=f"Review of {review.document.title}"
    )
    events = await work(workplace.log, review.harness(workplace), assignment)
    return accepted_input(events, "submit_findings") or {"positions": []}
