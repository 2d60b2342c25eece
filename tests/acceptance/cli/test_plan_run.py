"""A plan from a file to its answer: run, killed, woken, refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.cli.command import complaint, here, start
from tests.acceptance.cli.journal import count, wait_for

pytestmark = [pytest.mark.integration, pytest.mark.timeout(180)]

AGENTS = ("quick", "careful")


def _plan(folder: Path, **tasks: dict[str, Any]) -> str:
    file = folder / "plan.yaml"
    file.write_text(json.dumps({"goal": "sums", "tasks": [{"id": name, **t} for name, t in tasks.items()]}))
    return str(file)


def _sum(add: int, *inputs: str, **more: Any) -> dict[str, Any]:
    work = json.dumps({"add": [add], "inputs": list(inputs)})
    return {"prompt": f"Work: {work}", "depends_on": list(inputs), "type": "sum", **more}


def _rows(data: Path, question: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(here("sql", question, "--format", "json", data=data).out)
    return rows


def test_a_plan_is_done_by_the_agents_of_the_registry_and_teaches_the_next_one(tmp_path: Path) -> None:
    data = tmp_path / "data"
    for name, price in zip(AGENTS, (1, 5), strict=True):
        text = f"---\nname: {name}\nprice: {price}\ntools: [submit_result]\n---\nYou are {name}.\n"
        (tmp_path / f"{name}.md").write_text(text)
    here("agents", "apply", *(str(tmp_path / f"{name}.md") for name in AGENTS), data=data)
    file = _plan(tmp_path, a=_sum(1), b=_sum(2), c=_sum(3, "a", "b"))

    answers = [
        here("plan", "run", file, "--policy", policy, "--json", data=data)
        for policy in ("cascade", "learned")
    ]

    assert all(answer.code == 0 for answer in answers), answers
    assert {"c"} == set(json.loads(answers[0].out)["results"])
    rows = _rows(data, "SELECT policy, agent, probability FROM v1_tasks WHERE agent IS NOT NULL")
    assert {"cascade": {1.0}} == {r["policy"]: {r["probability"]} for r in rows if r["policy"] == "cascade"}
    # Three good results of `quick` were known when the second plan was run.
    learned = [row["probability"] for row in rows if row["policy"] == "learned" and row["agent"] == "quick"]
    assert all(probability > 0.5 for probability in learned)
    assert 6 == len(rows)


def test_a_plan_whose_process_was_killed_is_finished_and_nothing_is_repeated(tmp_path: Path) -> None:
    data = tmp_path / "data"
    chain = {f"t{n}": _sum(n, *([f"t{n - 1}"] if n else [])) for n in range(40)}
    file = _plan(tmp_path, **chain)
    with start("plan", "run", file, data=data, NIGHTSCHOOL_DATA=str(data)) as running:
        assert wait_for(running, data, 8, "task.completed")
        running.kill()
    done = count(data, "task.completed")
    assert 8 <= done < 40
    (session,) = {row["session_id"] for row in _rows(data, "SELECT session_id FROM v1_tasks")}

    woken = here("plan", "wake", session, "--json", data=data)

    assert 0 == woken.code, woken
    assert 40 == count(data, "task.completed")
    assert {"t39"} == set(json.loads(woken.out)["results"])
    rows = _rows(data, "SELECT task_id, status, attempts FROM v1_tasks")
    assert {"completed"} == {row["status"] for row in rows}
    # Only what was at work when the process died began again.
    assert sum(row["attempts"] - 1 for row in rows) <= 1
    unbroken = here("plan", "run", file, "--json", data=tmp_path / "other")
    assert json.loads(unbroken.out)["results"] == json.loads(woken.out)["results"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--brain", "reader"), "the reader reads contracts"),
        (("--fallback", "ghost"), "no agent 'ghost' to fall back on"),
        (("--context-limit", "3"), "task 'a' is expected to take"),
    ],
)
def test_what_cannot_be_run_is_refused_and_leaves_no_session(
    options: tuple[str, ...], said: str, tmp_path: Path
) -> None:
    data = tmp_path / "data"

    refused = here("plan", "run", _plan(tmp_path, a=_sum(1)), *options, data=data)

    assert 5 == refused.code
    assert said in complaint(refused)
    assert 0 == count(data)


def test_a_task_that_nobody_in_the_registry_can_do_is_named(tmp_path: Path) -> None:
    refused = here("plan", "run", _plan(tmp_path, a=_sum(1, needs=["fly"])), data=tmp_path / "data")

    assert "no agent can do task 'a': the nearest lacks tool fly" in complaint(refused)


def test_where_the_registry_is_empty_a_task_may_write_what_it_says(tmp_path: Path) -> None:
    writes = ["file:out/north.md", "table:regions", "endpoint:mail"]
    file = _plan(tmp_path, a=_sum(1, writes=writes), b=_sum(2, writes=writes))

    answer = here("plan", "run", file, "--json", data=tmp_path / "data")

    assert 0 == answer.code, answer
    assert {"a", "b"} == set(json.loads(answer.out)["results"])


def test_only_a_plan_that_was_run_can_be_woken(tmp_path: Path) -> None:
    data = tmp_path / "data"
    here("plan", "run", _plan(tmp_path, a=_sum(1)), data=data)
    (task,) = {row["task_session_id"] for row in _rows(data, "SELECT task_session_id FROM v1_tasks")}

    assert "has no plan that `nightschool plan run` began" in complaint(here("plan", "wake", task, data=data))


def test_results_are_judged_by_a_rubric_beside_the_plan_and_one_query_says_who_does_well(
    tmp_path: Path,
) -> None:
    data = tmp_path / "data"
    (tmp_path / "sums.md").write_text("# Rubric: sums\n## Accuracy\n- The sum is right.\n")
    file = tmp_path / "plan.yaml"
    tasks = [{"id": f"t{n}", **_sum(n)} for n in range(12)]
    file.write_text(json.dumps({"goal": "sums", "outcome": {"rubric": "sums.md"}, "tasks": tasks}))

    answer = here("plan", "run", str(file), "--json", data=data)

    assert 0 == answer.code, answer
    rows = _rows(
        data,
        "SELECT routing, policy, agent, brain, tier, count(*) AS verdicts, avg(passed::INT) AS passed,"
        " avg(margin) AS margin FROM v1_verdicts WHERE source = 'task' GROUP BY ALL",
    )
    (row,) = rows
    assert ("orchestrated", "capability", "worker", "simulated") == tuple(row.values())[:4]
    assert row["verdicts"] > 12  # some were sent back
    assert 0 < row["passed"] < 1
    # A criterion is met or not: the margin is the share that met it, minus the tier's threshold.
    assert row["margin"] == pytest.approx(row["passed"] - 0.75)


@pytest.mark.parametrize(
    ("rubric", "said"),
    [("none.md", "the rubric none.md cannot be read"), ("../out.md", "outside the plan's folder")],
)
def test_a_rubric_that_cannot_be_read_is_named(rubric: str, said: str, tmp_path: Path) -> None:
    refused = here(
        "plan", "run", _plan(tmp_path, a=_sum(1, outcome={"rubric": rubric})), data=tmp_path / "data"
    )

    assert 5 == refused.code
    assert said in complaint(refused)
