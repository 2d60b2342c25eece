from __future__ import annotations

import json
from pathlib import Path

from tests.acceptance.cli.command import complaint, here

TEXT = """
goal: One report
tasks:
  - {id: north, writes: ["file:out"]}
  - {id: south, writes: ["file:out/south.md"]}
  - {id: joined, depends_on: [north, south]}
"""


def test_a_plan_file_is_shown_with_its_layers_and_queues(tmp_path: Path) -> None:
    (tmp_path / "plan.yaml").write_text(TEXT, encoding="utf-8")

    shown = here("plan", "show", str(tmp_path / "plan.yaml"), data=tmp_path / "data")

    assert 0 == shown.code, shown
    assert "3 tasks in 2 layers, up to 2 side by side" in shown.out
    assert "they write the same: north, south" in shown.out


def test_a_plan_is_there_for_programs(tmp_path: Path) -> None:
    (tmp_path / "plan.yaml").write_text(TEXT, encoding="utf-8")

    shown = json.loads(here("plan", "show", str(tmp_path / "plan.yaml"), "--json").out)

    assert [["north", "south"], ["joined"]] == shown["layers"]
    assert ["south", "joined"] == shown["critical_path"]


def test_a_cycle_is_refused_by_name(tmp_path: Path) -> None:
    text = "{goal: g, tasks: [{id: a, depends_on: [b]}, {id: b, depends_on: [a]}]}"
    (tmp_path / "plan.yaml").write_text(text, encoding="utf-8")

    refused = here("plan", "show", str(tmp_path / "plan.yaml"))

    assert 5 == refused.code
    assert "wait for one another" in complaint(refused)


def test_a_session_without_a_plan_is_named(tmp_path: Path) -> None:
    refused = here("plan", "show", "sesn_none", data=tmp_path / "data")

    assert 5 == refused.code
    assert "nothing in" in complaint(refused)


def test_a_plan_of_very_many_tasks_is_shown_in_plain_lines(tmp_path: Path) -> None:
    tasks = [{"id": f"t{n}", "depends_on": [f"t{n - 1}"] if n else []} for n in range(600)]
    last = {"id": "end", "title": "[all]", "depends_on": [task["id"] for task in tasks]}
    (tmp_path / "plan.json").write_text(json.dumps({"goal": "g", "tasks": [*tasks, last]}), encoding="utf-8")

    shown = here("plan", "show", str(tmp_path / "plan.json"), data=tmp_path / "data")

    lines = shown.out.splitlines()
    assert 601 == sum(line.split()[:1] == [str(n)] for n, line in enumerate(lines[3:604], 1))
    assert "end: [all]" in lines[603]
    assert "… , t599" not in lines[603] and "(600 in all" in lines[603]
    assert "(601 in all; --json names them)" in shown.out
