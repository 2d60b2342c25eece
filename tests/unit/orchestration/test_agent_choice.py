from __future__ import annotations

import random
from collections import Counter

import pytest

from nightschool.orchestration.agent_choice import ChoicePolicy, Standing, choose, probability_best
from nightschool.registry.agents import AgentFile

CHEAP = AgentFile(name="cheap", system="s", price=1.0)
MIDDLE = AgentFile(name="middle", system="s", price=3.0)
DEAR = AgentFile(name="dear", system="s", price=9.0)
ALL = [DEAR, CHEAP, MIDDLE]


def _chosen(policy: ChoicePolicy, **standing: object) -> str:
    known = Standing(**standing)  # type: ignore[arg-type]  # each test gives what its policy looks at
    return choose(policy, ALL, known, random.Random(0)).agent.name


def test_capability_takes_the_cheapest() -> None:
    assert "cheap" == _chosen(ChoicePolicy.CAPABILITY)


def test_a_listed_model_has_its_list_price_and_an_unknown_one_is_dear() -> None:
    free = AgentFile(name="free", system="s", model="reader")
    unknown = AgentFile(name="unknown", system="s", model="who-knows")

    assert free is choose(ChoicePolicy.CAPABILITY, [CHEAP, unknown, free], Standing(), random.Random(0)).agent


def test_round_robin_takes_one_after_another() -> None:
    assert ["dear", "cheap", "middle", "dear"] == [
        _chosen(ChoicePolicy.ROUND_ROBIN, given=given) for given in range(4)
    ]


def test_least_loaded_takes_who_has_the_least_to_do() -> None:
    assert "middle" == _chosen(ChoicePolicy.LEAST_LOADED, at_work={"cheap": 2, "dear": 1})


def test_cascade_climbs_to_dearer_agents_and_stays_at_the_top() -> None:
    assert ["cheap", "middle", "dear", "dear"] == [
        _chosen(ChoicePolicy.CASCADE, tried=tried)
        for tried in ((), ("cheap",), ("cheap", "middle"), ("cheap", "middle", "dear"))
    ]


@pytest.mark.parametrize("policy", ChoicePolicy)
def test_who_took_too_long_is_not_taken_again_while_there_are_others(policy: ChoicePolicy) -> None:
    assert "cheap" != _chosen(policy, timed_out=("cheap",))
    assert _chosen(policy, timed_out=("cheap", "middle", "dear"))


def test_nothing_known_means_every_agent_is_as_probable() -> None:
    chances = probability_best({"a": (0, 0), "b": (0, 0), "c": (0, 0)})

    assert [1 / 3] * 3 == pytest.approx(list(chances.values()), abs=1e-3)


def test_the_probability_to_be_best_agrees_with_drawing_it_out() -> None:
    """Thompson sampling, drawn 20,000 times, comes to what the integral says."""
    known = {"a": (8, 2), "b": (5, 5), "c": (1, 0)}
    rng = random.Random(1)
    draws = Counter(
        max(known, key=lambda name: rng.betavariate(1 + known[name][0], 1 + known[name][1]))
        for _ in range(20_000)
    )

    chances = probability_best(known)

    assert {name: draws[name] / 20_000 for name in known} == pytest.approx(chances, abs=0.015)


def test_learned_mostly_takes_who_did_well() -> None:
    known = Standing(verdicts={"cheap": (1, 9), "middle": (9, 1), "dear": (5, 5)})
    rng = random.Random(0)

    taken = Counter(choose(ChoicePolicy.LEARNED, ALL, known, rng).agent.name for _ in range(200))

    assert taken["middle"] > 150
