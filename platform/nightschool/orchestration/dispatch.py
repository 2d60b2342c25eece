"""From what may start to orders: who does it, in which slot, with which context."""

from __future__ import annotations

from dataclasses import dataclass

from nightschool.core.errors import TaskBlocked
from nightschool.core.ids import derived_id
from nightschool.events.plan import TaskFailed, TaskStarted
from nightschool.orchestration.aggregate import asked_of, context_of
from nightschool.orchestration.attempt import Attempt
from nightschool.orchestration.board import Status
from nightschool.orchestration.escalation import Escalation
from nightschool.orchestration.next_step import Next
from nightschool.orchestration.plan_run import PlanRun
from nightschool.orchestration.ready import Turn, next_turn
from nightschool.orchestration.slots import Order, Slots
from nightschool.orchestration.staff import Staff

__all__ = ["Dispatch"]


@dataclass(frozen=True, slots=True)
class Dispatch:
    """Gives out what is next."""

    run: PlanRun
    staff: Staff
    slots: Slots

    def next_attempts(self) -> tuple[list[Attempt], float | None]:
        """Note what starts now and return it, and when to look at the pool again (seconds)."""
        turn = self._turn()
        while turn.blocked:
            for task_id, failed in turn.blocked:
                self._block(task_id, failed)
            turn = self._turn()
        agents = sum(self.run.board.plan.task(task_id).merge is None for task_id in turn.starts)
        look_again = self.run.resize(agents)
        return [*map(self._start, turn.starts), *self._questions()], look_again

    def _turn(self) -> Turn:
        return next_turn(self.run.board, room=self.run.members.room, apart=self.run.apart)

    def _block(self, task_id: str, failed: str) -> None:
        error = TaskBlocked(f"task {task_id} waits for {failed}, which failed")
        described = {"code": error.code, "message": error.message}
        attempt = self.run.board.tasks[task_id].attempts
        self.run.note(TaskFailed, task_id, attempt, task_id=task_id, error=described, next=str(Next.FAIL))

    def _start(self, task_id: str) -> Attempt:
        run, task = self.run, self.run.board.plan.task(task_id)
        state = run.board.tasks[task_id]
        number, asked = state.attempts + 1, asked_of(run.board, task)
        if task.merge is not None:
            run.note(TaskStarted, task_id, number, task_id=task_id, attempt=number)
            given = {
                needed: run.board.tasks[needed].result or {}
                for needed in task.depends_on
                if run.board.tasks[needed].status is Status.DONE
            }
            order = Order(
                plan_id=run.board.plan.id,
                task=task,
                attempt=number,
                tries=state.tries,
                ended=state.ended,
                context="",
                asked=asked,
            )
            return Attempt(order=order, given=given)
        context = context_of(run.board, task, asked)
        choice = self.staff.pick(task, state, at_work=run.agents_at_work, given=run.given, learnt=run.learnt)
        agent = None if choice is None else choice.agent
        limits = None if agent is None else agent.limits
        order = Order(
            plan_id=run.board.plan.id,
            task=task,
            attempt=number,
            tries=state.tries,
            ended=state.ended,
            context=context,
            asked=asked,
            agent=agent,
            slot=run.members.take(),
            max_seconds=task.max_seconds or (limits and limits.max_seconds) or self.slots.max_seconds,
            session_id=derived_id("session", run.log.scope, run.board.plan.id, task_id, state.ended + 1),
        )
        run.given += 1
        if agent is not None:
            run.agents_at_work[agent.name] += 1
        run.note(
            TaskStarted,
            task_id,
            number,
            task_id=task_id,
            task_session_id=order.session_id,
            attempt=number,
            slot=order.slot,
            agent_id=agent and agent.name,
            agent_version=agent and agent.version,
            policy=None if choice is None else str(self.staff.policy),
            probabilities=None if choice is None else dict(choice.probabilities),
            received=context,
        )
        return Attempt(order=order)

    def _questions(self) -> list[Attempt]:
        """Return the questions to the orchestrator that are not yet asked."""
        new = sorted(self.run.board.escalated - self.run.asked)
        self.run.asked.update(new)
        return [self._question(task_id) for task_id in new]

    def _question(self, task_id: str) -> Attempt:
        run, task = self.run, self.run.board.plan.task(task_id)
        state = run.board.tasks[task_id]
        reason = "; ".join(state.feedback) or str((state.error or {}).get("message", "not good enough"))
        escalation = Escalation(
            task=task,
            reason=reason,
            agents=state.agents,
            # Code joins the same results to the same again, whoever is asked.
            candidates=() if task.merge is not None else self.staff.others(task, state),
            result=state.result,
            feedback=state.feedback,
            escalations=state.escalations,
        )
        order = Order(
            plan_id=run.board.plan.id, task=task, attempt=state.attempts, tries=state.tries, context=reason
        )
        return Attempt(order=order, escalation=escalation)
