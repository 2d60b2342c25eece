from __future__ import annotations

from nightschool.orchestration.conflicts import conflicts, serial_queues
from nightschool.orchestration.plan import Plan, Task


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
