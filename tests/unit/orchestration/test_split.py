from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nightschool.core.errors import Malformed
from nightschool.orchestration.plan import Plan, Task
from nightschool.orchestration.split import split_long_tasks
from nightschool.orchestration.staffing import expected_tokens


def _plan(*tasks: Task) -> Plan:
    return Plan(id="p", goal="g", tasks=tasks)


def test_a_long_task_is_cut_along_its_parts_and_joined_under_its_name() -> None:
    long = Task(id="a", title="", parts=tuple("x" * 400 for _ in range(4)), depends_on=("z",))
    plan = _plan(Task(id="z", title="z"), long, Task(id="b", title="b", depends_on=("a",)))

    cut = split_long_tasks(plan, 300)

    assert ["z", "a#1", "a#2", "a", "b"] == [task.id for task in cut.tasks]
    assert ("z",) == cut.task("a#1").depends_on
    assert ("a#1", "a#2") == cut.task("a").depends_on
    assert cut.task("a").merge


def test_a_plan_that_fits_stays_as_it_is() -> None:
    plan = _plan(Task(id="a", title="a"))

    assert plan is split_long_tasks(plan, 1000)


@pytest.mark.parametrize("parts", [(), ("x" * 4000,), ("x" * 4000, "y")])
def test_a_long_task_that_cannot_be_cut_is_refused_by_name(parts: tuple[str, ...]) -> None:
    task = Task(id="a", title="", parts=parts, inputs="" if parts else "x" * 4000)

    with pytest.raises(Malformed, match="task 'a' is expected to take 125"):
        split_long_tasks(_plan(task), 500)


def test_a_kind_of_task_that_took_more_than_expected_is_cut_finer() -> None:
    task = Task(id="a", title="", type="t", parts=("x" * 40, "y" * 40))

    assert 3 == len(split_long_tasks(_plan(task), 100, {"t": 150.0}).tasks)


@given(st.lists(st.integers(1, 200), min_size=2, max_size=20))
def test_every_piece_fits_and_no_part_is_lost(lengths: list[int]) -> None:
    task = Task(id="a", title="", parts=tuple("ß" * length for length in lengths))

    cut = split_long_tasks(_plan(task), 130)

    pieces = [each for each in cut.tasks if each.merge is None]
    assert task.parts == tuple(part for piece in pieces for part in piece.parts)
    assert all(130 >= expected_tokens(piece) for piece in pieces)
