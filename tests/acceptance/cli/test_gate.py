"""`nightschool gate` inside a pipeline: four exit codes, and files that other programs read."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree.ElementTree import parse

import pytest

from tests.acceptance.cli.command import here
from tests.acceptance.cli.conftest import Written


def test_an_arm_that_cannot_read_is_a_regression(written: Written, tmp_path: Path) -> None:
    junit, markdown = tmp_path / "gate.xml", tmp_path / "gate.md"
    outcome = here("gate", "LAST", "--junit", str(junit), "--markdown", str(markdown), data=written.data)
    assert (1, "regression: exp_") == (outcome.code, outcome.out[:16])
    assert "1" == parse(junit).getroot().get("failures")  # noqa: S314  # our own
    assert "gate: regression" in markdown.read_text("utf-8")


def test_the_other_way_round_it_passes(written: Written) -> None:
    assert 0 == here("gate", "LAST", "--baseline", "blind", data=written.data).code


def test_nothing_that_large_can_be_ruled_out(written: Written) -> None:
    outcome = here("gate", "LAST", "--json", "--alpha", "0.000001", data=written.data)
    assert (2, "inconclusive") == (outcome.code, json.loads(outcome.out)["result"])


def test_too_few_documents_are_invalid(written: Written) -> None:
    found = here("experiments", data=written.data).out
    contracts = next(line.split()[0] for line in found.splitlines() if "contracts" in line)
    outcome = here("gate", contracts, data=written.data)
    assert (3, True) == (outcome.code, "too few pairs" in outcome.out)


def test_arms_of_two_experiments_may_have_different_names(written: Written) -> None:
    outcome = here(
        "gate", "LAST", "--against", "LAST", "--arm", "single", "--baseline-arm", "blind", data=written.data
    )
    assert 0 == outcome.code, outcome


@pytest.mark.parametrize(
    "options",
    [
        ["exp_unknown"],
        ["LAST", "--alpha", "2"],
        ["LAST", "--unknown"],
        ["LAST", "--baseline", "nobody"],
        ["LAST", "--arm", "single"],
        ["LAST", "--against", "LAST"],
        ["LAST", "--against", "LAST", "--arm", "single"],
        ["LAST", "--junit", "/nowhere/gate.xml"],
    ],
)
def test_whatever_else_goes_wrong_is_never_taken_for_a_verdict(options: list[str], written: Written) -> None:
    outcome = here("gate", *options, data=written.data)
    assert 3 == outcome.code
    assert "Traceback" not in outcome.err
    assert outcome.err
