"""The suite of plans from the command line: named by its folder, with its own defaults, resumed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.acceptance.cli.command import ROOT, complaint, here

pytestmark = [pytest.mark.integration, pytest.mark.timeout(180)]

FOLDER = str(ROOT / "evals" / "orchestration")


def test_topologies_are_compared_on_failing_agents(tmp_path: Path) -> None:
    data = tmp_path / "data"

    ran = here("run", FOLDER, "--samples", "calm-deep,mixed-wide", "--arms", "single,centralized", data=data)

    assert 0 == ran.code, ran.err
    assert "SIMULATED" in ran.out
    question = (
        "SELECT arm, min((metrics ->> 'promises_kept')::DOUBLE) AS kept,"
        " bool_and(simulated) AS simulated, sum((metrics ->> 'messages')::DOUBLE) AS messages"
        " FROM v1_trials GROUP BY arm ORDER BY arm"
    )
    rows = json.loads(here("sql", question, "--format", "json", data=data).out)
    assert ["centralized", "single"] == [row["arm"] for row in rows]
    assert all(row["kept"] == 1.0 and row["simulated"] for row in rows)
    assert 0 == rows[1]["messages"] < rows[0]["messages"]
    tasks = here("sql", "SELECT DISTINCT agent, policy FROM v1_tasks", "--format", "json", data=data).out
    assert {"agent": "quick", "policy": "capability"} in json.loads(tasks)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("run", FOLDER, "--brain", "reader", "--samples", "calm-deep"), "--brain simulated"),
        (("run", "contracts", "--arms", "hybrid"), "no arm `hybrid`"),
    ],
)
def test_what_cannot_be_is_said(options: tuple[str, ...], said: str, tmp_path: Path) -> None:
    refused = here(*options, data=tmp_path / "data")

    assert 0 != refused.code
    assert said in (refused.err if "reader" in options else complaint(refused))


def test_an_experiment_whose_suite_lies_elsewhere_is_finished_by_naming_the_folder_again(
    tmp_path: Path,
) -> None:
    data, folder = tmp_path / "data", tmp_path / "mine"
    shutil.copytree(FOLDER, folder)
    declaration = folder / "suite.yaml"
    text = declaration.read_text(encoding="utf-8").replace("name: orchestration", "name: mine")
    declaration.write_text(text, encoding="utf-8")
    run = ("run", str(folder), "--samples", "calm-deep", "--arms", "single")
    assert 0 == here(*run, data=data).code

    resumed = here("run", str(folder), "--resume", "LAST", data=data)

    assert 0 == resumed.code, resumed
    assert "name it: run FOLDER --resume LAST" in complaint(here("run", "--resume", "LAST", data=data))
    assert 5 == here("run", "contracts", "--resume", "LAST", data=data).code
