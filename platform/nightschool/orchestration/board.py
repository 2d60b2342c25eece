"""Where every task of a plan stands: a fold over the plan's events, so that any process can go on.

    planned ─► ready ─► running ─┬─► done
                 ▲               ├─► failed ─► (blocks what cannot do without it)
                 └── again ◄─────┼─► fallback ─► running, by the fallback agent
                                 └─► escalated ─► again, done, failed or the plan is revised

Knows nothing about who works or when: it takes events and answers what may run next.
"""

from __future__ import annotations

import json
from bisect import bisect_left, insort
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

from nightschool.core.errors import ModelUnavailable
from nightschool.events.base import EventBase
from nightschool.events.plan import (
    EscalationDecided,
    PlanCompleted,
    PlanRevised,
    TaskCompleted,
    TaskFailed,
    TaskGraded,
    TaskStarted,
)
from nightschool.orchestration.next_step import Next
from nightschool.orchestration.plan import Plan
from nightschool.orchestration.plan_file import plan_from_event

__all__ = ["Board", "Status", "TaskState"]


class Status(StrEnum):
    """Where a task stands; the module's picture shows how one becomes another."""

    PLANNED = "planned"
    """Waits for other tasks."""
    READY = "ready"
    """Waits for a slot."""
    RUNNING = "running"
    FALLBACK = "fallback"
    """Waits for the fallback agent."""
    ESCALATED = "escalated"
    """Waits for the orchestrator."""
    DONE = "done"
    FAILED = "failed"

    @property
    def is_over(self) -> bool:
        """Whether nothing more will come of it."""
        return self is Status.DONE or self is Status.FAILED


class TaskState(NamedTuple):
    """One task at one moment. A tuple, because each step of each task makes a new one."""

    status: Status = Status.PLANNED
    attempts: int = 0
    """Attempts begun, broken-off ones included; the next one's number is one more."""
    tries: int = 0
    """Attempts that failed."""
    ended: int = 0
    """Attempts that ended, well or badly; one that was broken off goes on in its session."""
    reruns: int = 0
    """Results sent back by a verdict."""
    agents: tuple[str, ...] = ()
    """Who worked on it, in order."""
    timed_out: tuple[str, ...] = ()
    """Who took too long."""
    assigned_to: str | None = None
    """Who must do it next, when the orchestrator said so."""
    is_fallback: bool = False
    """Whether it went through the fallback queue."""
    escalations: int = 0
    feedback: tuple[str, ...] = ()
    """What the next attempt is told."""
    result: Mapping[str, Any] | None = None
    """Its result, or the last one handed in that was not good enough."""
    error: Mapping[str, Any] | None = None
    """What ended it, or its last attempt."""
    note: str | None = None
    """What is to be said against the result."""


