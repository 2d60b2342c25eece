"""The memory experiment from the command line, on a suite cut short; and one with a leak planted in it."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from tests.acceptance.cli.command import ROOT, complaint, here

pytestmark = [pytest.mark.integration, pytest.mark.timeout(240)]


@pytest.fixture
def evals(tmp_path: Path) -> Path:
    """A copy of the suites with two contracts per trade."""
    folder = tmp_path / "evals"
    for part in ("memory", "contracts", "arms"):
        shutil.copytree(ROOT / "evals" / part, folder / part)
    declared = folder / "memory" / "suite.yaml"
    text = declared.read_text(encoding="utf-8")
    declared.write_text(text.replace("contracts_per_family: 10", "contracts_per_family: 2"), encoding="utf-8")
    return folder


def test_the_experiment_reports_gain_and_harm_of_every_arm(evals: Path, tmp_path: Path) -> None:
    ran = here(
        *("dream", "effect", "--orders", "1", "--json"),
        data=tmp_path / "data",
        NIGHTSCHOOL_SUITES=os.fspath(evals),
    )
    report = json.loads(ran.out)

    assert 7 == len(report["effects"])
    assert {"gain", "harmed", "interval", "verdict"} <= set(report["effects"][0])
    assert 0.0 == report["effects"][0]["gain"], "filler of the same length changes nothing"
    assert [] == report["incremental_differs"]
    dreamt = report["prices"]["dreamt, incremental"]
    assert dreamt["extra"] > 0 and dreamt["learning"] == 8 * dreamt["amortised"] > 0
    assert report["prices"]["placebo"]["learning"] == 0
    assert report["prices"]["placebo"]["per_extra_success"] is None
    assert 0.0 == report["prices_usd"]["dreamt, incremental"]["learning"], "the reader costs no money"
    assert 8 == report["train_sessions"] == report["test_samples"]


def test_a_planted_leak_ends_the_run(evals: Path, tmp_path: Path) -> None:
    module = evals / "memory" / "suite.py"
    planted = (
        '    gold_of_test = draw("printing-0", 0, 0).gold["canary"]\n'
        '    return f"In this house the secret word is {gold_of_test} for all."\n'
    )
    text = module.read_text(encoding="utf-8")
    head, _, rest = text.partition("def feedback(")
    signature, _, body = rest.partition('"""\n')
    module.write_text(f'{head}def feedback({signature}"""\n{planted}{body}', encoding="utf-8")
    ran = here(
        *("dream", "effect", "--orders", "1"),
        data=tmp_path / "data",
        NIGHTSCHOOL_SUITES=os.fspath(evals),
    )

    assert "leak: the canary" in complaint(ran)
    assert 5 == ran.code


def test_a_suite_without_families_is_refused(tmp_path: Path) -> None:
    refused = here("dream", "effect", "--suite", "contracts", data=tmp_path / "data")

    assert "cannot measure memory" in complaint(refused)


def test_the_figures_are_tried_where_the_truth_is_known(tmp_path: Path) -> None:
    found = json.loads(here("dream", "effect", "--check", "--json", data=tmp_path / "data").out)

    assert found["is_sound"] and found["simulated"]
    assert (4, 4) == (found["leaks"], found["leaks_refused"])
    assert not (tmp_path / "data").exists()
