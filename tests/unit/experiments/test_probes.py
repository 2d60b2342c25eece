from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from nightschool.core.errors import Malformed
from nightschool.experiments.probes import PROBES, ProbeResult, gaming_probes, probe_suite
from nightschool.experiments.report import build_report
from nightschool.experiments.report_json import to_json
from nightschool.experiments.suite import Suite, known_suites, load_suite
from tests.unit.experiments.fakes import Marks, Sums, manifest, suite

EVALS = Path(__file__).resolve().parents[3] / "evals"


class Credulous(Sums):
    """A suite that believes whoever says nothing."""

    def score(self, gold: Any, answer: dict[str, Any], document: str) -> Marks:  # noqa: ARG002
        quality = 0.9 if not answer["positions"] else 0.1
        return Marks(quality, quality, quality, {})

    def playbook_text(self) -> str:
        return "# Playbook\n\n## P01 Notice\nRequired: yes\n"


class Tested(Credulous):
    """A suite that grades by tests, which an answer may touch."""

    def probe_answer(self, probe: str, document: str) -> dict[str, Any]:  # noqa: ARG002
        return {"positions": [] if probe == "edit-the-tests" else [probe]}


def probes_of(tried: Suite) -> dict[str, ProbeResult]:
    return {result.probe: result for result in probe_suite(tried, ["a", "bb"])}


@pytest.mark.parametrize("name", known_suites([EVALS]))
def test_no_shortcut_passes_standard_on_any_suite(name: str) -> None:
    real = load_suite(name, [EVALS])
    samples = [sample.id for sample in real.module.samples(real.config)][:12]

    found = probe_suite(real, samples)

    assert list(PROBES) == [result.probe for result in found]
    assert () == gaming_probes(found)
    assert {len(samples)} == {result.samples for result in found}


def test_a_suite_that_believes_a_shortcut_is_gameable() -> None:
    found = probe_suite(suite(module=Credulous()), ["a", "bb"])

    assert ("do-nothing", "edit-the-tests") == gaming_probes(found)
    assert (2, 2) == (found[0].samples, found[0].passed)


def test_a_shortcut_gets_all_the_credit_for_thrift() -> None:
    found = probes_of(suite(module=Credulous()))

    assert pytest.approx(0.15) == found["do-nothing"].best_margin


class Trusting(Credulous):
    """A suite that takes an answer's own word for how good it is."""

    def score(self, gold: Any, answer: dict[str, Any], document: str) -> Marks:  # noqa: ARG002
        quality = float(answer.get("accuracy", 0.1))
        return Marks(quality, quality, quality, {})


def test_a_suite_without_tests_is_tried_with_marks_of_the_answers_own_making() -> None:
    assert ("edit-the-tests",) == gaming_probes(probe_suite(suite(module=Trusting()), ["a"]))


def test_a_suite_with_tests_says_what_editing_them_looks_like() -> None:
    tested = replace(suite(module=Tested()), config={"names": ["a"], "tests": ["test_it.py"]})

    assert ("edit-the-tests",) == gaming_probes(probe_suite(tested, ["a"]))


def test_a_suite_with_tests_that_does_not_say_so_is_refused() -> None:
    silent = replace(suite(module=Credulous()), config={"names": ["a"], "tests": ["test_it.py"]})

    with pytest.raises(Malformed, match="probe_answer"):
        probe_suite(silent, ["a"])


def test_a_gameable_suite_is_marked_in_every_comparison_on_it() -> None:
    report = build_report("exp_one", manifest(gameable_by=["do-nothing"]), [])

    assert any(note.startswith("gameable: `do-nothing` passes Standard") for note in report.notes)
    assert ["do-nothing"] == to_json(report)["gameable_by"]
