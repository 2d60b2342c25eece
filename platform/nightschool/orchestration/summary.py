"""A run of a plan in numbers, read off its events: the raw material of what is learnt from it. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Any, Final, TypeVar

from nightschool.events.base import EventBase
from nightschool.events.lock import LockConflict, MediationDecided
from nightschool.events.plan import (
    EscalationDecided,
    PlanRevised,
    PoolResized,
    TaskCompleted,
    TaskFailed,
    TaskGraded,
    TaskStarted,
)
from nightschool.orchestration.aggregate import failures_of
from nightschool.orchestration.board import Board, Status

__all__ = ["SHARED_TYPES", "summarize"]

SHARED_TYPES: Final = ("lock.conflict", "mediation.decided")
"""The types of events that tasks themselves note in a plan's log, through what they share."""


_Kind = TypeVar("_Kind", bound=EventBase)


def summarize(board: Board, events: Iterable[EventBase]) -> dict[str, Any]:
    """Return the execution summary of a plan.

    Args:
        board: where its tasks stand at the end.
        events: all events of the plan.
    """
    noted = _Noted(events)
    states = Counter(state.status for state in board.tasks.values())
    failed, graded, ends = noted.all(TaskFailed), noted.all(TaskGraded), noted.ends()
    return {
        "tasks": len(board.tasks),
        "completed": states[Status.DONE],
        "failed": failures_of(board),
        "attempts": len(noted.all(TaskStarted)),
        "failed_attempts": dict(Counter(str(event.error.get("code")) for event in failed)),
        "fallbacks": sum(state.is_fallback for state in board.tasks.values()),
        "escalations": dict(Counter(event.action for event in noted.all(EscalationDecided))),
        "revisions": len(noted.all(PlanRevised)),
        "verdicts": _verdicts(graded),
        "write_conflicts": len(noted.all(LockConflict)),
        "mediations": len(noted.all(MediationDecided)),
        "merge_conflicts": _merge_conflicts(noted.all(TaskCompleted)),
        "tokens": sum(event.tokens or 0 for event in ends),
        "grading_tokens": sum(event.usage.as_usage().total_tokens for event in graded if event.usage),
        "work_ms": sum(event.duration_ms or 0.0 for event in ends),
        "elapsed_ms": noted.elapsed_ms,
        "largest_pool": max((event.size for event in noted.all(PoolResized)), default=0),
        "agents": _by_agent(noted.all(TaskStarted)),
    }


class _Noted:
    """A plan's events by type, gone through once."""

    def __init__(self, events: Iterable[EventBase]) -> None:
        self._by_type: defaultdict[type[EventBase], list[Any]] = defaultdict(list)
        moments = []
        for event in events:
            self._by_type[type(event)].append(event)
            if event.processed_at is not None:
                moments.append(event.processed_at)
        lasted = max(moments) - min(moments) if moments else timedelta()
        self.elapsed_ms = lasted.total_seconds() * 1000

    def all(self, kind: type[_Kind]) -> list[_Kind]:
        """Return the events of a type, in order."""
        return self._by_type[kind]

    def ends(self) -> list[TaskCompleted | TaskFailed | TaskGraded]:
        """Return the events that end an attempt, each attempt once."""
        # An accepted result is told twice: as graded and as completed.
        sent_back = [event for event in self.all(TaskGraded) if event.next != "accept"]
        return [*self.all(TaskCompleted), *self.all(TaskFailed), *sent_back]


def _verdicts(graded: Sequence[TaskGraded]) -> dict[str, int]:
    good = sum(event.satisfied for event in graded)
    return {"satisfied": good, "sent_back": len(graded) - good}


def _merge_conflicts(completed: Iterable[TaskCompleted]) -> int:
    conflicts = (event.result.get("conflicts") for event in completed)
    return sum(len(each) for each in conflicts if isinstance(each, list))


def _by_agent(started: Iterable[TaskStarted]) -> dict[str, int]:
    return dict(sorted(Counter(event.agent_id for event in started if event.agent_id).items()))
