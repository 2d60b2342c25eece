"""`nightschool regrade`: a suite that scores otherwise costs no new trial."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.acceptance.cli.command import LETTERS, Outcome, here

_RUN = ("run", "letters", "--arms", "single,blind", "--repeats", "1")


@pytest.fixture
def suites(tmp_path: Path) -> Path:
    shutil.copytree(LETTERS, tmp_path / "suites" / "letters")
    return tmp_path / "suites"


def command(suites: Path, *arguments: str) -> Outcome:
    return here(*arguments, data=suites.parent / "data", NIGHTSCHOOL_SUITES=str(suites))


def test_an_unchanged_suite_reuses_every_score(suites: Path) -> None:
    command(suites, *_RUN)
    assert "REUSE 16: nothing changed" in command(suites, "regrade", "LAST", "--dry-run").out


def test_a_changed_score_is_computed_from_recorded_answers(suites: Path) -> None:
    command(suites, *_RUN)
    module = suites / "letters" / "suite.py"
    module.write_text(module.read_text("utf-8") + "\n# scored with more care\n", "utf-8")
    outcome = command(suites, "regrade", "LAST")
    assert (0, True) == (outcome.code, "REGRADE 16" in outcome.out)
    listed = command(suites, "experiments").out
    assert 2 == listed.count("16/16")
    assert 0 == command(suites, "gate", "LAST", "--baseline", "blind").code


def test_a_changed_arm_is_run_again_and_nothing_else(suites: Path) -> None:
    command(suites, *_RUN)
    arm = suites / "letters" / "arms" / "blind.yaml"
    arm.write_text(arm.read_text("utf-8") + "max_iterations: 2\n", "utf-8")
    regraded = command(suites, "regrade", "LAST")
    assert "REUSE 8: nothing changed" in regraded.out
    assert "RERUN 8: the definition of arm `blind` changed" in regraded.out
    assert "8/16" in command(suites, "experiments").out
    resumed = command(suites, "run", "--resume", "LAST", "--only-missing")
    assert 0 == resumed.code, resumed.err
    assert 2 == command(suites, "experiments").out.count("16/16")


def test_a_part_of_what_is_left_goes_with_resume(suites: Path) -> None:
    assert 2 == command(suites, *_RUN, "--only-errors").code
    command(suites, *_RUN)
    assert 2 == command(suites, "run", "--resume", "LAST", "--only-errors", "--only-missing").code


def test_a_program_is_told_what_each_trial_needs(suites: Path) -> None:
    command(suites, *_RUN)
    told = json.loads(command(suites, "regrade", "LAST", "--dry-run", "--json").out)
    assert ("nightschool.regrade/1", None, 16) == (told["schema"], told["experiment"], len(told["steps"]))
    assert {"reuse"} == {step["action"] for step in told["steps"]}
