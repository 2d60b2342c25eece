"""How far verdicts can be trusted, asked on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.acceptance.cli.command import ROOT, complaint, here

pytestmark = [pytest.mark.integration, pytest.mark.timeout(180)]

EVALS = {"NIGHTSCHOOL_SUITES": str(ROOT / "evals")}

GULLIBLE = """from types import SimpleNamespace

def samples(config):
    return [SimpleNamespace(id="a", facts={})]

def draw(sample_id, epoch, seed):
    return SimpleNamespace(document="# D\\n## 1 One\\nText.\\n", gold=None, facts={})

def playbook_text():
    return "# Playbook\\n\\n## P01 Notice\\nRequired: yes\\n"

def score(gold, answer, document):
    return SimpleNamespace(accuracy=1.0, completeness=1.0, format=1.0, metrics={})
"""


def test_a_simulated_grader_is_reported_with_the_scatter_it_was_given_and_labelled(tmp_path: Path) -> None:
    told = here("grader", "report", "--planted-sd", "0.08", "--repeats", "3", data=tmp_path, **EVALS)
    sent = here("grader", "report", "--planted-sd", "0.08", "--json", data=tmp_path, **EVALS)
    found = json.loads(sent.out)

    assert (0, 0) == (told.code, sent.code)
    assert told.out.startswith("SIMULATED")
    assert (True, 420) == (found["simulated"], found["gradings"])
    assert pytest.approx(0.08, rel=0.2) == found["sd"]


def test_a_grader_is_asked_or_simulated_and_not_both(tmp_path: Path) -> None:
    outcome = here("grader", "report", "--brain", "reader", "--planted-sd", "0.1", data=tmp_path, **EVALS)

    assert 2 == outcome.code
    assert "give one of them" in outcome.err


def test_a_brain_that_cannot_grade_gives_no_report(tmp_path: Path) -> None:
    outcome = here("grader", "report", "--brain", "reader", data=tmp_path / "data", **EVALS)

    assert 5 == outcome.code
    assert "no grades that could be accepted" in complaint(outcome)


def test_no_shortcut_passes_on_the_suites_that_come_along(tmp_path: Path) -> None:
    outcome = here("grader", "probe", data=tmp_path, **EVALS)

    assert 0 == outcome.code
    assert "contracts: no shortcut passes" in outcome.out


def test_a_suite_that_believes_everything_is_called_gameable(tmp_path: Path) -> None:
    folder = tmp_path / "gullible"
    folder.mkdir()
    (folder / "suite.yaml").write_text("primary_metric: accuracy\n", encoding="utf-8")
    (folder / "suite.py").write_text(GULLIBLE, encoding="utf-8")
    outcome = here("grader", "probe", "gullible", data=tmp_path, NIGHTSCHOOL_SUITES=str(tmp_path))

    assert 5 == outcome.code
    assert "GAMEABLE by do-nothing, always-refuse, copy-the-rubric" in outcome.out


def test_a_tasks_tier_is_inferred_with_its_probability(tmp_path: Path) -> None:
    sure = here(
        "grader", "domain", "Check the prescription for an overdose of insulin.", data=tmp_path, **EVALS
    )
    unsure = json.loads(here("grader", "domain", "xyzzy", "--json", data=tmp_path, **EVALS).out)

    assert sure.out.startswith("medicine (")
    assert sure.out.strip().endswith("Strict")
    assert (True, "standard") == (unsure["abstained"], unsure["tier"])
