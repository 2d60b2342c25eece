"""Runs a plan: every task as soon as what it waits for is there, never more at once than there are slots.

    log ─► board ─► what may start? what follows? ─► events, one append ─► workers ─► results ─┐
             ▲                                                                                  │
             └──────────────────────────────────────────────────────────────────────────────────┘

All that it knows is a fold of the plan's events, so a run that was killed is finished by running the plan
again over the same log: finished tasks are not repeated, those at work begin a new attempt. Knows nothing
about what a task does. What is decided is decided by pure functions (`ready`, `next_step`, `agent_choice`,
`pools`, `conflicts`, `aggregate`, `escalation`); this only carries it out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

from nightschool.core.clock import Clock
from nightschool.core.errors import InvalidInput, ModelUnavailable
from nightschool.core.groups import task_group
from nightschool.events.base import EventBase
from nightschool.events.plan import PlanCompleted, PlanCreated, PlanRevised, PoolResized
from nightschool.orchestration.attempt import Attempt, Ended
from nightschool.orchestration.board import Board
from nightschool.orchestration.conflicts import conflicts
from nightschool.orchestration.dispatch import Dispatch
from nightschool.orchestration.escalation import Decide, decide_by_rule
from nightschool.orchestration.experience import Experience
from nightschool.orchestration.plan import Plan, layers
from nightschool.orchestration.plan_file import plan_from_event
from nightschool.orchestration.plan_log import PlanLog
from nightschool.orchestration.plan_run import Members, PlanRun
from nightschool.orchestration.pools import Pool
from nightschool.orchestration.settlement import Settlement
from nightschool.orchestration.slots import Grade, Join, Slots, Worker
from nightschool.orchestration.staff import Staff
from nightschool.orchestration.summary import SHARED_TYPES, summarize

__all__ = ["Scheduler"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scheduler:
    """Runs plans over one log with one kind of worker."""

    worker: Worker
    log: PlanLog
    clock: Clock
    slots: Slots = field(default_factory=Slots)
    pool: Pool = field(default_factory=Pool)
    staff: Staff = field(default_factory=Staff)
    grade: Grade | None = None
    """Judges results; None: every result that fits its schema is good."""
    decide: Decide = decide_by_rule
    """The orchestrator, asked where agents were not good enough."""
    learnt: Experience = field(default_factory=Experience)
    """What past runs had taught when the plan began; one that goes on keeps to what its log says of that."""
    join: Join | None = None
    """Does the tasks for code; None: by their merge schemas."""
    keeps_open: bool = False
    """Whether a plan in which a task failed because no model answered stays open, to be run again later."""

    async def run(self, plan: Plan) -> Board:
        """Run the plan to its end, from nothing or from where its log breaks off, and return the board.

        One task's failure never cancels another. A store that fails, a session woken elsewhere or a missing
        key stops the whole plan: every further task would meet it as well.

        Raises:
            StoreError, StaleWriter, ConfigurationMissing, Interrupted: see above.
            InvalidInput: the log holds another plan, or the pool has no place for anybody.
            ModelUnavailable: the plan is kept open; whatever did not need the model's answer is done.
        """
        run = await self._open(plan)
        dispatch, settlement = Dispatch(run, self.staff, self.slots), Settlement(run, self.staff, self.slots)
        send, receive = anyio.create_memory_object_stream[Ended](math.inf)
        async with send, receive, task_group() as group:
            while not run.board.is_over:
                attempts, look_again = dispatch.next_attempts()
                await run.save()
                for attempt in attempts:
                    group.start_soon(self._carry_out, attempt, send)
                # Calling tasks blocked may have been the last thing to do: then there is nothing to wait for.
                if not run.board.is_over:
                    for ended in await _ended(receive, look_again):
                        settlement.settle(ended)
        outage = run.board.outage() if self.keeps_open and not run.board.is_closed else None
        if outage is not None:
            # A server that is down says nothing about the work.
            await run.save()
            raise ModelUnavailable(outage)
        await self._close(run)
        return run.board

    async def _carry_out(self, attempt: Attempt, send: MemoryObjectSendStream[Ended]) -> None:
        ended = await attempt.carry_out(self.worker, self.grade, self.decide, self.clock, join=self.join)
        send.send_nowait(ended)

    async def _open(self, plan: Plan) -> PlanRun:
        events = await self.log.read()
        created = [event for event in events if isinstance(event, PlanCreated | PlanRevised)]
        if created and created[0].plan_id != plan.id:
            raise InvalidInput(f"the log {self.log.scope} holds plan {created[0].plan_id}, not {plan.id}")
        members = Members(self.pool, self.slots.max_parallel_agents)
        if members.room < 1:
            raise InvalidInput("no agent may be at work: raise max_parallel_agents or the pool's size")
        board = Board.of(plan if not created else plan_from_event(created[0]), events)
        board.resume(reopen=self.keeps_open)
        learnt = _learnt(board, events, self.learnt)
        apart = conflicts(board.plan)
        run = PlanRun(board, self.log, self.clock, members, learnt, apart, events=list(events))
        run.given = sum(state.attempts for state in board.tasks.values())
        run.resizes = sum(isinstance(event, PoolResized) for event in events)
        if not created:
            tasks = tuple(task.as_json() for task in plan.tasks)
            facts = {"goal": plan.goal, "tasks": tasks, "layers": layers(plan), "outcome": plan.outcome}
            run.note(PlanCreated, **facts, learnt=learnt.as_json() or None)
        return run

    async def _close(self, run: PlanRun) -> None:
        await run.save()
        if not run.board.is_closed:
            noted_by_others = await self.log.read(types=SHARED_TYPES)
            events = {event.id: event for event in (*run.events, *noted_by_others)}
            summary = summarize(run.board, list(events.values()))
            run.note(PlanCompleted, summary=summary)
            await run.save()


def _learnt(board: Board, events: Sequence[EventBase], before: Experience) -> Experience:
    """Return what is known to a run: what was before the plan, as its log has it, and what came since."""
    began = next((event for event in events if isinstance(event, PlanCreated)), None)
    found = Experience.of_json(before.as_json() if began is None else began.learnt or {})
    for event in events:
        task_id = getattr(event, "task_id", None)
        if task_id in board.tasks:
            found.take(event, board.plan.task(task_id).type)
    return found


async def _ended(receive: MemoryObjectReceiveStream[Ended], look_again: float | None) -> Sequence[Ended]:
    """Return all attempts that have ended, waiting for one; none when it is time to look at the pool."""
    with anyio.move_on_after(look_again):
        ended = [await receive.receive()]
        ended += [receive.receive_nowait() for _ in range(receive.statistics().current_buffer_used)]
        return ended
    return []
