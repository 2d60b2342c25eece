"""The ways of routing by name, and what a routed review consumed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from nightschool.core.errors import NotFound
from nightschool.core.usage import Usage
from nightschool.events.plan import TaskStarted
from nightschool.orchestration.delegation import delegated_sessions
from nightschool.orchestration.orchestrated import review_orchestrated
from nightschool.orchestration.review import Review, Workplace
from nightschool.orchestration.single import review_single
from nightschool.orchestration.subagents import review_by_subagents
from nightschool.sessions.log import SessionLog

__all__ = ["ROUTES", "Consumption", "consumption_of", "run_review"]

Route = Callable[[Review, Workplace], Awaitable[Mapping[str, Any]]]

ROUTES: Final[Mapping[str, Route]] = {
    "single": review_single,
    "subagents": review_by_subagents,
    "orchestrated": review_orchestrated,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Consumption:
    """What a review used, over all its sessions."""

    usage: Usage
    model_calls: int
    tool_calls: int
    sessions: int


async def run_review(review: Review, workplace: Workplace) -> Mapping[str, Any]:
    """Route the review as its arm says and return the answer.

    Raises:
        NotFound: the arm names a routing that does not exist.
    """
    route = ROUTES.get(review.setup.routing)
    if route is None:
        raise NotFound(f"no routing {review.setup.routing!r}; there are: {', '.join(ROUTES)}")
    return await route(review, workplace)


async def consumption_of(review: Review, log: SessionLog) -> Consumption:
    """Return what the review used so far, read from its sessions' logs."""
    root = await log.get_events(review.root_session_id)
    children = dict.fromkeys(
        [e.task_session_id for e in root if isinstance(e, TaskStarted) and e.task_session_id]
        + delegated_sessions(root)
    )
    states = [await log.get_session(session) for session in (review.root_session_id, *children)]
    return Consumption(
        # What graders of a session consumed is on record with their verdicts.
        usage=sum((state.usage + state.grading_usage for state in states), Usage()),
        model_calls=sum(state.model_calls for state in states),
        tool_calls=sum(len(state.tool_calls) for state in states),
        sessions=len(states),
    )
