"""From what came of an attempt to what follows: the decisions are pure, this notes them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from nightschool.core.errors import Malformed, TaskTimeout
from nightschool.core.usage import Usage
from nightschool.events.plan import (
    EscalationDecided,
    PlanRevised,
    TaskCompleted,
    TaskFailed,
    TaskGraded,
)
from nightschool.events.span import ModelUsage
from nightschool.orchestration.attempt import Ended
from nightschool.orchestration.board import TaskState
from nightschool.orchestration.conflicts import conflicts
from nightschool.orchestration.escalation import Action, Decision
from nightschool.orchestration.next_step import Next, after_failure, after_verdict
from nightschool.orchestration.plan import Plan, Task, layers, outcome_of, validate
from nightschool.orchestration.plan_run import PlanRun
from nightschool.orchestration.slots import Order, Slots
from nightschool.orchestration.staff import Staff

__all__ = ["Settlement"]


@dataclass(frozen=True, slots=True)
class Settlement:
    """Notes what came of attempts."""

    run: PlanRun
    staff: Staff
    slots: Slots

    def settle(self, ended: Ended) -> None:
        """Note what came of something under way and what follows."""
        order = ended.order
        if ended.decision is not None:
            self._decided(order, ended.decision)
            return
        self._free(order)
        if ended.done is None:
            self._failed(ended)
        elif ended.verdict is None:
            self._completed(ended)
        else:
            self._graded(ended)

    def _free(self, order: Order) -> None:
        if order.slot is not None:
            self.run.members.give_back(order.slot, self.run.clock.monotonic())
        if order.agent is not None:
            self.run.agents_at_work[order.agent.name] -= 1

    def _state(self, order: Order) -> TaskState:
        return self.run.board.tasks[order.task.id]

    def _note(self, kind: Any, ended: Ended, **fields: Any) -> None:
        order = ended.order
        self.run.note(
            kind,
            order.task.id,
            order.attempt,
            task_id=order.task.id,
            attempt=order.attempt,
            agent_id=order.agent and order.agent.name,
            duration_ms=ended.seconds * 1000,
            tokens=ended.done and ended.done.tokens,
            **fields,
        )

    def _completed(self, ended: Ended) -> None:
        if ended.done is not None:
            value = dict(ended.done.value)
            self._note(TaskCompleted, ended, task_session_id=ended.order.session_id, result=value)

    def _failed(self, ended: Ended) -> None:
        order, error, state = ended.order, ended.error, self._state(ended.order)
        if error is None:
            return
        step = after_failure(
            order.task.on_failure,
            retryable=error.retryable,
            timed_out=isinstance(error, TaskTimeout),
            tries=state.tries + 1,
            max_attempts=self._budget(order),
            is_fallback=state.is_fallback,
            may_escalate=not state.escalations and bool(self.staff.others(order.task, state)),
        )
        described = {"code": error.code, "message": error.message}
        self._note(TaskFailed, ended, task_session_id=order.session_id, error=described, next=str(step))

    def _budget(self, order: Order) -> int:
        own = order.agent.limits.max_attempts if order.agent is not None else None
        return order.task.max_attempts or own or self.slots.max_attempts

    def _graded(self, ended: Ended) -> None:
        verdict, done, state = ended.verdict, ended.done, self._state(ended.order)
        if verdict is None or done is None:
            return
        step = after_verdict(
            ended.order.task.on_failure,
            satisfied=verdict.satisfied,
            reruns=state.reruns,
            max_reruns=self._reruns(ended.order.task),
            is_fallback=state.is_fallback,
            fits=verdict.fits,
        )
        self._note(
            TaskGraded,
            ended,
            satisfied=verdict.satisfied,
            scores=verdict.scores,
            feedback=() if verdict.satisfied else verdict.feedback,
            result=dict(done.value),
            next=str(step),
            task_session_id=ended.order.session_id,
            tier=verdict.tier and str(verdict.tier),
            threshold=verdict.threshold,
            margin=verdict.margin,
            usage=None if verdict.usage == Usage() else ModelUsage.of(verdict.usage),
        )
        if step is Next.ACCEPT:
            self._completed(ended)

    def _reruns(self, task: Task) -> int:
        if task.merge is not None:
            return 0  # code joins the same results to the same again
        outcome = outcome_of(self.run.board.plan, task)
        own = None if outcome is None else outcome.max_reruns
        return self.slots.max_reruns if own is None else own

    def _decided(self, order: Order, decision: Decision) -> None:
        """Carry out the orchestrator's decision; one that cannot be carried out is an acceptance."""
        self.run.asked.discard(order.task.id)
        action, note = decision.action, decision.note
        over = self._state(order).escalations >= self.slots.max_escalations
        revised = self._revised(order.task, decision) if action is Action.REPLAN else None
        if over or isinstance(revised, str):
            why = revised if isinstance(revised, str) else "decided about too often"
            action, note = Action.ACCEPT, f"{note} ({why})"
        number = self._state(order).escalations + 1
        self.run.note(
            EscalationDecided,
            order.task.id,
            number,
            task_id=order.task.id,
            action=str(action),
            note=note,
            assigned_to=decision.agent if action is Action.REASSIGN else None,
        )
        match action:
            case Action.REPLAN if isinstance(revised, Plan):
                self._revise(order.task, revised, note, number)
            case Action.ACCEPT | Action.STOP:
                self._accept(order, note)

    def _accept(self, order: Order, note: str) -> None:
        state = self._state(order)
        facts = {"task_id": order.task.id, "attempt": order.attempt}
        identity = (order.task.id, order.attempt, "escalation")
        if state.result is not None:
            self.run.note(TaskCompleted, *identity, **facts, result=dict(state.result), note=note)
        else:
            error = dict(state.error or {"code": "task_blocked", "message": note})
            self.run.note(TaskFailed, *identity, **facts, error=error, next=str(Next.FAIL))

    def _revised(self, task: Task, decision: Decision) -> Plan | str:
        """Return the plan with the task replaced, or why that cannot be."""
        plan = self.run.board.plan
        if task.id not in {each.id for each in decision.tasks}:
            return f"none of the new tasks is called {task.id}"
        kept = (each for each in plan.tasks if each.id != task.id)
        revised = replace(plan, tasks=(*kept, *decision.tasks))
        try:
            validate(revised)
        except Malformed as error:
            return error.message
        return revised

    def _revise(self, task: Task, revised: Plan, note: str, number: int) -> None:
        self.run.note(
            PlanRevised,
            task.id,
            number,
            task_id=task.id,
            goal=revised.goal,
            tasks=tuple(each.as_json() for each in revised.tasks),
            layers=layers(revised),
            outcome=revised.outcome,
            note=note,
        )
        self.run.apart = conflicts(revised)
