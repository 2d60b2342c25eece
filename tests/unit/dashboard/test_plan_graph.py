"""A plan as it was carried out."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from nightschool.dashboard.plan_graph import Step, critical_path, layers_of, plan_chart, steps_of


def step(name: str, *depends_on: str, seconds: float | None = 1.0, attempts: int = 1) -> Step:
    return Step(
        id=name,
        title=name,
        status="completed",
        depends_on=depends_on,
        attempts=attempts,
        seconds=seconds,
        session_id=f"sesn_{name}",
    )


def test_rows_become_steps_without_dependencies_that_are_not_there() -> None:
    row: dict[str, Any] = {
        "task_id": "b",
        "title": None,
        "status": "failed",
        "depends_on": '["a", "gone"]',
        "attempts": 2,
        "duration_ms": 1500.0,
        "task_session_id": None,
    }
    first = row | {"task_id": "a", "depends_on": None, "duration_ms": None}

    (a, b) = steps_of([first, row])

    assert (("a",), 1.5, "b") == (b.depends_on, b.seconds, b.title)
    assert a.seconds is None


def test_the_critical_path_is_the_chain_that_took_longest_not_the_one_with_most_tasks() -> None:
    steps = [step("a"), step("b", "a"), step("c", "b"), step("long", seconds=10), step("end", "c", "long")]

    assert (["long", "end"], 11.0) == critical_path(steps)


def test_a_cycle_that_a_broken_log_holds_is_drawn_and_not_followed_for_ever() -> None:
    steps = [step("a", "b"), step("b", "a")]

    assert [["a", "b"]] == [[each.id for each in layer] for layer in layers_of(steps)]
    assert critical_path(steps)[0]
    assert plan_chart(steps, simulated=False).data


def test_a_retried_task_is_a_diamond_and_says_how_often() -> None:
    figure = plan_chart([step("a", attempts=3), step("b")], simulated=False)
    (dots,) = figure.data

    assert ("diamond", "circle") == dots.marker.symbol
    assert dots.text[0].endswith("×3")


def test_a_title_of_the_log_is_not_read_as_markup() -> None:
    figure = plan_chart([step("<b>x</b>")], simulated=False)

    assert "&lt;b&gt;" in figure.data[0].text[0]


@given(st.lists(st.floats(0, 100), min_size=1, max_size=12), st.randoms(use_true_random=False))
def test_no_chain_of_waiting_tasks_is_longer_than_the_critical_path(durations: list[float], rng: Any) -> None:
    steps = []
    for number, seconds in enumerate(durations):
        earlier = [f"t{n}" for n in range(number) if rng.random() < 0.3]
        steps.append(step(f"t{number}", *earlier, seconds=seconds))
    by_id = {each.id: each for each in steps}

    def longest(name: str) -> float:
        return (by_id[name].seconds or 0) + max(map(longest, by_id[name].depends_on), default=0.0)

    path, total = critical_path(steps)

    assert abs(total - max(map(longest, by_id))) < 1e-6
    assert all(a in by_id[b].depends_on for a, b in pairwise(path))
