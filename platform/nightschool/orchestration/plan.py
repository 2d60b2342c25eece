"""A goal's tasks and what each waits for: values, and the pure checks over them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from graphlib import CycleError, TopologicalSorter
from typing import Any, Final

from nightschool.core.errors import Malformed
from nightschool.orchestration.merge_schema import parse_merge
from nightschool.orchestration.resources import parse_resource
from nightschool.orchestration.task_outcome import TaskOutcome, parse_outcome
from nightschool.outcomes.schema_form import BadSchema, parse_schema

__all__ = ["OnFailure", "Plan", "Task", "layers", "outcome_of", "validate"]


class OnFailure(StrEnum):
    """What happens when a task's attempts have failed."""

    BEST_EFFORT = "best_effort"
    """What waits for it goes on without it, and the answer names what is lacking."""
    RETRY = "retry"
    """It goes to the fallback queue, where another agent does it when there is nothing else to do."""
    CRITICAL = "critical"
    """What waits for it fails as well: nothing is aggregated without it."""


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
    type: str = "task"
    """The kind of work: what is learnt about agents and lengths is learnt by it."""
    prompt: str = ""
    """What is to be done, in words; the title where it is empty."""
    parts: tuple[str, ...] = ()
    """Pieces of its input that may be worked on apart, should it be too long."""
    writes: tuple[str, ...] = ()
    """What it changes: `file:src/**`, `table:sales.orders`, `endpoint:api.example.com/orders`."""
    input_tokens: int | None = None
    """Tokens it is expected to read; None: estimated."""
    output_tokens: int | None = None
    """Tokens it is expected to write; None: estimated."""
    max_seconds: float | None = None
    """The longest one attempt may take; None: the slot's own limit."""
    max_attempts: int | None = None
    """How often it may be tried; None: the slot's own budget."""
    stake: float = 0.0
    """What a wrong result would cost, on any scale; from a merge's threshold on, conflicts are graded."""
    merge: Mapping[str, Any] | None = None
    """A merge schema: the task is done by code, which joins the results it waits for."""
    returns: Mapping[str, Any] | None = None
    """The JSON Schema of its result; None: any object."""
    outcome: Mapping[str, Any] | None = None
    """What a good result is (`task_outcome`); None: what the plan says of all tasks."""

    def as_json(self) -> dict[str, Any]:
        """Return the task as the log keeps it; what is not said is left out."""
        always = {
            "id": self.id,
            "title": self.title,
            "sections": list(self.sections),
            "depends_on": list(self.depends_on),
            "needs": list(self.needs),
            "inputs": self.inputs,
            "on_failure": str(self.on_failure),
        }
        return always | {name: _plain(getattr(self, name)) for name in _SPARSE if getattr(self, name)}


_SPARSE: Final = (
    "type", "prompt", "parts", "writes", "input_tokens", "output_tokens", "max_seconds", "max_attempts",
    "stake", "merge", "returns", "outcome",
)  # fmt: skip


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return list(value)
    return dict(value) if isinstance(value, Mapping) else value


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Tasks towards one goal; `validate` says whether it can be run."""

    id: str
    goal: str
    tasks: tuple[Task, ...]
    outcome: Mapping[str, Any] | None = None
    """What a good result is of every task that does not say so itself; None: whatever fits its schema."""
    _by_id: dict[str, Task] = field(init=False, repr=False, compare=False, default_factory=dict)
    _places: dict[str, int] = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        """Index the tasks: a large plan is asked for them by id all the time."""
        self._by_id.update((task.id, task) for task in self.tasks)
        self._places.update((task.id, place) for place, task in enumerate(self.tasks))

    def task(self, task_id: str) -> Task:
        """Return the task with this id."""
        return self._by_id[task_id]

    def place(self, task_id: str) -> int:
        """Return which of the tasks this is, counted from 0."""
        return self._places[task_id]


def outcome_of(plan: Plan, task: Task) -> TaskOutcome | None:
    """Return what the task's result is held to; None: to its schema only.

    What the plan says of all tasks does not hold for those done by code: nobody could mend their results.
    """
    declared = task.outcome or (plan.outcome if task.merge is None else None)
    return None if declared is None else parse_outcome(declared, name=f"task {task.id!r}, outcome")


def _unknown_dependency(plan: Plan) -> tuple[str, str] | None:
    known = {task.id for task in plan.tasks}
    pairs = ((task.id, needed) for task in plan.tasks for needed in task.depends_on)
    return next(((task_id, needed) for task_id, needed in pairs if needed not in known), None)


def validate(plan: Plan) -> None:
    """Refuse a plan that cannot be run, by name.

    Raises:
        Malformed: two tasks share an id, a dependency does not exist, tasks wait for one another, or
            a write set, a merge schema, a result's schema or an outcome cannot be read.
    """
    twice = next((task_id for task_id, n in Counter(task.id for task in plan.tasks).items() if n > 1), None)
    if twice is not None:
        raise Malformed(f"plan: two tasks are called {twice!r}; give each task its own id", field=twice)
    if (unknown := _unknown_dependency(plan)) is not None:
        raise Malformed(
            f"plan: task {unknown[0]!r} depends on {unknown[1]!r}, which does not exist", field=unknown[0]
        )
    layers(plan)
    if plan.outcome is not None:
        parse_outcome(plan.outcome, name="plan: outcome")
    for task in plan.tasks:
        _check_declarations(task)


def _check_declarations(task: Task) -> None:
    try:
        for resource in task.writes:
            parse_resource(resource)
        if task.merge is not None:
            parse_merge(task.merge)
        if task.returns is not None:
            _check_returns(json.dumps(task.returns))
        if task.outcome is not None:
            parse_outcome(task.outcome)
    except Malformed as error:
        raise Malformed(f"plan: task {task.id!r}: {error.message}", field=task.id) from error


@lru_cache(maxsize=1024)
def _check_returns(schema: str) -> None:
    try:
        parse_schema(json.loads(schema))
    except BadSchema as error:
        raise Malformed(f"returns: {error.problem}") from error


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
