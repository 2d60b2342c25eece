"""Which tasks must not be at work together because they change the same thing: pure.

Tasks of which one waits for the other are never at work together anyway and are left out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from operator import or_

from nightschool.orchestration.plan import Plan
from nightschool.orchestration.resources import overlaps, stem
from nightschool.orchestration.shape import ancestors, descendants, named

__all__ = ["Conflicts", "conflicts", "serial_queues"]


@dataclass(frozen=True, slots=True, eq=False)
class Conflicts(Mapping[str, frozenset[str]]):
    """For each task that has any, the tasks it must not be at work together with."""

    plan: Plan
    bits: Mapping[str, int]
    """The same as sets of `shape.named`: ten thousand tasks that write one table have fifty million pairs."""

    def __getitem__(self, task_id: str) -> frozenset[str]:
        """Return the tasks that this one must not be at work together with."""
        return frozenset(named(self.plan, self.bits[task_id]))

    def __iter__(self) -> Iterator[str]:
        """Go through the tasks that have any, in the plan's order."""
        return iter(self.bits)

    def __len__(self) -> int:
        """Return how many tasks have any."""
        return len(self.bits)

    def forbid(self, task_id: str, at_work: Collection[str]) -> bool:
        """Return whether a task must wait for one of those at work."""
        own = self.bits.get(task_id, 0)
        return bool(own) and any(own >> self.plan.place(other) & 1 for other in at_work)


def conflicts(plan: Plan) -> Conflicts:
    """Return which tasks must not be at work together."""
    same = _writers_of_the_same(plan)
    if not same:
        return Conflicts(plan, {})
    earlier, later = ancestors(plan), descendants(plan)
    found: dict[str, int] = {}
    for place, task in enumerate(plan.tasks):
        others = reduce(or_, (same[each] for each in task.writes), 0)
        others &= ~(earlier[task.id] | later[task.id] | 1 << place)
        if others:
            found[task.id] = others
    return Conflicts(plan, found)


def _writers_of_the_same(plan: Plan) -> dict[str, int]:
    """Return for each name in a write set the tasks that write something that it means."""
    writers: dict[str, int] = {}
    for place, task in enumerate(plan.tasks):
        for each in task.writes:
            writers[each] = writers.get(each, 0) | 1 << place
    found, by_stem = dict(writers), dict[tuple[str, ...], list[str]]()
    for each in writers:
        by_stem.setdefault(stem(each), []).append(each)
    for each, own in writers.items():
        # Names that meet begin alike as far as both are plain; a pair is found from the longer beginning.
        beginning = stem(each)
        for length in range(len(beginning) + 1):
            for other in by_stem.get(beginning[:length], ()):
                if overlaps(each, other):
                    found[each] |= writers[other]
                    found[other] |= own
    return found


def serial_queues(found: Conflicts) -> tuple[tuple[str, ...], ...]:
    """Return the queues that conflicts make: tasks linked by them, directly or over others, sorted by id."""
    queues: list[tuple[str, ...]] = []
    seen: set[str] = set()
    for start in sorted(found):
        if start in seen:
            continue
        queue, frontier = 0, 1 << found.plan.place(start)
        while frontier:
            queue |= frontier
            linked = (found.bits[task_id] for task_id in named(found.plan, frontier))
            frontier = reduce(or_, linked, 0) & ~queue
        members = named(found.plan, queue)
        seen.update(members)
        queues.append(tuple(sorted(members)))
    return tuple(queues)
