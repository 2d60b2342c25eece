from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nightschool.core.errors import Malformed
from nightschool.orchestration.plan import Plan, Task, layers, validate


def _plan(**waits_for: tuple[str, ...]) -> Plan:
    tasks = tuple(Task(id=name, title=name, depends_on=needed) for name, needed in waits_for.items())
    return Plan(id="plan_x", goal="g", tasks=tasks)


def test_layers_hold_what_need_not_wait_for_one_another() -> None:
    plan = _plan(a=(), b=(), c=("a", "b"), d=("c",))

    assert (("a", "b"), ("c",), ("d",)) == layers(plan)


def test_a_cycle_is_refused_by_name() -> None:
    with pytest.raises(Malformed, match=r"wait for one another: .*a.*b"):
        validate(_plan(a=("b",), b=("a",)))


def test_an_unknown_dependency_is_refused_by_name() -> None:
    with pytest.raises(Malformed, match="task 'a' depends on 'z'"):
        validate(_plan(a=("z",)))


def test_two_tasks_of_one_name_are_refused() -> None:
    twice = Plan(id="plan_x", goal="g", tasks=(Task(id="a", title="1"), Task(id="a", title="2")))

    with pytest.raises(Malformed, match="two tasks are called 'a'"):
        validate(twice)


@given(st.lists(st.sets(st.integers(0, 20)), min_size=1, max_size=12))
def test_every_task_is_in_a_later_layer_than_what_it_waits_for(edges: list[set[int]]) -> None:
    tasks = {str(n): tuple(str(m) for m in sorted(needed) if m < n) for n, needed in enumerate(edges)}
    plan = _plan(**tasks)

    level = {task: depth for depth, layer in enumerate(layers(plan)) for task in layer}

    assert set(tasks) == set(level)
    assert all(level[needed] < level[task] for task, waits in tasks.items() for needed in waits)
