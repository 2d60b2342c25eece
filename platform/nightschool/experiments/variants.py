"""Cells of a factorial design as arms: a base arm with what the levels of the factors change in it.

    factors:
      routing: [single, orchestrated]         a level is the name of an arm
      width: [5, 20]                          max_parallel_agents
      brain: [reader, claude-sonnet-4-5]      the model
      memory: [none, default]                 the memory store; none for no memory
      policy: [capability, cascade]           a setting of the arm; so are on_failure and fallback
      looks: {one: {}, two: {settings: {second_looks: 1}}}

Pure. Knows nothing about what a setting does: an arm that cannot work is refused where it is put together.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from nightschool.core.errors import InvalidInput
from nightschool.experiments.arms import Arm
from nightschool.experiments.design import digest

__all__ = ["CHANGEABLE", "Recipe", "all_cells", "recipe_of", "vary"]

CHANGEABLE: Final = (
    "context_limit_tokens",
    "loop_tier",
    "max_iterations",
    "max_parallel_agents",
    "memory",
    "settings",
    "top_k",
)
"""Fields of an arm that a level may change, beside `arm` (the base) and `brain`."""

_SHORT: Final = {"brain": "brain", "memory": "memory", "routing": "arm", "width": "max_parallel_agents"}
"""Factors whose levels may be given as plain values, and what the value stands for."""

_SETTINGS: Final = ("fallback", "on_failure", "policy")
"""Factors whose levels may be given as plain values and are settings of the arm by that name."""

_NO_MEMORY: Final = "none"
"""The level of `memory` that stands for no store."""

Levels = Sequence[str | int] | Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """How a cell's arm is made."""

    arm: str
    """The base arm's name."""
    brain: str | None = None
    changes: Mapping[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Return it for the manifest."""
        return {"arm": self.arm, "brain": self.brain, "changes": dict(self.changes)}


def all_cells(factors: Mapping[str, Levels]) -> list[dict[str, str]]:
    """Return every combination of levels; the first is the baseline."""
    names = [[str(level) for level in levels] for levels in factors.values()]
    return [dict(zip(factors, chosen, strict=True)) for chosen in itertools.product(*names)]


def recipe_of(cell: Mapping[str, str], factors: Mapping[str, Levels], *, base: str | None) -> Recipe:
    """Return how the arm of a cell is made.

    Args:
        cell: a level of each factor.
        factors: what the levels stand for.
        base: the arm that is changed where no factor names one.

    Raises:
        InvalidInput: a level is unknown, changes what cannot be changed, two factors change one thing, or
            nothing says which arm is meant.
    """
    changes: dict[str, Any] = {}
    for name, level in cell.items():
        for what, value in _meaning(name, level, factors).items():
            if what == "settings":
                changes["settings"] = _merged(changes.get("settings", {}), value, name)
            elif what in changes:
                raise InvalidInput(f"factor `{name}` changes `{what}`, which another factor changes too")
            else:
                changes[what] = value
    arm, brain = changes.pop("arm", base), changes.pop("brain", None)
    if arm is None:
        raise InvalidInput("no factor names an arm (routing does); give the base arm as `arm`")
    return Recipe(arm=str(arm), brain=brain, changes=changes)


def vary(arm: Arm, recipe: Recipe, name: str) -> Arm:
    """Return the base arm with what the cell changes, under a name and a hash of its own.

    Raises:
        InvalidInput: a value that cannot be hashed: only plain JSON values.
    """
    _refuse_no_store(name, recipe.changes)
    # No memory where there was none changes nothing: such a cell is the arm itself.
    is_same = arm.memory is None and recipe.changes.get("memory", "") is None
    changes = {what: value for what, value in recipe.changes.items() if not (is_same and what == "memory")}
    if not changes:
        return replace(arm, name=name)
    settings = {**arm.settings, **changes.get("settings", {})}
    fields = {what: value for what, value in changes.items() if what != "settings"}
    try:
        own = digest([arm.definition_hash, changes])
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"cell `{name}`: only plain JSON values can be settings: {error}") from error
    return replace(arm, name=name, settings=settings, definition_hash=own, **fields)


def _meaning(name: str, level: str, factors: Mapping[str, Levels]) -> Mapping[str, Any]:
    levels = factors[name]
    if isinstance(levels, Mapping):
        meant = levels.get(level)
        if meant is None:
            raise InvalidInput(f"factor `{name}` has no level `{level}`; it has: {', '.join(levels)}")
        unknown = sorted(meant.keys() - {*CHANGEABLE, "arm", "brain"})
        if unknown:
            may = ", ".join(("arm", "brain", *CHANGEABLE))
            raise InvalidInput(f"factor `{name}`, level `{level}`: cannot change `{unknown[0]}`; can: {may}")
        return meant
    if name not in _SHORT and name not in _SETTINGS:
        known = ", ".join(sorted((*_SHORT, *_SETTINGS)))
        raise InvalidInput(f"factor `{name}`: say what each level changes; plain values go for: {known}")
    found = next((value for value in levels if str(value) == level), None)
    if found is None:
        raise InvalidInput(f"factor `{name}` has no level `{level}`; it has: {', '.join(map(str, levels))}")
    if name == "width" and (not isinstance(found, int) or isinstance(found, bool) or found < 1):
        raise InvalidInput(f"factor `width`: a width is a whole number of agents, not {found!r}")
    if name in _SETTINGS:
        return {"settings": {name: found}}
    return {_SHORT[name]: None if name == "memory" and found == _NO_MEMORY else found}


def _refuse_no_store(name: str, changes: Mapping[str, Any]) -> None:
    store, most = changes.get("memory"), changes.get("top_k")
    if store is not None and (not isinstance(store, str) or not store):
        raise InvalidInput(f"cell `{name}`: memory is the name of a store, not {store!r}")
    if most is not None and (not isinstance(most, int) or isinstance(most, bool) or most < 1):
        raise InvalidInput(f"cell `{name}`: top_k is a whole number of memories, not {most!r}")


def _merged(known: Mapping[str, Any], more: Mapping[str, Any], name: str) -> dict[str, Any]:
    twice = sorted(known.keys() & more.keys())
    if twice:
        raise InvalidInput(
            f"factor `{name}` changes the setting `{twice[0]}`, which another factor changes too"
        )
    return {**known, **more}
