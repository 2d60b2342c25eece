from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from nightschool.orchestration.divide import divide
from nightschool.orchestration.plan import Plan, Task


def _plan(*tasks: Task) -> Plan:
    return Plan(id="p", goal="g", tasks=tasks)


def test_a_task_with_parts_is_divided_and_put_together_by_an_agent_under_its_name() -> None:
    task = Task(id="a", title="a", prompt="Sum up.", parts=("1", "2", "3"), depends_on=("z",))

    divided = divide(_plan(Task(id="z", title="z"), task, Task(id="b", title="b", depends_on=("a",))), 2)

    assert ["z", "a#1", "a#2", "a", "b"] == [each.id for each in divided.tasks]
    assert [("1",), ("2", "3")] == [divided.task(name).parts for name in ("a#1", "a#2")]
    join = divided.task("a")
    assert (("z", "a#1", "a#2"), None, ()) == (join.depends_on, join.merge, join.parts)
    assert "Sum up." in join.prompt


def test_one_agent_or_one_part_changes_nothing() -> None:
    plan = _plan(Task(id="a", title="a", parts=("1", "2")), Task(id="b", title="b", parts=("1",)))

    assert plan.tasks == divide(plan, 1).tasks
    assert plan.task("b") == divide(plan, 8).task("b")


@given(st.integers(2, 40), st.integers(2, 40))
def test_no_part_is_lost_and_pieces_are_even(parts: int, agents: int) -> None:
    task = Task(id="a", title="a", parts=tuple(map(str, range(parts))))

    pieces = [each for each in divide(_plan(task), agents).tasks if each.id != "a"]

    assert task.parts == tuple(part for piece in pieces for part in piece.parts)
    assert min(parts, agents) == len(pieces)
    sizes = [len(piece.parts) for piece in pieces]
    assert max(sizes) - min(sizes) <= 1
