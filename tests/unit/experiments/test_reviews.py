from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from nightschool.core.errors import Malformed
from nightschool.experiments.arms import Arm, load_arm
from nightschool.experiments.reviews import refuse_what_cannot_grade, setup_of

EVALS = Path(__file__).resolve().parents[3] / "evals"


@pytest.fixture
def single() -> Arm:
    return load_arm("single", [EVALS / "arms"], agent_folders=[EVALS / "contracts"])


@pytest.mark.parametrize("brain", ["reader", "simulated"])
def test_a_brain_without_judgement_cannot_be_a_grader(single: Arm, brain: str) -> None:
    arm = replace(single, settings={"graders": 1})

    with pytest.raises(Malformed, match=f"`{brain}` cannot grade"):
        refuse_what_cannot_grade(arm, setup_of(arm), brain)


def test_any_other_brain_may_grade_and_no_grader_needs_judgement(single: Arm) -> None:
    arm = replace(single, settings={"graders": 2})

    assert 2 == setup_of(arm).graders
    refuse_what_cannot_grade(arm, setup_of(arm), "claude-opus")
    refuse_what_cannot_grade(single, setup_of(single), "reader")


def test_the_pointed_look_points_from_its_strength_on() -> None:
    arm = load_arm("single-pointed-look", [EVALS / "arms"], agent_folders=[EVALS / "contracts"])

    assert (1, 1.3) == (setup_of(arm).second_looks, setup_of(arm).point_from)


@pytest.mark.parametrize(
    ("arm", "by", "message"),
    [("single", "task", "single has no tasks"), ("orchestrated", "page", "there are: document, task")],
)
def test_memories_by_task_are_for_plans(arm: str, by: str, message: str) -> None:
    loaded = load_arm(arm, [EVALS / "arms"], agent_folders=[EVALS / "contracts"])

    with pytest.raises(Malformed, match=message):
        setup_of(replace(loaded, settings={"recall_by": by}))


def test_memories_are_recalled_by_the_document_unless_an_arm_says_by_the_task() -> None:
    loaded = load_arm("orchestrated", [EVALS / "arms"], agent_folders=[EVALS / "contracts"])

    assert not setup_of(loaded).recalls_by_task
    assert setup_of(replace(loaded, settings={"recall_by": "task"})).recalls_by_task
