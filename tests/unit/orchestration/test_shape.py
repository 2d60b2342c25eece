from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from nightschool.orchestration.plan import Plan, Task
from nightschool.orchestration.shape import ancestors, critical_path, descendants, named, shape_of


def _plan(**waits_for: tuple[str, ...]) -> Plan:
    tasks = tuple(Task(id=name, title=name, depends_on=needed) for name, needed in waits_for.items())
    return Plan(id="plan_x", goal="g", tasks=tasks)


DIAMOND = _plan(a=(), b=("a",), c=("a",), d=("b", "c"))


def test_a_diamond_has_three_layers_and_is_two_wide() -> None:
    shape = shape_of(DIAMOND)

    assert (4, 3, 2, 4.0, 3.0) == (shape.tasks, shape.depth, shape.width, shape.work, shape.span)
    assert 4 / 3 == shape.parallelism


def test_the_critical_path_follows_the_costs() -> None:
    assert (("a", "b", "d"), 12.0) == critical_path(DIAMOND, {"b": 10.0})
    assert (("a", "c", "d"), 5.0) == critical_path(DIAMOND, {"c": 3.0})


def test_what_a_task_waits_for_over_others_counts() -> None:
    assert ["a", "b", "c"] == named(DIAMOND, ancestors(DIAMOND)["d"])
    assert ["b", "c", "d"] == named(DIAMOND, descendants(DIAMOND)["a"])


@given(st.lists(st.tuples(st.sets(st.integers(0, 20)), st.integers(1, 9)), min_size=1, max_size=12))
def test_span_is_the_cost_of_a_chain_and_no_more_than_work(drawn: list[tuple[set[int], int]]) -> None:
    tasks = {str(n): tuple(str(m) for m in sorted(waits) if m < n) for n, (waits, _) in enumerate(drawn)}
    costs = {str(n): float(cost) for n, (_, cost) in enumerate(drawn)}
    plan = _plan(**tasks)

    path, span = critical_path(plan, costs)

    assert span == sum(costs[each] for each in path)
    assert span <= shape_of(plan, costs).work
    assert all(first in plan.task(second).depends_on for first, second in pairwise(path))
