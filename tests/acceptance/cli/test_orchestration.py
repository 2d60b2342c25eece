"""The suite of plans from the command line: named by its folder, with its own defaults, resumed."""

from __future__ import annotations

import json
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
