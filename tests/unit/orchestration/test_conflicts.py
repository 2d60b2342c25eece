from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from nightschool.orchestration.conflicts import conflicts, serial_queues
from nightschool.orchestration.plan import Plan, Task
from nightschool.orchestration.resources import overlaps


def _task(name: str, *writes: str, after: tuple[str, ...] = ()) -> Task:
    return Task(id=name, title=name, writes=writes, depends_on=after)


def _plan(*tasks: Task) -> Plan:
    return Plan(id="plan_x", goal="g", tasks=tasks)


def test_tasks_that_write_the_same_tree_are_kept_apart() -> None:
    found = conflicts(_plan(_task("a", "file:out"), _task("b", "file:out/x.md"), _task("c", "file:in")))

    assert {"a": frozenset({"b"}), "b": frozenset({"a"})} == found


def test_a_dependency_already_keeps_them_apart() -> None:
    between = _task("m", after=("a",))
    found = conflicts(_plan(_task("a", "table:t"), between, _task("b", "table:t", after=("m",))))

    assert {} == found


def test_what_only_reads_is_in_nobodys_way() -> None:
    assert {} == conflicts(_plan(_task("a"), _task("b"), _task("c", "file:out")))


def test_conflicts_that_hang_together_are_one_queue() -> None:
    plan = _plan(
        _task("a", "file:1"), _task("b", "file:1", "file:2"), _task("c", "file:2"), _task("d", "file:9"),
        _task("e", "file:9"),
    )  # fmt: skip

    assert (("a", "b", "c"), ("d", "e")) == serial_queues(conflicts(plan))


_PATHS = st.sampled_from(
    ["file:out", "file:out/a", "file:out/a/b.md", "file:out/*.md", "file:**/b.md", "file:/out", "file:in/?",
     "table:s", "table:s.t", "table:*.t", "endpoint:a/b", "endpoint:a"]
)  # fmt: skip


@given(st.lists(st.tuples(st.lists(_PATHS, max_size=3), st.sets(st.integers(0, 9))), max_size=9))
def test_conflicts_are_those_that_going_through_all_pairs_finds(
    drawn: list[tuple[list[str], set[int]]],
) -> None:
    tasks = [
        _task(str(n), *writes, after=tuple(str(m) for m in sorted(after) if m < n))
        for n, (writes, after) in enumerate(drawn)
    ]
    before: dict[str, set[str]] = {}
    for task in tasks:
        before[task.id] = set(task.depends_on).union(*(before[each] for each in task.depends_on))
    expected = {
        frozenset((one.id, other.id))
        for one, other in combinations(tasks, 2)
        if one.id not in before[other.id] and any(overlaps(a, b) for a in one.writes for b in other.writes)
    }

    found = conflicts(_plan(*tasks))

    assert expected == {frozenset((one, other)) for one, others in found.items() for other in others}
    assert all(found.forbid(one, [other]) for one, others in found.items() for other in others)


def test_ten_thousand_tasks_that_write_one_table_are_one_queue() -> None:
    plan = _plan(*(_task(str(n), "table:sales") for n in range(10_000)))

    (queue,) = serial_queues(conflicts(plan))

    assert 10_000 == len(queue)