@dataclass(slots=True)
class Board:
    """A plan's tasks as the events so far leave them."""

    plan: Plan
    tasks: dict[str, TaskState] = field(default_factory=dict)
    ready: list[tuple[int, str]] = field(default_factory=list)
    """Tasks that may start, in the plan's order, each with its place in it."""
    fallback: list[tuple[int, str]] = field(default_factory=list)
    running: set[str] = field(default_factory=set)
    escalated: set[str] = field(default_factory=set)
    failed: set[str] = field(default_factory=set)
    unfinished: int = 0
    is_stopped: bool = False
    """Whether the orchestrator stopped the plan: nothing more is started."""
    is_closed: bool = False
    """Whether its summary is on record."""
    _place: dict[str, int] = field(default_factory=dict)
    _waits: dict[str, int] = field(default_factory=dict)
    _waiting_for: dict[str, list[str]] = field(default_factory=dict)
    _told: dict[str, str] = field(default_factory=dict)
    _told_last: tuple[tuple[str, ...], str] = ((), "")
    """Of which tasks others were told last, and what: those of a layer often wait for the same ones."""

    @classmethod
    def of(cls, plan: Plan, events: Iterable[EventBase] = ()) -> Board:
        """Return the board of a plan after these events; those of other plans are passed over."""
        board = cls(plan=plan)
        board._lay_out(plan)
        for event in events:
            board.take(event)
        return board

    @property
    def is_over(self) -> bool:
        """Whether no task can make a difference any more."""
        return not self.unfinished or (self.is_stopped and not self.running and not self.escalated)

    def told(self, task_ids: tuple[str, ...]) -> str:
        """Return what others are told of finished tasks: their results, compact, as tokens cost."""
        if self._told_last[0] != task_ids:
            self._told_last = task_ids, "\n\n".join(map(self._told_of, task_ids))
        return self._told_last[1]

    def _told_of(self, task_id: str) -> str:
        told = self._told.get(task_id)
        if told is None:
            state = self.tasks[task_id]
            if state.status is not Status.DONE:
                return f"No result of {task_id}: it failed"
            result = json.dumps(state.result, ensure_ascii=False, separators=(",", ":"))
            told = self._told[task_id] = f"Result of {task_id}: {result}"
        return told

    def resume(self, *, reopen: bool = False) -> None:
        """Put what was at work when its process died back where it may be taken from: a new attempt.

        Args:
            reopen: what failed because no model answered is done after all, and with it whatever was done
                without its result.
        """
        if reopen and not self.is_closed:
            self._reopen([name for name, state in self.tasks.items() if _is_outage(state)])
        for task_id in sorted(self.running):
            self._move(task_id, self.tasks[task_id], self._queue_of(task_id))

    def outage(self) -> str | None:
        """Return the words of the first task that failed because no model answered."""
        return next((str(s.error["message"]) for s in self.tasks.values() if s.error and _is_outage(s)), None)

    def take(self, event: EventBase) -> None:
        """Let one event change the board."""
        match event:
            case TaskStarted() if event.task_id in self.tasks:
                self._start(event)
            case TaskCompleted() if event.task_id in self.tasks:
                self._finish(event.task_id, Status.DONE, result=event.result, note=event.note)
            case TaskFailed() if event.task_id in self.tasks:
                self._fail(event)
            case TaskGraded() if event.task_id in self.tasks:
                self._grade(event)
            case EscalationDecided() if event.task_id in self.tasks:
                self._decide(event)
            case PlanRevised():
                self._revise(event)
            case PlanCompleted():
                self.is_closed = True

    def _lay_out(self, plan: Plan) -> None:
        """Take a plan's tasks; states of tasks that are known already are kept."""
        self.plan = plan
        known = self.tasks
        self._place = {task.id: place for place, task in enumerate(plan.tasks)}
        self.tasks = {task.id: known.get(task.id, TaskState()) for task in plan.tasks}
        self.ready, self.fallback = [], []
        self.running, self.escalated = self.running & set(self.tasks), self.escalated & set(self.tasks)
        self.failed = {task_id for task_id, state in self.tasks.items() if state.status is Status.FAILED}
        over = {task_id for task_id, state in self.tasks.items() if state.status.is_over}
        self.unfinished = len(self.tasks) - len(over)
        self._waiting_for = {task.id: [] for task in plan.tasks}
        for task in plan.tasks:
            for needed in task.depends_on:
                self._waiting_for[needed].append(task.id)
            met = sum(needed in over for needed in task.depends_on) if over else 0
            self._waits[task.id] = len(task.depends_on) - met
        for task_id, state in self.tasks.items():
            if state.status in (Status.READY, Status.FALLBACK) or (
                state.status is Status.PLANNED and not self._waits[task_id]
            ):
                self._move(task_id, state, self._queue_of(task_id))

    def _queue_of(self, task_id: str) -> Status:
        if self._waits[task_id]:
            return Status.PLANNED
        return Status.FALLBACK if self.tasks[task_id].is_fallback else Status.READY

    def _move(self, task_id: str, state: TaskState, status: Status, **changes: Any) -> None:
        """Put a task where its new status belongs."""
        self._take_off(task_id, state.status)
        self.tasks[task_id] = state._replace(status=status, **changes)
        match status:
            case Status.READY:
                insort(self.ready, (self._place[task_id], task_id))
            case Status.FALLBACK:
                insort(self.fallback, (self._place[task_id], task_id))
            case Status.RUNNING:
                self.running.add(task_id)
            case Status.ESCALATED:
                self.escalated.add(task_id)
            case Status.FAILED:
                self.failed.add(task_id)

    def _take_off(self, task_id: str, status: Status) -> None:
        match status:
            case Status.READY:
                _remove(self.ready, (self._place[task_id], task_id))
            case Status.FALLBACK:
                _remove(self.fallback, (self._place[task_id], task_id))
            case Status.RUNNING:
                self.running.discard(task_id)
            case Status.ESCALATED:
                self.escalated.discard(task_id)
            case Status.FAILED:
                self.failed.discard(task_id)

    def _start(self, event: TaskStarted) -> None:
        if self.tasks[event.task_id].status.is_over:
            self._reopen([event.task_id], after=False)
        state = self.tasks[event.task_id]
        agents = (*state.agents, event.agent_id) if event.agent_id else state.agents
        self._move(event.task_id, state, Status.RUNNING, attempts=event.attempt, agents=agents)

    def _finish(self, task_id: str, status: Status, **changes: Any) -> None:
        state = self.tasks[task_id]
        if state.status.is_over:
            return
        self._move(task_id, state, status, **changes)
        self.unfinished -= 1
        for waiting in self._waiting_for[task_id]:
            self._waits[waiting] -= 1
            if not self._waits[waiting] and self.tasks[waiting].status is Status.PLANNED:
                self._move(waiting, self.tasks[waiting], self._queue_of(waiting))

    def _fail(self, event: TaskFailed) -> None:
        state = self.tasks[event.task_id]
        late = event.error.get("code") == "task_timeout" and bool(state.agents)
        changes: dict[str, Any] = {
            "tries": state.tries + 1,
            "ended": state.ended + 1,
            "error": event.error,
            "timed_out": (*state.timed_out, state.agents[-1]) if late else state.timed_out,
        }
        self._follow(event.task_id, Next(event.next or Next.FAIL), **changes)

    def _grade(self, event: TaskGraded) -> None:
        state = self.tasks[event.task_id]
        changes: dict[str, Any] = {"feedback": event.feedback, "result": event.result}
        step = Next(event.next)
        if step is not Next.ACCEPT:  # the acceptance follows as an event of its own
            self._follow(event.task_id, step, reruns=state.reruns + 1, ended=state.ended + 1, **changes)

    def _follow(self, task_id: str, step: Next, **changes: Any) -> None:
        state = self.tasks[task_id]
        match step:
            case Next.RETRY | Next.REASSIGN | Next.RERUN:
                again = Status.FALLBACK if state.is_fallback else Status.READY
                self._move(task_id, state, again, **changes)
            case Next.FALLBACK:
                self._move(task_id, state, Status.FALLBACK, is_fallback=True, **changes)
            case Next.ESCALATE:
                self._move(task_id, state, Status.ESCALATED, **changes)
            case Next.FAIL | Next.ACCEPT:
                self._finish(task_id, Status.FAILED, **changes)

    def _decide(self, event: EscalationDecided) -> None:
        state = self.tasks[event.task_id]
        self.is_stopped = self.is_stopped or event.action == "stop"
        again = Status.READY if event.action in ("reassign", "replan") else Status.ESCALATED
        self._move(
            event.task_id,
            state,
            again,
            escalations=state.escalations + 1,
            assigned_to=event.assigned_to,
            tries=0,
            reruns=0,
            note=event.note,
        )

    def _reopen(self, task_ids: list[str], *, after: bool = True) -> None:
        """Let tasks that are over be done again, and where asked for, those that were done after them."""
        again = set(task_ids)
        for task_id in task_ids:
            for waiting in self._waiting_for[task_id] if after else ():
                if waiting not in again and self.tasks[waiting].status.is_over:
                    again.add(waiting)
                    task_ids.append(waiting)
        for task_id in again:
            old = self.tasks[task_id]
            self.tasks[task_id] = TaskState(attempts=old.attempts, ended=old.ended, agents=old.agents)
            self._told.pop(task_id, None)
        if again:
            self._told_last = (), ""
            self._lay_out(self.plan)

    def _revise(self, event: PlanRevised) -> None:
        if event.plan_id == self.plan.id:
            self._lay_out(plan_from_event(event))


def _is_outage(state: TaskState) -> bool:
    return state.status is Status.FAILED and (state.error or {}).get("code") == ModelUnavailable.code


def _remove(queue: list[tuple[int, str]], entry: tuple[int, str]) -> None:
    place = bisect_left(queue, entry)
    if place < len(queue) and queue[place] == entry:
        del queue[place]
