"""Five ways to put agents to work on one plan, as plans: pure.

The five canonical ones of "Towards a Science of Scaling Agent Systems" (arXiv 2512.08296):

    single         one agent does all tasks, one after another
    independent    several agents each do all of it, none sees another's work, the surest answer stands
    centralized    an orchestrator hands out the plan's tasks and checks every result
    decentralized  peers do each task, exchange what they found, and do it again knowing it
    hybrid         peers exchange, and the orchestrator checks

Each is a plan that the same scheduler runs. Knows nothing about what the tasks are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final, assert_never

from nightschool.orchestration.plan import OnFailure, Plan, Task, layers, validate

__all__ = ["Arrangement", "Topology", "arrange"]

_JOIN: Final = {"strategy": "join"}


class Topology(StrEnum):
    """Who speaks to whom."""

    SINGLE = "single"
    INDEPENDENT = "independent"
    CENTRALIZED = "centralized"
    DECENTRALIZED = "decentralized"
    HYBRID = "hybrid"

    @property
    def is_checked(self) -> bool:
        """Whether an orchestrator checks results."""
        return self in (Topology.CENTRALIZED, Topology.HYBRID)


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrangement:
    """A plan arranged for a topology."""

    topology: Topology
    plan: Plan
    seats: Mapping[str, str]
    """Task to the agent's seat; tasks of one seat are one agent's, and nothing between them is a message."""


def arrange(plan: Plan, topology: Topology, *, peers: int = 3, exchange: str = "") -> Arrangement:
    """Return the plan arranged for a topology.

    Args:
        plan: a valid plan without tasks for code.
        topology: who speaks to whom.
        peers: agents of `independent`, and peers of each task where they exchange.
        exchange: the words by which a peer is asked to consider what the others found.
    """
    match topology:
        case Topology.SINGLE:
            tasks, seats = _chain(plan, ""), dict.fromkeys((task.id for task in plan.tasks), "one")
        case Topology.INDEPENDENT:
            tasks, seats = _independent(plan, peers)
        case Topology.CENTRALIZED:
            tasks, seats = list(plan.tasks), {task.id: task.id for task in plan.tasks}
        case Topology.DECENTRALIZED | Topology.HYBRID:
            tasks, seats = _exchanging(plan, peers, exchange)
        case _:
            assert_never(topology)
    arranged = replace(plan, id=f"{plan.id}-{topology}", tasks=tuple(tasks))
    validate(arranged)
    return Arrangement(topology=topology, plan=arranged, seats=seats)


def _chain(plan: Plan, mark: str) -> list[Task]:
    """Return the tasks one after another, their names marked."""
    chained: list[Task] = []
    for task_id in (each for layer in layers(plan) for each in layer):
        task = plan.task(task_id)
        before = (chained[-1].id,) if chained else ()
        needed = tuple(f"{each}{mark}" for each in task.depends_on)
        chained.append(replace(task, id=f"{task_id}{mark}", depends_on=tuple(dict.fromkeys(needed + before))))
    return chained


def _independent(plan: Plan, peers: int) -> tuple[list[Task], dict[str, str]]:
    tasks: list[Task] = []
    seats: dict[str, str] = {}
    needed = {each for task in plan.tasks for each in task.depends_on}
    for number in range(1, peers + 1):
        # Where copies are joined, one that fails must not take the others with it.
        last = {f"{task.id}@{number}" for task in plan.tasks if task.id not in needed}
        chain = [
            replace(
                task,
                prompt=_numbered(task, number, peers),
                on_failure=OnFailure.BEST_EFFORT if task.id in last else task.on_failure,
            )
            for task in _chain(plan, f"@{number}")
        ]
        tasks += chain
        seats |= dict.fromkeys((task.id for task in chain), str(number))
    for task in plan.tasks:
        if task.id not in needed:
            copies = tuple(f"{task.id}@{number}" for number in range(1, peers + 1))
            tasks.append(_joined(task, copies))
            seats[task.id] = "aggregator"
    return tasks, seats


def _exchanging(plan: Plan, peers: int, exchange: str) -> tuple[list[Task], dict[str, str]]:
    tasks: list[Task] = []
    seats: dict[str, str] = {}
    for task in plan.tasks:
        # Where copies are joined, one that fails must not take the others with it.
        copy = replace(task, on_failure=OnFailure.BEST_EFFORT)
        first = [
            replace(copy, id=f"{task.id}~{number}", prompt=_numbered(task, number, peers))
            for number in range(1, peers + 1)
        ]
        found = tuple(each.id for each in first)
        second = [
            replace(
                each,
                id=f"{each.id}~2",
                depends_on=(*task.depends_on, *found),
                prompt="\n\n".join(part for part in (each.prompt, exchange) if part),
            )
            for each in first
        ]
        tasks += [*first, *second, _joined(task, tuple(each.id for each in second))]
        seats |= {each.id: each.id for each in first}
        seats |= {each.id: before.id for each, before in zip(second, first, strict=True)}
        seats[task.id] = "aggregator"
    return tasks, seats


def _numbered(task: Task, number: int, peers: int) -> str:
    """Return the task's words for one of several who do it: each knows which one it is."""
    return f"You are number {number} of {peers} who do this.\n\n{task.prompt or task.title}"


def _joined(task: Task, copies: tuple[str, ...]) -> Task:
    return Task(
        id=task.id,
        title=task.title,
        depends_on=copies,
        merge=_JOIN,
        on_failure=task.on_failure,
        stake=task.stake,
        type=task.type,
    )
