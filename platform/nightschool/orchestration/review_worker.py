"""A worker that reviews the sections of one task in a session of its own, graded and revised there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from anyio import to_thread

from nightschool.core.usage import Usage
from nightschool.events.base import EventBase
from nightschool.events.span import SpanOutcomeEvaluationEnd
from nightschool.orchestration.assignment import Assignment, open_session
from nightschool.orchestration.grading import grading_by
from nightschool.orchestration.merge import merge_findings
from nightschool.orchestration.plan import Plan
from nightschool.orchestration.review import Review, Workplace
from nightschool.orchestration.slots import Done, Order
from nightschool.outcomes.findings import findings_of
from nightschool.outcomes.grader import Verdict, grade
from nightschool.outcomes.revision import OutcomeLoop, by_code
from nightschool.outcomes.tiers import THRESHOLDS, margin
from nightschool.sessions.state import fold

__all__ = ["ReviewWorker", "findings_joined"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewWorker:
    """Does the tasks of a review by its agents; an instance is a `Worker`, its verdict a `Grade`."""

    review: Review
    workplace: Workplace

    async def __call__(self, order: Order) -> Done:
        """Return the positions that the outcome loop of the task's session ends with.

        Raises:
            ModelError: the model could not be asked.
            BudgetExceeded: the agent used up its model requests.
        """
        assignment, review = await self._assignment(order), self.review
        _, tools = await open_session(self.workplace.log, assignment)
        loop = OutcomeLoop(
            log=self.workplace.log,
            harness=review.harness(self.workplace),
            grade=grading_by(
                by_code(partial(grade, document=review.document, tier=review.tier)),
                review,
                self.workplace,
                session_id=assignment.session_id,
                sections=order.task.sections,
            ),
            tier=review.tier,
            tier_facts=review.tier_facts,
            max_iterations=review.setup.max_iterations,
        )
        answer = await loop.run(assignment.session_id, tools)
        used = fold(await self.workplace.log.get_events(assignment.session_id)).usage
        return Done(value=dict(answer), tokens=used.total_tokens)

    async def verdict(self, order: Order, _value: Mapping[str, Any]) -> Verdict | None:
        """Return the last verdict of the loop: what is not good enough may go to another agent."""
        events = await self.workplace.log.get_events(
            order.session_id or "", types=("span.outcome_evaluation_end",)
        )
        judged = [event for event in events if isinstance(event, SpanOutcomeEvaluationEnd)]
        if not judged or not judged[-1].scores:
            return None
        last, tier = judged[-1], self.review.tier
        scores = dict(last.scores or {})
        satisfied = last.result == "satisfied"
        return Verdict(
            scores=scores,
            satisfied=satisfied,
            feedback=() if satisfied else (last.explanation,),
            usage=sum((event.usage.as_usage() for event in judged), Usage()),
            tier=tier,
            threshold=THRESHOLDS[tier],
            margin=margin(tier, scores),
        )

    async def _assignment(self, order: Order) -> Assignment:
        review, task = self.review, order.task
        session_id = order.session_id or review.session_id("task", task.id)
        notes: tuple[EventBase, ...] = ()
        if review.task_memory is not None:
            # Embedding a text takes milliseconds that others at work should not wait for.
            given = await to_thread.run_sync(review.task_memory.for_task, session_id, task.sections)
            review, notes = replace(review, memories=given.memories), given.notes
        assignment = review.assignment(
            "task", task.id, prompt=order.context, title=task.title, agent=order.agent, task_id=task.id
        )
        # Least privilege: the hands reach the task's own sections; what else it needs came as inputs.
        tools = review.tools(frozenset(task.sections))
        return replace(assignment, session_id=session_id, tools=tools, notes=notes)


async def findings_joined(
    review: Review, plan: Plan, order: Order, given: Mapping[str, Mapping[str, Any]]
) -> Mapping[str, Any]:
    """Return the positions of all tasks as one answer; tasks without a result are named under `failed`."""
    merged = merge_findings(map(findings_of, given.values()), review.policies, review.setup.merge)
    failed = [plan.task(task_id).title for task_id in order.task.depends_on if task_id not in given]
    # What nobody read may hold the clause: nothing is called missing from a document read in part.
    shown = [finding for finding in merged if not (failed and finding.position == "missing")]
    positions = [finding.as_json() for finding in shown]
    return {"positions": positions, "failed": failed} if failed else {"positions": positions}
