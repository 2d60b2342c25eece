"""What a scheduler hands to a worker and what comes back, and the limits of a slot: values only."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from nightschool.orchestration.plan import Task
from nightschool.outcomes.grader import Verdict
from nightschool.registry.agents import AgentFile

__all__ = ["Done", "Grade", "Join", "Order", "Slots", "Worker"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Slots:
    """How many tasks are at work at once, and what each may take."""

    max_parallel_agents: int = 20
    max_seconds: float = 600.0
    max_attempts: int = 2
    """Tries of a task whose failure can be retried, the first one included."""
    max_reruns: int = 2
    """How often a result that is not good enough is sent back."""
    max_escalations: int = 3
    """How often the orchestrator decides about one task before what there is stands."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """One attempt at one task: all that its worker may know."""

    plan_id: str
    task: Task
    attempt: int
    """Its number; never given out twice for one task, not even after a crash."""
    tries: int
    """Attempts that failed before it."""
    ended: int = 0
    """Attempts that ended before it, well or badly; what was broken off goes on in its session."""
    context: str
    """Everything the task is given, as one text."""
    asked: str = ""
    """The same without what was said of earlier attempts: what a grader may know."""
    conflict: str | None = None
    """The field on which results disagree, where one of them is judged; None: the task's own result is."""
    agent: AgentFile | None = None
    """Who does it; None where the worker has no choice of agents."""
    slot: int | None = None
    max_seconds: float = 600.0
    session_id: str | None = None
    """The session to work in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What an attempt brought."""

    value: Mapping[str, Any]
    tokens: int | None = None
    """Tokens read and written; None where nobody counts."""
    seconds: float | None = None
    """How long it took, where that is not the time that passed (simulated brains)."""


class Worker(Protocol):
    """Does one attempt. It may be cancelled at its time limit; it must leave nothing half done then.

    Raises a `NightschoolError` when the attempt fails.
    """

    async def __call__(self, order: Order, /) -> Done:
        """Do it and return what it brought."""


Grade = Callable[[Order, Mapping[str, Any]], Awaitable[Verdict | None]]
"""Judges a result by what was asked, never by how it was made; None: it is not to be judged."""

Join = Callable[[Order, Mapping[str, Mapping[str, Any]]], Awaitable[Mapping[str, Any]]]
"""Does a task for code: joins the results that it waits for, by task."""
