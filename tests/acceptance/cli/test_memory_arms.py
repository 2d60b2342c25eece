"""Memory as a setting of arms: declared, frozen, recalled by every routing, named in what is reported."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.cli.command import complaint, here

pytestmark = [pytest.mark.integration, pytest.mark.timeout(180)]

DECLARED = """
suite: contracts
factors:
  routing: [single, subagents, orchestrated]
  memory: [none, house]
samples: [p005-1, p005-2]
repeats: 1
"""
LESSON = (
    "In this house 'The Supplier transfers to the Customer full title to the Deliverables together with the"
    " copyright and every other right in them' is no violation of P09."
)


def _rows(question: str, data: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(here("sql", question, "--format", "json", data=data).out)
    return rows


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "memory.yaml").write_text(DECLARED, "utf-8")
    return tmp_path / "memory.yaml"


def test_an_arm_whose_store_is_missing_is_refused_by_name_before_anything_runs(
    file: Path, tmp_path: Path
) -> None:
    refused = here("run", str(file), data=tmp_path / "data")

    assert "arm `single-house`: there is no memory store 'house' yet" in complaint(refused)
    assert "no experiment" in here("experiments", data=tmp_path / "data").err


def test_every_routing_gives_its_agents_what_the_frozen_store_recalls(file: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    here("memory", "write", "/p09", LESSON, "--store", "house", data=data)
    run = here("run", str(file), data=data)
    assert 0 == run.code, run.err
    here("memory", "write", "/later", "Written after the run.", "--store", "house", data=data)
    resumed = here("run", "--resume", "LAST", data=data)
    compared = json.loads(here("compare", "--json", data=data).out)

    trials = _rows("SELECT arm, answer FROM v1_trials WHERE sample_id = 'p005-2'", data)
    flagged = {
        trial["arm"]
        for trial in trials
        for each in json.loads(trial["answer"])["positions"]
        if (each["policy"], each["position"]) == ("P09", "violation")
    }
    notes = _rows("SELECT session_id FROM v1_events WHERE type = 'memory.recalled'", data)
    store = compared["memories"]["orchestrated-house"]

    assert {"single-none", "subagents-none", "orchestrated-none"} == flagged
    assert 6 == len(notes) == len({note["session_id"] for note in notes})
    assert {"single-house", "subagents-house", "orchestrated-house"} == compared["memories"].keys()
    assert ("house", 2, 1) == (store["store"], store["version"], store["memories"])
    assert f"recalls from house, version 2 ({store['sha256'][:12]})" in run.out
    assert 0 == resumed.code, resumed.err


def test_a_text_redacted_since_ends_the_experiment_that_was_declared_with_it(
    file: Path, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    here("memory", "write", "/p09", LESSON, "--store", "house", data=data)
    one = DECLARED.replace("[single, subagents, orchestrated]", "[single]").replace(", p005-2", "")
    file.write_text(one, "utf-8")
    assert 0 == here("run", str(file), data=data).code
    here("memory", "redact", "/p09", "--store", "house", "--yes", data=data)

    assert "the memories of arm `single-house`" in complaint(here("run", "--resume", "LAST", data=data))


BY_TASK = """
suite: contracts
factors:
  recall:
    document: {arm: orchestrated, memory: house, settings: {words_per_task: 600}}
    task: {arm: orchestrated, memory: house, settings: {words_per_task: 600, recall_by: task}}
samples: [p005-2]
repeats: 1
"""


def test_tasks_of_a_plan_may_each_be_given_memories_of_their_own(file: Path, tmp_path: Path) -> None:
    """Noted at the start of each task's session; only tasks that it concerns are given the lesson."""
    data = tmp_path / "data"
    here("memory", "write", "/p09", LESSON, "--store", "house", data=data)
    file.write_text(BY_TASK, "utf-8")
    run = here("run", str(file), data=data)
    assert 0 == run.code, run.err

    sessions = _rows(
        "SELECT session_id, arm, role FROM v1_sessions WHERE role IN ('orchestrator', 'task')", data
    )
    events = _rows(
        "SELECT session_id, seq, type, event FROM v1_events"
        " WHERE type IN ('memory.recalled', 'user.message') ORDER BY session_id, seq",
        data,
    )
    first = {each["session_id"]: each for each in reversed(events)}
    noted = {session for session, each in first.items() if each["type"] == "memory.recalled"}
    by_arm = {
        arm: {each["session_id"]: each["role"] for each in sessions if each["arm"] == arm}
        for arm in ("document", "task")
    }
    tasks = {session for session, role in by_arm["task"].items() if role == "task"}
    given = [session for session in tasks if json.loads(first[session]["event"])["memories"]]
    answers = _rows("SELECT answer FROM v1_trials", data)

    assert {"orchestrator"} == {by_arm["document"][each] for each in noted & by_arm["document"].keys()}
    assert tasks == noted & by_arm["task"].keys()
    assert 0 < len(given) < len(tasks)
    assert not any(
        ("P09", "violation") == (each["policy"], each["position"])
        for answer in answers
        for each in json.loads(answer["answer"])["positions"]
    )
