from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from nightschool.core.errors import Malformed
from nightschool.experiments.arms import Arm, load_arm
from nightschool.experiments.plan_trials import plan_setup_of
from nightschool.experiments.reviews import setup_of
from nightschool.experiments.variants import recipe_of, vary
from nightschool.orchestration.agent_choice import ChoicePolicy
from nightschool.orchestration.plan import OnFailure
from nightschool.orchestration.pools import Pool

POOL: dict[str, Any] = {
    "policy": "cascade",
    "fallback": "careful",
    "on_failure": "retry",
    "max_reruns": 1,
    "pool_static": 2,
    "pool_dynamic": 3,
    "pool_ttl_seconds": 5,
}


def _arm(folder: Path, routing: str = "orchestrated", second: str = "careful", **settings: Any) -> Arm:
    for name, file in (("quick", "a.md"), (second, "b.md")):
        text = f"---\nname: {name}\ntools: [submit_findings]\n---\nYou are {file}.\n"
        (folder / file).write_text(text, encoding="utf-8")
    lines = ["title: t", "description: d", f"routing: {routing}", "agents: {task: a.md, other: b.md}"]
    (folder / "pool.yaml").write_text("\n".join([*lines, f"settings: {settings}"]), encoding="utf-8")
    return load_arm("pool", [folder])


def test_an_arm_says_who_is_chosen_who_is_kept_ready_and_what_follows_a_failure(tmp_path: Path) -> None:
    setup = setup_of(_arm(tmp_path, **POOL))

    assert (ChoicePolicy.CASCADE, "careful", OnFailure.RETRY) == (
        setup.policy,
        setup.fallback,
        setup.on_failure,
    )
    assert Pool(static=2, dynamic=3, ttl_seconds=5.0) == setup.pool
    assert 1 == setup.slots.max_reruns
    assert {"quick", "careful"} == {agent.name for agent in setup.agents.values()}


def test_an_arm_for_plans_takes_the_same_settings(tmp_path: Path) -> None:
    setup = plan_setup_of(_arm(tmp_path, "centralized", **POOL))

    assert (ChoicePolicy.CASCADE, OnFailure.RETRY, Pool(static=2, dynamic=3, ttl_seconds=5.0)) == (
        setup.policy,
        setup.on_failure,
        setup.pool,
    )


def test_an_arm_that_says_nothing_takes_the_cheapest_and_sends_nothing_to_another_agent(
    tmp_path: Path,
) -> None:
    setup = setup_of(_arm(tmp_path))

    assert (ChoicePolicy.CAPABILITY, OnFailure.BEST_EFFORT, 0) == (
        setup.policy,
        setup.on_failure,
        setup.slots.max_reruns,
    )
    assert Pool(static=0, dynamic=20) == setup.pool
    assert plan_setup_of(_arm(tmp_path, "centralized")).on_failure is None


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"policy": "best"}, "unknown: `best`; there are: capability"),
        ({"policy": 3}, "must be a name"),
        ({"on_failure": "panic"}, "unknown: `panic`; there are: best_effort"),
        ({"fallback": "ghost"}, "no agent of this arm is called `ghost`"),
        ({"pool_static": -1}, "must be a number, 0 or more"),
        ({"pool_static": 0, "pool_dynamic": 0}, "nobody may work"),
        ({"max_attempts": 0}, "must be a number above 0"),
        ({"second": "quick"}, "two agents are called `quick`"),
    ],
)
@pytest.mark.parametrize("routing", ["orchestrated", "centralized"])
def test_what_cannot_be_meant_is_refused_with_its_place(
    tmp_path: Path, routing: str, settings: dict[str, Any], said: str
) -> None:
    arm = _arm(tmp_path, routing, **settings)
    with pytest.raises(Malformed, match=said):
        setup_of(arm) if routing == "orchestrated" else plan_setup_of(arm)


def test_policies_and_strategies_are_factors_of_an_experiment(tmp_path: Path) -> None:
    factors = {"policy": ["capability", "learned"], "on_failure": ["critical"]}
    cell = {"policy": "learned", "on_failure": "critical"}

    arm = vary(_arm(tmp_path), recipe_of(cell, factors, base="pool"), "learned-critical")

    setup = setup_of(arm)
    assert (ChoicePolicy.LEARNED, OnFailure.CRITICAL) == (setup.policy, setup.on_failure)
