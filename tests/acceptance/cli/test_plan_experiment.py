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
