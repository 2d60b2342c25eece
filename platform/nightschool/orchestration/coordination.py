"""What working together cost and brought: pure measures of a finished plan's events.

Overhead and message density are those of section 4.1 of "Towards a Science of Scaling Agent Systems"
(arXiv 2512.08296), a turn being an attempt by an agent and one agent alone taking one for each task. Its
redundancy is the mean cosine similarity of outputs' embeddings; here it is the share of pairs of results for
one task that are equal. Efficiency and error amplification need to know what was right and are left to
whoever knows. Work, span and idle time are of the plan's graph with the durations that were measured.
"""

from __future__ import annotations

import heapq
import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any, Final, NamedTuple

from nightschool.events.base import EventBase
from nightschool.events.plan import TaskCompleted, TaskFailed, TaskGraded, TaskStarted
from nightschool.orchestration.plan import Plan
from nightschool.orchestration.shape import critical_path
from nightschool.orchestration.topology import Arrangement

__all__ = ["WIDTHS", "Replay", "coordination", "replay"]

WIDTHS: Final = (1, 2, 4, 8, 16, 32)


class Replay(NamedTuple):
    """A plan carried out on paper with known durations."""

    makespan: float
    idle: float
    """The share of all agents' time in which they had nothing to do."""


def replay(plan: Plan, costs: Mapping[str, float], width: int) -> Replay:
    """Carry a plan out with so many agents: whoever is free takes the first task that is ready."""
    place = {task.id: number for number, task in enumerate(plan.tasks)}
    waits = {task.id: len(set(task.depends_on)) for task in plan.tasks}
    after: dict[str, list[str]] = defaultdict(list)
    for task in plan.tasks:
        for needed in set(task.depends_on):
            after[needed].append(task.id)
    ready = [(place[task_id], task_id) for task_id, count in waits.items() if not count]
    heapq.heapify(ready)
    running: list[tuple[float, int, str]] = []
    now = 0.0
    while ready or running:
        while ready and len(running) < width:
            number, task_id = heapq.heappop(ready)
            heapq.heappush(running, (now + costs.get(task_id, 0.0), number, task_id))
        now, _, done = heapq.heappop(running)
        for waiting in after[done]:
            waits[waiting] -= 1
            if not waits[waiting]:
                heapq.heappush(ready, (place[waiting], waiting))
    work = sum(costs.get(task.id, 0.0) for task in plan.tasks)
    return Replay(now, 1 - work / (now * width) if now else 0.0)


def coordination(
    plan: Plan,
    arrangement: Arrangement,
    events: Sequence[EventBase],
    *,
    width: int,
    base_of: Callable[[str], str],
) -> dict[str, float]:
    """Return the measures by name.

    Args:
        plan: the plan as it was before it was arranged; one agent would take one turn for each of its tasks.
        arrangement: how it was arranged.
        events: the events of the run.
        width: agents at work at once.
        base_of: the task of the plan that an arranged one is a version of.
    """
    started = [event for event in events if isinstance(event, TaskStarted)]
    turns = sum(event.received is not None for event in started)
    messages = _messages(arrangement, events, started)
    costs = _seconds(events)
    at_width = replay(arrangement.plan, costs, width)
    alone = replay(arrangement.plan, costs, 1).makespan
    found = {
        "turns": float(turns),
        "messages": float(messages),
        "message_density": messages / turns if turns else 0.0,
        "overhead": (turns - len(plan.tasks)) / len(plan.tasks),
        "redundancy": _redundancy(events, base_of),
        "work_seconds": sum(costs.values()),
        "span_seconds": critical_path(arrangement.plan, _complete(arrangement.plan, costs))[1],
        "makespan_seconds": at_width.makespan,
        "idle": at_width.idle,
    }
    for each in WIDTHS:
        makespan = replay(arrangement.plan, costs, each).makespan
        found[f"speedup_{each}"] = alone / makespan if makespan else 1.0
    return found


def _complete(plan: Plan, costs: Mapping[str, float]) -> dict[str, float]:
    return {task.id: costs.get(task.id, 0.0) for task in plan.tasks}


def _messages(arrangement: Arrangement, events: Sequence[EventBase], started: Sequence[TaskStarted]) -> int:
    """Count what passed between seats: results handed on, orders and results of an orchestrator, verdicts."""
    seats, plan = arrangement.seats, arrangement.plan
    handed_on = sum(
        seats.get(needed) != seats.get(event.task_id)
        for event in started
        for needed in plan.task(event.task_id).depends_on
    )
    if not arrangement.topology.is_checked:
        return handed_on
    asked = sum(event.received is not None for event in started)
    verdicts = sum(isinstance(event, TaskGraded) for event in events)
    # The order with its inputs goes out and the result comes back over the orchestrator, then the verdict.
    between_peers = handed_on if arrangement.topology == "hybrid" else 0
    return 2 * asked + verdicts + between_peers


def _seconds(events: Sequence[EventBase]) -> dict[str, float]:
    """Return the seconds of all attempts at each task."""
    found: dict[str, float] = defaultdict(float)
    for event in events:
        told_twice = isinstance(event, TaskGraded) and event.next == "accept"
        if isinstance(event, TaskCompleted | TaskFailed | TaskGraded) and not told_twice:
            found[event.task_id] += (event.duration_ms or 0.0) / 1000
    return dict(found)


def _redundancy(events: Sequence[EventBase], base_of: Callable[[str], str]) -> float:
    """Return how often two results for one task of the plan say the same; 0 where nothing was done twice."""
    values: dict[str, list[Any]] = defaultdict(list)
    for event in events:
        if isinstance(event, TaskCompleted) and event.task_session_id is not None:
            values[base_of(event.task_id)].append(json.dumps(event.result.get("value")))
    pairs = [first == second for found in values.values() for first, second in combinations(found, 2)]
    return sum(pairs) / len(pairs) if pairs else 0.0
