from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nightschool.orchestration.plan import OnFailure, Plan, Task
from nightschool.orchestration.shape import ancestors, named, shape_of
from nightschool.orchestration.topology import Topology, arrange
from tests.unit.orchestration.workers import random_plan

PLAN = Plan(
    id="p",
    goal="g",
    tasks=(
        Task(id="a", title="a", prompt="do a"),
        Task(id="b", title="b", on_failure=OnFailure.CRITICAL),
        Task(id="c", title="c", depends_on=("a", "b")),
    ),
)


def test_one_agent_does_all_tasks_one_after_another() -> None:
    single = arrange(PLAN, Topology.SINGLE)

    assert 1 == shape_of(single.plan).width
    assert {"one"} == set(single.seats.values())


def test_independent_agents_see_nothing_of_one_another() -> None:
    independent = arrange(PLAN, Topology.INDEPENDENT, peers=2)

    before = {each: named(independent.plan, bits) for each, bits in ancestors(independent.plan).items()}
    assert {"a@1", "b@1"} == set(before["c@1"])
    assert {"a@2", "b@2"} == set(before["c@2"])
    assert ("c@1", "c@2") == independent.plan.task("c").depends_on
    assert "number 2 of 2" in independent.plan.task("a@2").prompt


def test_an_orchestrator_hands_out_the_plan_as_it_is() -> None:
    assert PLAN.tasks == arrange(PLAN, Topology.CENTRALIZED).plan.tasks
    assert Topology.CENTRALIZED.is_checked
    assert not Topology.DECENTRALIZED.is_checked


@pytest.mark.parametrize("topology", [Topology.DECENTRALIZED, Topology.HYBRID])
def test_peers_do_a_task_again_knowing_what_all_of_them_found(topology: Topology) -> None:
    plan = arrange(PLAN, topology, peers=2, exchange="Compare.").plan

    assert ("a", "b", "c~1", "c~2") == plan.task("c~2~2").depends_on
    assert plan.task("c~2~2").prompt.endswith("Compare.")
    assert ("c~1~2", "c~2~2") == plan.task("c").depends_on


def test_a_copy_that_fails_does_not_take_the_others_with_it() -> None:
    plan = arrange(PLAN, Topology.DECENTRALIZED, peers=2).plan

    assert OnFailure.BEST_EFFORT is plan.task("b~1").on_failure
    assert OnFailure.CRITICAL is plan.task("b").on_failure


@given(st.integers(0, 10**6), st.integers(1, 12), st.sampled_from(Topology), st.integers(1, 4))
def test_any_plan_can_be_arranged_in_any_way(seed: int, size: int, topology: Topology, peers: int) -> None:
    plan, _ = random_plan(random.Random(seed), size)
    arranged = arrange(plan, topology, peers=peers)

    needed = {each for task in plan.tasks for each in task.depends_on}
    last = {task.id for task in plan.tasks} - needed
    assert last <= {task.id for task in arranged.plan.tasks}
    assert {task.id for task in arranged.plan.tasks} == set(arranged.seats)
