"""Which tasks must not be at work together because they change the same thing: pure.

Tasks of which one waits for the other are never at work together anyway and are left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

from nightschool.orchestration.plan import Plan, Task
from nightschool.orchestration.resources import overlaps
from nightschool.orchestration.shape import ancestors

__all__ = ["conflicts", "serial_queues"]


def conflicts(plan: Plan) -> dict[str, frozenset[str]]:
    """Return for each task that has any the tasks it must not be at work together with."""
    writers = [task for task in plan.tasks if task.writes]
    earlier = ancestors(plan) if writers else {}
    found: dict[str, set[str]] = {}
    for first, second in combinations(writers, 2):
        ordered = first.id in earlier[second.id] or second.id in earlier[first.id]
        if not ordered and _write_the_same(first, second):
            found.setdefault(first.id, set()).add(second.id)
            found.setdefault(second.id, set()).add(first.id)
    return {task_id: frozenset(others) for task_id, others in found.items()}


def _write_the_same(first: Task, second: Task) -> bool:
    return any(overlaps(one, other) for one in first.writes for other in second.writes)


def serial_queues(found: Mapping[str, frozenset[str]]) -> tuple[tuple[str, ...], ...]:
    """Return the queues that conflicts make: tasks linked by them, directly or over others, sorted by id."""
    queues: list[tuple[str, ...]] = []
    seen: set[str] = set()
    for start in sorted(found):
        if start in seen:
            continue
        queue, frontier = {start}, {start}
        while frontier:
            frontier = {other for task_id in frontier for other in found[task_id]} - queue
            queue |= frontier
        seen |= queue
        queues.append(tuple(sorted(queue)))
    return tuple(queues)
