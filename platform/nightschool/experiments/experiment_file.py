"""An experiment as a file, so that it can be reviewed before it costs anything.

    # experiment.yaml
    question: Does a pool find more than one agent, and does its width matter?
    suite: contracts
    factors:
      routing: [single, orchestrated]
    repeats: 3
    smallest_effect: 0.03
    budget: {usd: 20, trial_seconds: 600}

Knows nothing about running: it reads what is declared and says what is wrong with it, by line.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from nightschool.core.errors import InvalidInput, NotFound
from nightschool.experiments.launch import Request
from nightschool.experiments.variants import Recipe, all_cells, recipe_of
from nightschool.experiments.yaml_file import fail_at, read_yaml
from nightschool.outcomes.tiers import Tier

__all__ = ["read_experiment"]

Text = Annotated[str, Field(min_length=1)]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class _Budget(BaseModel):
    model_config = ConfigDict(extra="forbid")

    usd: Positive | None = None
    tokens: Positive | None = None
    seconds: Positive | None = None
    grading_reserve: float = Field(default=0.0, ge=0, lt=1)
    """The share of each cap that trials leave for grading."""
    trial_seconds: Positive | None = None
    trial_tokens: Positive | None = None
    trial_usd: Positive | None = None


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid")

    question: str = ""
    suite: Text
    brain: Text = "reader"
    arms: list[Text] = []
    arm: Text | None = None
    """The base arm of the cells, where no factor names one."""
    factors: dict[Text, list[str | int] | dict[str, dict[str, Any]]] = {}
    cells: Literal["full"] | dict[Text, dict[str, str | int]] = "full"
    samples: list[Text] = []
    repeats: int = Field(default=2, ge=1, le=10_000)
    seed: int = 0
    tier: Tier | None = None
    tier_use: Literal["regrade", "loop"] = "regrade"
    primary_metric: Text | None = None
    family: list[tuple[Text, Text]] | None = None
    """Pairs of treatment and baseline; every arm with the first unless given."""
    alpha: float = Field(default=0.05, gt=0, lt=1)
    smallest_effect: Positive | None = None
    stop_rule: Literal["fixed", "sequence"] = "fixed"
    budget: _Budget | None = None


def read_experiment(path: Path) -> Request:
    """Read a declaration.

    Raises:
        NotFound: there is no such file.
        Malformed: a field is missing, unknown, wrong or contradicts another; names file, line and field.
    """
    if not path.is_file():
        raise NotFound(f"there is no file {path}", path=str(path))
    declared = read_yaml(path, _File)
    if bool(declared.arms) == bool(declared.factors):
        fail_at(path, ("factors",), "give either `arms` or `factors`")
    cells, recipes = _cells(path, declared)
    arms = tuple(declared.arms or recipes)
    fields: dict[str, Any] = {
        "question": declared.question,
        "factors": {name: [str(level) for level in levels] for name, levels in declared.factors.items()},
        "cells": cells,
        "alpha": declared.alpha,
        "smallest_effect": declared.smallest_effect,
        "stop_rule": "sequence" if declared.stop_rule == "sequence" else None,
        "tier_use": declared.tier_use,
        "budget": {} if declared.budget is None else declared.budget.model_dump(exclude_defaults=True),
    }
    if declared.primary_metric is not None:
        fields["primary_metric"] = declared.primary_metric
    _refuse_doubled_arms(path, declared.arms)
    if declared.family is not None:
        _refuse_no_comparison(path, declared.family, arms)
        fields["family"] = [{"treatment": ours, "baseline": theirs} for ours, theirs in declared.family]
    return Request(
        suite=declared.suite,
        arms=arms,
        brain=declared.brain,
        repeats=declared.repeats,
        samples=tuple(declared.samples),
        seed=declared.seed,
        tier=None if declared.tier is None else str(declared.tier),
        declared=fields,
        recipes=recipes,
    )


def _refuse_doubled_arms(path: Path, arms: Sequence[str]) -> None:
    for index, name in enumerate(arms):
        if name in arms[:index]:
            fail_at(
                path, ("arms", index), f"`{name}` is given twice; an arm is compared with others, not itself"
            )


def _refuse_no_comparison(path: Path, family: Sequence[tuple[str, str]], arms: Sequence[str]) -> None:
    for index, pair in enumerate(family):
        for name in pair:
            if name not in arms:
                fail_at(path, ("family", index), f"`{name}` is none of the arms ({', '.join(arms)})")
        if pair[0] == pair[1]:
            fail_at(path, ("family", index), f"`{pair[0]}` is compared with itself")
        if pair in family[:index]:
            fail_at(path, ("family", index), f"{' − '.join(pair)} is given twice")


def _cells(path: Path, declared: _File) -> tuple[dict[str, dict[str, str]], dict[str, Recipe]]:
    if not declared.factors:
        return {}, {}
    for name, levels in declared.factors.items():
        texts = [str(level) for level in levels]
        if not texts:
            fail_at(path, ("factors", name), "needs at least one level, the one to compare with first")
        if len(set(texts)) < len(texts):
            fail_at(path, ("factors", name), "a level is given twice")
    if declared.cells == "full":
        named = {"-".join(cell.values()): cell for cell in all_cells(declared.factors)}
    else:
        named = {
            name: {factor: str(level) for factor, level in cell.items()}
            for name, cell in declared.cells.items()
        }
    for name, cell in named.items():
        if cell.keys() != declared.factors.keys():
            fail_at(path, ("cells", name), f"needs a level of each of {', '.join(declared.factors)}")
    try:
        made = {name: recipe_of(cell, declared.factors, base=declared.arm) for name, cell in named.items()}
    except InvalidInput as error:
        fail_at(path, ("factors",), error.message)
    return named, made
