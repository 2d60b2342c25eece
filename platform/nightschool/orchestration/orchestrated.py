"""A plan by the document's structure: tasks in a pool of slots, each graded, then merged.

The orchestrator itself asks no model: splitting, grading and merging are code. Its session records the
plan, what became of each task, and the summary.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from nightschool.core.errors import ModelUnavailable, NightschoolError
from nightschool.core.ids import derived_id
from nightschool.events.base import EventBase, TextBlock
from nightschool.events.plan import PlanCompleted, PlanCreated, TaskCompleted, TaskFailed, TaskStarted
from nightschool.events.session import AgentSnapshot, SessionStatusIdle, StopReason
from nightschool.events.user import UserMessage
from nightschool.harness import record
from nightschool.orchestration.assignment import Assignment, open_session
from nightschool.orchestration.grading import grading_by
from nightschool.orchestration.in_memory import run_plan
from nightschool.orchestration.merge import merge_findings
from nightschool.orchestration.plan import Plan, Task, layers
from nightschool.orchestration.planner import MERGE, plan_by_structure
from nightschool.orchestration.review import Review, Workplace
from nightschool.orchestration.slots import TaskResult
from nightschool.outcomes.findings import findings_of
from nightschool.outcomes.grader import grade
from nightschool.outcomes.revision import OutcomeLoop, by_code
from nightschool.sessions.log import SessionWriter

__all__ = ["review_orchestrated"]

_GOAL = "Review the whole contract."


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
    )
    desk = await _open_desk(review, workplace, plan)
    results = await run_plan(plan, desk.run_task, review.setup.slots)
    errors = [result.error for task, result in results.items() if task != MERGE and result.error is not None]
    if outages := [error for error in errors if isinstance(error, ModelUnavailable)]:
        # A server that is down says nothing about the work: the plan stays open, to be carried on.
        raise outages[0]
    answer = dict(results[MERGE].value or {"positions": []})
    await desk.close(results, answer)
    if len(errors) == len(results) - 1:
        raise errors[0]
    return answer


async def _open_desk(review: Review, workplace: Workplace, plan: Plan) -> _Desk:
    await workplace.log.create(
        review.root_session_id,
        agent=AgentSnapshot(name="orchestrator", model="code"),
        title=f"Review of {review.document.title}",
        parent_session_id=None,
        metadata={**review.metadata, "role": "orchestrator"},
    )
    desk = _Desk(review, workplace, plan, await workplace.log.wake(review.root_session_id))
    tasks = tuple(task.as_json() for task in plan.tasks)
    if review.notes:
        await desk.writer.emit_event(*review.notes)
    await desk.emit("goal", UserMessage, content=(TextBlock(text=plan.goal),))
    await desk.emit("plan", PlanCreated, plan_id=plan.id, goal=plan.goal, tasks=tasks, layers=layers(plan))
    return desk


@dataclass(frozen=True, slots=True)
class _Desk:
    """The orchestrator's place: its session, and what it does with each task.

    Its events have derived ids, so that a review run again after a crash records each of them once.
    """

    review: Review
    workplace: Workplace
    plan: Plan
    writer: SessionWriter

    async def emit(self, what: str, kind: type[EventBase], **fields: object) -> None:
        event_id = derived_id("event", self.writer.session_id, what)
        await self.writer.emit_event(record.event(self.writer, kind, id=event_id, **fields))

    async def run_task(self, task: Task, inputs: Mapping[str, TaskResult], attempt: int) -> Mapping[str, Any]:
        if task.id == MERGE:
            return self._merge(inputs)
        assignment = self._assignment(task, attempt)
        facts = {"plan_id": self.plan.id, "task_id": task.id, "task_session_id": assignment.session_id}
        name = f"{task.id}/{attempt}"
        began = self.workplace.clock.monotonic()
        await self.emit(f"{name}/started", TaskStarted, **facts, attempt=attempt)
        try:
            answer = await self._graded(assignment, task)
        except NightschoolError as error:
            described = {"code": error.code, "message": error.message}
            await self.emit(f"{name}/failed", TaskFailed, **facts, error=described)
            raise
        took = (self.workplace.clock.monotonic() - began) * 1000
        await self.emit(f"{name}/completed", TaskCompleted, **facts, result=dict(answer), duration_ms=took)
        return answer

    def _assignment(self, task: Task, attempt: int) -> Assignment:
        lines = [f"Sections: {', '.join(task.sections)}", "Report only what you find in these sections."]
        prompt = "\n".join(lines) + (f"\n\n{task.inputs}" if task.inputs else "")
        assignment = self.review.assignment(
            "task", task.id, attempt, prompt=prompt, title=task.title, task_id=task.id
        )
        # Least privilege: the hands reach the task's own sections; what else it needs came as inputs.
        return replace(assignment, tools=self.review.tools(frozenset(task.sections)))

    async def _graded(self, assignment: Assignment, task: Task) -> Mapping[str, Any]:
        _, tools = await open_session(self.workplace.log, assignment)
        loop = OutcomeLoop(
            log=self.workplace.log,
            harness=self.review.harness(self.workplace),
            grade=grading_by(
                by_code(partial(grade, document=self.review.document, tier=self.review.tier)),
                self.review,
                self.workplace,
                session_id=assignment.session_id,
                sections=task.sections,
            ),
            tier=self.review.tier,
            tier_facts=self.review.tier_facts,
            max_iterations=self.review.setup.max_iterations,
        )
        return await loop.run(assignment.session_id, tools)

    def _merge(self, inputs: Mapping[str, TaskResult]) -> Mapping[str, Any]:
        answers = [findings_of(result.value) for result in inputs.values() if result.value is not None]
        failed = [self.plan.task(task_id).title for task_id in inputs if inputs[task_id].is_failed]
        merged = merge_findings(answers, self.review.policies, self.review.setup.merge)
        # What nobody read may hold the clause: nothing is called missing from a document read in part.
        shown = [finding for finding in merged if not (failed and finding.position == "missing")]
        positions = [finding.as_json() for finding in shown]
        return {"positions": positions, "failed": failed} if failed else {"positions": positions}

    async def close(self, results: Mapping[str, TaskResult], answer: Mapping[str, Any]) -> None:
        failed = {
            self.plan.task(task_id).title: result.error.message
            for task_id, result in results.items()
            if result.error is not None
        }
        root = await self.workplace.log.get_events(self.writer.session_id)
        wrong = Counter(str(event.error["code"]) for event in root if isinstance(event, TaskFailed))
        ended = [event for event in root if isinstance(event, TaskCompleted | TaskFailed)]
        summary = {
            "attempts": sum(isinstance(event, TaskStarted) for event in root),
            "failed_attempts": dict(wrong),
            "work_ms": sum(event.duration_ms or 0.0 for event in ended),
            "tasks": len(self.plan.tasks),
            "completed": len(results) - len(failed),
            "failed": failed,
            "positions": len(answer["positions"]),
        }
        await self.emit("completed", PlanCompleted, plan_id=self.plan.id, summary=summary)
        await self.emit("idle", SessionStatusIdle, stop_reason=StopReason(type="end_turn"))
