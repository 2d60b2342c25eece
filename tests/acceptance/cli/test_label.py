"""A person judges results on the command line; from then on graders are held against that word."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.cli.command import ROOT, complaint, here

pytestmark = [pytest.mark.integration, pytest.mark.timeout(180)]

EVALS = {"NIGHTSCHOOL_SUITES": str(ROOT / "evals"), "NIGHTSCHOOL_REVIEWER": "ann"}


@pytest.fixture(scope="module")
def reviewed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two results of a small contract; nobody has labelled them."""
    data = tmp_path_factory.mktemp("reviewed") / "data"
    ran = here(
        "run", "contracts", "--arms", "single", "--samples", "p005-1", "--repeats", "2", data=data, **EVALS
    )
    assert 0 == ran.code
    return data


def queue(data: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(here("grader", "label", "--json", data=data, **EVALS).out)
    return found


def test_a_label_is_kept_with_who_and_when_and_grades_graders_from_then_on(reviewed: Path) -> None:
    first, second = (each["judged"]["trial_id"] for each in queue(reviewed))
    shown = here("grader", "label", first, data=reviewed, **EVALS)
    said = here(
        "grader", "label", first, "--reject", "--score", "0.4", "--note", "wrong cap", data=reviewed, **EVALS
    )
    here("grader", "label", second, "--accept", "--by", "bob", data=reviewed, **EVALS)
    rows = json.loads(
        here("sql", "SELECT * FROM v1_feedback", "--format", "json", data=reviewed, **EVALS).out
    )
    found = json.loads(here("grader", "report", "--json", "--repeats", "2", data=reviewed, **EVALS).out)
    told = here("grader", "report", "--repeats", "2", data=reviewed, **EVALS)

    assert "P01: " in shown.out
    assert f"{first}: reject by ann, recorded" in said.out
    assert {("ann", "reject", 0.4, "wrong cap"), ("bob", "accept", None, None)} == {
        (row["given_by"], row["decision"], row["score"], row["comment"]) for row in rows
    }
    assert all(row["given_at"] and row["trial_id"] and row["is_latest"] for row in rows)
    assert (2, ["ann", "bob"], 2, 0) == tuple(
        found["people"][name] for name in ("results", "people", "graded_again", "left_out")
    )
    assert 86 == found["answers"]
    assert "labelled by people: 2 results, by ann, bob" in told.out


def test_a_label_without_a_name_is_refused(reviewed: Path) -> None:
    trial = queue(reviewed)[0]["judged"]["trial_id"]
    outcome = here(
        "grader",
        "label",
        trial,
        "--accept",
        data=reviewed,
        **EVALS | {"NIGHTSCHOOL_REVIEWER": "", "USER": "", "USERNAME": ""},
    )

    assert 5 == outcome.code
    assert "--by" in complaint(outcome)


def test_a_decision_needs_a_trial(reviewed: Path) -> None:
    assert 2 == here("grader", "label", "--accept", data=reviewed, **EVALS).code


def test_a_trial_that_is_not_there_is_named(reviewed: Path) -> None:
    outcome = here("grader", "label", "trial_none", data=reviewed, **EVALS)

    assert 5 == outcome.code
    assert "trial_none" in complaint(outcome)
