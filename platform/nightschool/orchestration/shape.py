"""How long and how wide a plan is: pure measures of its graph.

Work, span and their ratio are those of Brent (1974): with any number of agents a plan takes at least its
span, with one agent its work, and their ratio is the most that more agents can bring.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from graphlib import TopologicalSorter

from nightschool.orchestration.plan import Plan, layers

__all__ = ["Shape", "ancestors", "critical_path", "descendants", "named", "shape_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """A plan's measures, in the unit of the costs that were given (1 for each task by default)."""

    tasks: int
    depth: int
    """Layers."""
    width: int
    """Tasks of the widest layer."""
    work: float
    """All costs together."""
    span: float
    """The costs along the critical path."""
    critical_path: tuple[str, ...]

    @property
    def parallelism(self) -> float:
        """Work over span: the most by which more agents can shorten the plan."""
        return self.work / self.span if self.span else 1.0


def _order(plan: Plan) -> list[str]:
    return list(TopologicalSorter({task.id: task.depends_on for task in plan.tasks}).static_order())


def named(plan: Plan, bits: int) -> list[str]:
    """Return the ids of a set of tasks, in the plan's order; bit n stands for its n-th task.

    Sets of tasks are numbers because a plan of ten thousand tasks has as many sets of as many members.
    """
    return [task.id for task, bit in zip(plan.tasks, reversed(f"{bits:b}"), strict=False) if bit == "1"]


def ancestors(plan: Plan) -> dict[str, int]:
    """Return for each task all those that it waits for, directly or over others; see `named`."""
    bit = {task.id: 1 << place for place, task in enumerate(plan.tasks)}
    found: dict[str, int] = {}
    for task_id in _order(plan):
        found[task_id] = 0
        for needed in plan.task(task_id).depends_on:
            found[task_id] |= found[needed] | bit[needed]
    return found


def descendants(plan: Plan) -> dict[str, int]:
    """Return for each task all those that wait for it, directly or over others; see `named`."""
    bit = {task.id: 1 << place for place, task in enumerate(plan.tasks)}
    found = dict.fromkeys(bit, 0)
    for task_id in reversed(_order(plan)):
        for needed in plan.task(task_id).depends_on:
            found[needed] |= found[task_id] | bit[task_id]
    return found


def critical_path(plan: Plan, costs: Mapping[str, float] | None = None) -> tuple[tuple[str, ...], float]:
    """Return the costliest chain of tasks that wait for one another, and its cost.

    Args:
        plan: a valid plan.
        costs: task id to cost; a task that is not in it costs 1.
    """
    cost = costs or {}
    until: dict[str, float] = {}
    before: dict[str, str | None] = {}
    for task_id in _order(plan):
        latest = max(plan.task(task_id).depends_on, key=lambda each: (until[each], each), default=None)
        before[task_id] = latest
        until[task_id] = cost.get(task_id, 1.0) + (until[latest] if latest else 0.0)
    last = max(until, key=lambda each: (until[each], each), default=None)
    path: list[str] = []
    step = last
    while step is not None:
        path.append(step)
        step = before[step]
    return tuple(reversed(path)), until[last] if last is not None else 0.0


def shape_of(plan: Plan, costs: Mapping[str, float] | None = None) -> Shape:
    """Return the plan's measures; for ``costs`` see `critical_path`."""
    found = layers(plan)
    path, span = critical_path(plan, costs)
    return Shape(
        tasks=len(plan.tasks),
        depth=len(found),
        width=max(map(len, found), default=0),
        work=sum((costs or {}).get(task.id, 1.0) for task in plan.tasks),
        span=span,
        critical_path=path,
    )
