"""What the orchestrator decides when two tasks keep coming in each other's way: values and the plain rule."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

__all__ = ["Mediate", "Mediation", "Ruling", "mediate_by_rule", "three_way"]

_ABSENT: Final = object()


@dataclass(frozen=True, slots=True, kw_only=True)
class Mediation:
    """One case: both versions and what they grew from."""

    resource: str
    task_id: str
    base: Any
    """What the task had read when it decided."""
    present: Any
    """What is there now, written by others."""
    proposed: Any
    """What the task wants to write."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """What is to be written, and why."""

    value: Any
    note: str


Mediate = Callable[[Mediation], Awaitable[Ruling]]


def three_way(base: Any, present: Any, proposed: Any) -> tuple[Any, list[str]]:
    """Join two versions by what each changed of the base; return the value and the fields both changed.

    Of a field that both changed the proposal's value is kept. Values that are not objects are one field.
    """
    if not all(isinstance(each, Mapping) for each in (base or {}, present, proposed)):
        clash = present not in (base, proposed)
        return proposed, ["value"] if clash else []
    before: Mapping[str, Any] = base or {}
    joined, clashes = dict(present), []
    for name in (*proposed, *(each for each in before if each not in proposed)):
        old, ours, theirs = (each.get(name, _ABSENT) for each in (before, proposed, present))
        if ours in (old, theirs):
            continue
        if theirs != old:
            clashes.append(name)
        if ours is _ABSENT:
            joined.pop(name, None)
        else:
            joined[name] = ours
    return joined, clashes


async def mediate_by_rule(case: Mediation) -> Ruling:
    """Decide without a model: what either side changed is kept; where both did, the waiting task's value."""
    value, clashes = three_way(case.base, case.present, case.proposed)
    both = f"both changed {', '.join(clashes)}; {case.task_id} prevails" if clashes else "no field clashed"
    return Ruling(value=value, note=both)
