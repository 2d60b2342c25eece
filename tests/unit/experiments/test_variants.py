from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from nightschool.core.errors import InvalidInput
from nightschool.experiments.arms import Arm, Routing
from nightschool.experiments.variants import Recipe, all_cells, recipe_of, vary

FACTORS: dict[str, Any] = {
    "routing": ["single", "pool"],
    "width": [5, 20],
    "looks": {"one": {}, "two": {"settings": {"second_looks": 1}}},
}


def arm() -> Arm:
    return Arm(
        name="pool",
        title="Pool",
        description="A pool.",
        routing=Routing.ORCHESTRATED,
        agents={},
        context_limit_tokens=None,
        max_parallel_agents=20,
        max_iterations=3,
        settings={"max_tasks": 4},
        definition_hash="base",
        path=Path("pool.yaml"),
    )


def test_every_combination_is_a_cell_and_the_first_levels_are_the_baseline() -> None:
    cells = all_cells(FACTORS)
    assert 8 == len({tuple(cell.values()) for cell in cells})
    assert {"routing": "single", "width": "5", "looks": "one"} == cells[0]


def test_a_cell_says_what_it_changes_in_which_arm() -> None:
    made = recipe_of({"routing": "pool", "width": "20", "looks": "two"}, FACTORS, base=None)
    assert Recipe(arm="pool", changes={"max_parallel_agents": 20, "settings": {"second_looks": 1}}) == made


def test_a_brain_may_be_a_factor() -> None:
    made = recipe_of({"brain": "reader"}, {"brain": ["reader", "simulated"]}, base="single")
    assert ("single", "reader") == (made.arm, made.brain)


def test_a_varied_arm_has_a_hash_of_its_own_and_an_unchanged_one_keeps_it() -> None:
    changed = vary(
        arm(), Recipe(arm="pool", changes={"settings": {"second_looks": 1}, "max_parallel_agents": 5}), "x"
    )
    assert ({"max_tasks": 4, "second_looks": 1}, 5, "x") == (
        changed.settings,
        changed.max_parallel_agents,
        changed.name,
    )
    assert "base" != changed.definition_hash
    assert "base" == vary(arm(), Recipe(arm="pool"), "y").definition_hash


@pytest.mark.parametrize(
    ("cell", "factors", "reason"),
    [
        ({"width": "7"}, {"width": [5, 20]}, "no level `7`"),
        ({"mood": "good"}, {"mood": ["good"]}, "say what each level changes"),
        ({"looks": "x"}, {"looks": {"one": {}}}, "no level `x`"),
        ({"looks": "one"}, {"looks": {"one": {"title": "T"}}}, "cannot change `title`"),
        ({"width": "wide"}, {"width": ["wide"]}, "whole number"),
        ({"width": "5", "w": "a"}, {"width": [5], "w": {"a": {"max_parallel_agents": 3}}}, "another factor"),
        (
            {"a": "x", "b": "y"},
            {"a": {"x": {"settings": {"n": 1}}}, "b": {"y": {"settings": {"n": 2}}}},
            "setting `n`",
        ),
    ],
)
def test_what_cannot_be_made_is_refused_by_name(
    cell: dict[str, str], factors: dict[str, Any], reason: str
) -> None:
    with pytest.raises(InvalidInput, match=reason):
        recipe_of(cell, factors, base="single")


def test_without_a_base_nothing_can_be_changed() -> None:
    with pytest.raises(InvalidInput, match="base arm"):
        recipe_of({"width": "5"}, {"width": [5, 20]}, base=None)


def test_memory_may_be_a_factor_and_none_where_there_was_none_is_the_arm_itself() -> None:
    factors: dict[str, Any] = {"memory": ["none", "house"]}
    without = recipe_of({"memory": "none"}, factors, base="pool")
    having = recipe_of({"memory": "house"}, factors, base="pool")

    assert ("base", None) == (vary(arm(), without, "x").definition_hash, vary(arm(), without, "x").memory)
    assert "house" == vary(arm(), having, "x").memory
    assert "base" != vary(arm(), having, "x").definition_hash


@pytest.mark.parametrize("changes", [{"memory": 3}, {"memory": ""}, {"top_k": 0}, {"top_k": "many"}])
def test_a_level_that_names_no_store_or_number_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match=r"cell `x`: (memory|top_k)"):
        vary(arm(), Recipe(arm="pool", changes=changes), "x")
