"""A goal's tasks and what each waits for: values, and the pure checks over them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from graphlib import CycleError, TopologicalSorter
from typing import Any

from nightschool.core.errors import Malformed

__all__ = ["OnFailure", "Plan", "Task", "layers", "validate"]


class OnFailure(StrEnum):
    """What the tasks that wait for this one do when it fails."""

    BEST_EFFORT = "best_effort"
    """They go on without it, and the answer names what is lacking."""
    CRITICAL = "critical"
    """They fail as well: nothing is aggregated without it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One piece of work that one agent can do in one context."""

    id: str
    title: str
    sections: tuple[str, ...] = ()
    """The section numbers it covers."""
    depends_on: tuple[str, ...] = ()
    """Ids of the tasks whose results it reads."""
    needs: tuple[str, ...] = ()
    """Names of the tools it cannot do without."""
    inputs: str = ""
    """What it is given beside its sections: definitions in use, sections referred to."""
    on_failure: OnFailure = OnFailure.BEST_EFFORT

    def as_json(self) -> dict[str, Any]:
        """Return the task as the log keeps it."""
        return {
            "id": self.id,
            "title": self.title,
            "sections": list(self.sections),
            "depends_on": list(self.depends_on),
            "needs": list(self.needs),
            "inputs": self.inputs,
            "on_failure": str(self.on_failure),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Tasks towards one goal; `validate` says whether it can be run."""

    id: str
    goal: str
    tasks: tuple[Task, ...]

    def task(self, task_id: str) -> Task:
        """Return the task with this id."""
        return next(task for task in self.tasks if task.id == task_id)


def _unknown_dependency(plan: Plan) -> tuple[str, str] | None:
    known = {task.id for task in plan.tasks}
    pairs = ((task.id, needed) for task in plan.tasks for needed in task.depends_on)
    return next(((task_id, needed) for task_id, needed in pairs if needed not in known), None)


def validate(plan: Plan) -> None:
    """Refuse a plan that cannot be run, by name.

    Raises:
        Malformed: two tasks share an id, a dependency does not exist, or tasks wait for one another.
    """
    ids = [task.id for task in plan.tasks]
    twice = next((task_id for task_id in ids if ids.count(task_id) > 1), None)
    if twice is not None:
        raise Malformed(f"plan: two tasks are called {twice!r}; give each task its own id", field=twice)
    if (unknown := _unknown_dependency(plan)) is not None:
        raise Malformed(
            f"plan: task {unknown[0]!r} depends on {unknown[1]!r}, which does not exist", field=unknown[0]
        )
    layers(plan)


def layers(plan: Plan) -> tuple[tuple[str, ...], ...]:
    """Return task ids in layers; the tasks of one layer need not wait for one another.

    Raises:
        Malformed: tasks wait for one another; the message names the cycle.
    """
    sorter = TopologicalSorter({task.id: task.depends_on for task in plan.tasks})
    try:
        sorter.prepare()
    except CycleError as error:
        cycle = " → ".join(error.args[1])
        raise Malformed(
            f"plan: tasks wait for one another: {cycle}; remove one of these dependencies"
        ) from error
    found: list[tuple[str, ...]] = []
    while sorter.is_active():
        ready = tuple(sorted(sorter.get_ready()))
        found.append(ready)
        sorter.done(*ready)
    return tuple(found)
