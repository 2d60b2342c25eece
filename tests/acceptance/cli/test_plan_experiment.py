"""An experiment in a file: planned before it costs anything, then run as planned."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.acceptance.cli.command import complaint, here

DECLARED = """
question: Does reading matter?
suite: letters
factors:
  routing: [single, blind]
repeats: 1
smallest_effect: 0.2
budget: {usd: 1}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "reading.yaml").write_text(DECLARED, "utf-8")
    return tmp_path / "reading.yaml"


def test_a_plan_shows_trials_and_power_and_leaves_nothing_behind(file: Path, tmp_path: Path) -> None:
    outcome = here("plan", "experiment", str(file), "--json", data=tmp_path / "data")
    planned = json.loads(outcome.out)
    assert (0, 16, True) == (outcome.code, planned["trials"], planned["projected"])
    assert planned["contrasts"][0]["power"] is not None
    assert "no experiment" in here("experiments", data=tmp_path / "data").err


def test_it_is_run_as_planned_and_the_next_plan_knows_what_it_took(file: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    run = here("run", str(file), data=data)
    assert 0 == run.code, run.err
    planned = here("plan", "experiment", str(file), data=data)
    assert "8 earlier trials" in planned.out
    assert "pairs of an earlier experiment" in planned.out
    assert "budget usd 1: is enough" in planned.out
    assert 0 == here("run", "--resume", "LAST", data=data).code


def test_what_a_file_declares_is_not_changed_on_the_command_line(file: Path, tmp_path: Path) -> None:
    outcome = here("run", str(file), "--repeats", "3", data=tmp_path / "data")
    assert (2, True) == (outcome.code, "--repeats is declared" in outcome.err)


def test_a_mistake_in_the_file_is_named_by_line(file: Path, tmp_path: Path) -> None:
    file.write_text(DECLARED.replace("[single, blind]", "[single, nobody]"), "utf-8")
    assert "no arm `nobody`" in complaint(here("plan", "experiment", str(file), data=tmp_path / "data"))
    file.write_text(DECLARED.replace("repeats: 1", "repeats: many"), "utf-8")
    assert "line 6: field `repeats`" in complaint(
        here("plan", "experiment", str(file), data=tmp_path / "data")
    )


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("primary_metric: nosuch", "suite `letters` measures no `nosuch`; it has: accuracy"),
        ("brain: nosuch", "There is no model 'nosuch'"),
    ],
)
def test_what_the_suite_or_the_machine_lacks_is_said_before_anything_runs(
    line: str, reason: str, file: Path, tmp_path: Path
) -> None:
    file.write_text(f"{DECLARED}{line}\n", "utf-8")
    outcome = here("plan", "experiment", str(file), data=tmp_path / "data")
    assert outcome.code != 0
    assert reason in complaint(outcome)


def test_a_run_that_may_stop_early_does_and_says_so(file: Path, tmp_path: Path) -> None:
    """Whether eight letters are enough or not, the resume keeps what was decided."""
    file.write_text(f"{DECLARED}stop_rule: sequence\n", "utf-8")
    first = here("run", str(file), "--json", data=tmp_path / "data")
    told = json.loads(first.out)
    assert (0, told["is_decided"]) == (first.code, bool(told["stopped"]))
    again = here("run", "--resume", "LAST", "--json", data=tmp_path / "data")
    kept = json.loads(again.out)
    assert (0, told["completed"]) == (again.code, kept["completed"])
