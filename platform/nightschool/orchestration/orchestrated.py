"""A plan by the document's structure: tasks in a pool of agents, each graded, then merged by code.

The orchestrator's session is the plan's log: a review that was killed goes on from it, tasks that ended are
not done again, and what was at work goes on in its session.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from nightschool.core.errors import NightschoolError, error_of
from nightschool.core.ids import derived_id
from nightschool.events.base import TextBlock
from nightschool.events.session import AgentSnapshot, SessionStatusIdle, StopReason
from nightschool.events.user import UserMessage
from nightschool.harness import record
from nightschool.orchestration.board import Board
from nightschool.orchestration.plan import Plan
from nightschool.orchestration.plan_log import SessionPlanLog
from nightschool.orchestration.planner import MERGE, plan_by_structure
from nightschool.orchestration.pools import Pool
from nightschool.orchestration.review import Review, Workplace
from nightschool.orchestration.review_worker import ReviewWorker, findings_joined
from nightschool.orchestration.scheduler import Scheduler
from nightschool.orchestration.staff import Staff
from nightschool.sessions.log import SessionWriter

__all__ = ["review_orchestrated"]

_GOAL: Final = "Review the whole contract."


async def review_orchestrated(review: Review, workplace: Workplace) -> Mapping[str, Any]:
    """Return the merged answer of all tasks; what failed is named in it under `failed`.

    Raises:
        ModelUnavailable: a task could not be done for reasons outside; carried on later, only it is repeated.
        NightschoolError: every task failed; this is the first one's error.
    """
    plan = plan_by_structure(
        review.document,
        goal=_GOAL,
        granularity=review.setup.granularity,
        plan_id=derived_id("plan", review.id),
        on_failure=review.setup.on_failure,
    )
    root = await _opened(review, workplace)
    board = await _scheduler(review, workplace, plan, root).run(plan)
    await root.emit("idle", SessionStatusIdle, stop_reason=StopReason(type="end_turn"))
    errors = _errors(board)
    if board.tasks[MERGE].result is None:
        # Nothing could be joined: either every task failed, or one that nothing goes on without.
        raise errors[0]
    return dict(board.tasks[MERGE].result or {})


def _errors(board: Board) -> list[NightschoolError]:
    """Return why tasks failed, the plan's order kept; what was only blocked comes last."""
    found = [
        state.error for state in board.tasks.values() if state.error is not None and state.result is None
    ]
    blocked = [error for error in found if error["code"] == "task_blocked"]
    first = [error for error in found if error not in blocked]
    return [error_of(str(error["code"]), str(error["message"])) for error in (*first, *blocked)]


@dataclass(frozen=True, slots=True)
class _Root:
    """The orchestrator's session; what it says beside the plan's events is said once, whoever says it."""

    log: SessionPlanLog
    writer: SessionWriter

    async def emit(self, what: str, kind: type[Any], **fields: object) -> None:
        event_id = derived_id("event", self.writer.session_id, what)
        await self.writer.emit_event(record.event(self.writer, kind, id=event_id, **fields))


async def _opened(review: Review, workplace: Workplace) -> _Root:
    await workplace.log.create(
        review.root_session_id,
        agent=AgentSnapshot(name="orchestrator", model="code"),
        title=f"Review of {review.document.title}",
        parent_session_id=None,
        metadata={**review.metadata, "role": "orchestrator"},
    )
    writer = await workplace.log.wake(review.root_session_id)
    root = _Root(SessionPlanLog(workplace.log, writer), writer)
    if review.notes:
        await writer.emit_event(*review.notes)
    await root.emit("goal", UserMessage, content=(TextBlock(text=_GOAL),))
    return root


def _scheduler(review: Review, workplace: Workplace, plan: Plan, root: _Root) -> Scheduler:
    setup = review.setup
    worker = ReviewWorker(review=review, workplace=workplace)
    return Scheduler(
        worker=worker,
        log=root.log,
        clock=workplace.clock,
        slots=setup.slots,
        pool=setup.pool or Pool(dynamic=setup.slots.max_parallel_agents),
        staff=Staff(
            agents=tuple({agent.name: agent for agent in setup.agents.values()}.values()),
            policy=setup.policy,
            fallback=setup.fallback,
            run_model=review.model,
        ),
        grade=worker.verdict,
        join=partial(findings_joined, review, plan),
        keeps_open=True,
    )
