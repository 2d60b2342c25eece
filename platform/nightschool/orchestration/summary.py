"""A run of a plan in numbers, read off its events: the raw material of what is learnt from it. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Final

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


def summarize(board: Board, events: Sequence[EventBase]) -> dict[str, Any]:
    """Return the execution summary of a plan.

    Args:
        board: where its tasks stand at the end.
        events: all events of the plan.
    """
    states = Counter(state.status for state in board.tasks.values())
    failed_attempts = [event for event in events if isinstance(event, TaskFailed)]
    return {
        "tasks": len(board.tasks),
        "completed": states[Status.DONE],
        "failed": failures_of(board),
        "attempts": sum(isinstance(event, TaskStarted) for event in events),
        "failed_attempts": dict(Counter(str(event.error.get("code")) for event in failed_attempts)),
        "fallbacks": sum(state.is_fallback for state in board.tasks.values()),
        "escalations": dict(Counter(e.action for e in events if isinstance(e, EscalationDecided))),
        "revisions": sum(isinstance(event, PlanRevised) for event in events),
        "verdicts": _verdicts(events),
        "write_conflicts": sum(isinstance(event, LockConflict) for event in events),
        "mediations": sum(isinstance(event, MediationDecided) for event in events),
        "merge_conflicts": _merge_conflicts(events),
        "tokens": sum(getattr(event, "tokens", None) or 0 for event in _ends(events)),
        "grading_tokens": sum(_grading_tokens(event) for event in events),
        "work_ms": sum(getattr(event, "duration_ms", None) or 0.0 for event in _ends(events)),
        "elapsed_ms": _elapsed_ms(events),
        "largest_pool": max((e.size for e in events if isinstance(e, PoolResized)), default=0),
        "agents": _by_agent(events),
    }


def _ends(events: Iterable[EventBase]) -> Iterable[EventBase]:
    """Yield the events that end an attempt, each attempt once."""
    for event in events:
        if not isinstance(event, TaskCompleted | TaskFailed | TaskGraded):
            continue
        # An accepted result is told twice: as graded and as completed.
        if not isinstance(event, TaskGraded) or event.next != "accept":
            yield event


def _grading_tokens(event: EventBase) -> int:
    usage = event.usage if isinstance(event, TaskGraded) else None
    return 0 if usage is None else usage.as_usage().total_tokens


def _verdicts(events: Iterable[EventBase]) -> dict[str, int]:
    graded = [event for event in events if isinstance(event, TaskGraded)]
    good = sum(event.satisfied for event in graded)
    return {"satisfied": good, "sent_back": len(graded) - good}


def _merge_conflicts(events: Iterable[EventBase]) -> int:
    return sum(
        len(event.result.get("conflicts", ()))
        for event in events
        if isinstance(event, TaskCompleted) and isinstance(event.result.get("conflicts"), list)
    )


def _elapsed_ms(events: Iterable[EventBase]) -> float:
    moments = [event.processed_at for event in events if event.processed_at is not None]
    return (max(moments) - min(moments)).total_seconds() * 1000 if moments else 0.0


def _by_agent(events: Iterable[EventBase]) -> dict[str, int]:
    started = (event.agent_id for event in events if isinstance(event, TaskStarted) and event.agent_id)
    return dict(sorted(Counter(started).items()))
