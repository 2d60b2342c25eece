from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from nightschool.core.errors import NotFound
from nightschool.experiments.arms import known_arms, load_arm
from nightschool.experiments.plan_trials import plan_setup_of
from nightschool.experiments.probes import gaming_probes, probe_suite
from nightschool.experiments.suite import load_suite
from nightschool.models.simulated_worker import right_value
from nightschool.orchestration.divide import divide
from nightschool.orchestration.plan_file import plan_from_json

ROOT = Path(__file__).parents[4]
SUITE = load_suite("orchestration", [ROOT / "evals"])
IDS = [sample.id for sample in SUITE.module.samples(SUITE.config)]


@pytest.mark.parametrize("sample", IDS)
def test_every_sample_is_a_plan_that_can_be_run_and_is_drawn_the_same_again(sample: str) -> None:
    drawn = SUITE.module.draw(sample, 0, 3)

    plan = plan_from_json(json.loads(drawn.document)["plan"], plan_id="plan_x")
    assert (1 if sample.startswith("divided") else 8) == len(plan.tasks)
    assert drawn == SUITE.module.draw(sample, 0, 3)
    assert drawn.document != SUITE.module.draw(sample, 1, 3).document


def test_a_sample_that_is_not_there_is_named() -> None:
    with pytest.raises(NotFound, match="no sample calm-round"):
        SUITE.module.draw("calm-round", 0, 0)


def test_the_truth_is_no_part_of_the_document() -> None:
    drawn: Any = SUITE.module.draw("calm-deep", 0, 0)

    assert str(drawn.gold["t7"]) not in drawn.document


def test_right_results_are_right_and_wrong_ones_are_not() -> None:
    drawn: Any = SUITE.module.draw("calm-wide", 0, 0)
    for value, expected in ((drawn.gold["t7"], 1.0), (drawn.gold["t7"] + 1, 0.0)):
        answer: dict[str, Any] = {"results": {"t7": {"value": value}}}
        assert expected == SUITE.module.score(drawn.gold, answer, drawn.document).accuracy


def test_no_shortcut_passes() -> None:
    assert () == gaming_probes(probe_suite(SUITE, IDS))


def test_a_broken_promise_is_seen() -> None:
    drawn: Any = SUITE.module.draw("calm-wide", 0, 0)
    first: dict[str, Any] = {
        "status": "failed", "on_failure": "critical", "depends_on": [], "is_joined": False,
        "is_fallback": False, "error": "model_error", "value": None, "attempts": 2,
    }  # fmt: skip
    after = {**first, "status": "done", "on_failure": "best_effort", "depends_on": ["t0"], "error": None}

    def promised(**tasks: dict[str, Any]) -> float:
        answer = {"results": {}, "tasks": tasks, "failed": {"t0": "why"}}
        return SUITE.module.score(drawn.gold, answer, drawn.document).metrics["promises_kept"]

    assert 1.0 == promised(t0=first)
    assert 0.5 == promised(t0=first, t1=after)
    assert 0.0 == promised(t0={**first, "on_failure": "retry"})


@pytest.mark.parametrize("name", known_arms([ROOT / "evals" / "orchestration" / "arms"]))
def test_every_arm_of_the_suite_can_be_loaded(name: str) -> None:
    folder = ROOT / "evals" / "orchestration"
    setup = plan_setup_of(load_arm(name, [folder / "arms"], agent_folders=[folder]))

    names = {"quick"} if name == "divided" else {"quick", "careful"}
    assert names == {agent.name for agent in setup.agents}


@pytest.mark.parametrize("agents", [1, 5, 32])
def test_whoever_puts_the_pieces_together_can_come_to_the_right_sum(agents: int) -> None:
    drawn: Any = SUITE.module.draw("divided-long-1", 0, 0)
    plan = divide(plan_from_json(json.loads(drawn.document)["plan"], plan_id="plan_x"), agents)
    found: dict[str, int] = {}
    for task in plan.tasks:
        told = [f'Result of {each}: {{"value": {found[each]}}}' for each in task.depends_on]
        found[task.id] = right_value("\n\n".join((task.prompt, *task.parts, *told)))

    assert drawn.gold["t0"] == found["t0"]
