from __future__ import annotations

from collections.abc import Callable
from typing import Any
from xml.etree.ElementTree import fromstring

import numpy as np
import pytest

from nightschool.core.errors import InvalidInput
from nightschool.experiments.gate import Gate, GateResult, judge_gate
from nightschool.experiments.gate_output import gate_json, gate_junit, gate_markdown
from nightschool.experiments.integrity import threats
from nightschool.experiments.ledger import Ledger, fold
from nightschool.experiments.measures import from_ledger
from nightschool.experiments.report import build_report
from nightschool.experiments.rivals import rivals_report
from nightschool.experiments.statistics import Verdict
from tests.unit.experiments.fakes import events_of, manifest

SAMPLES = [f"s{index:02}" for index in range(24)]


def shifted(shift: float, scatter: float = 0.02, seed: int = 0) -> Callable[[str, str, int], float]:
    """The pool is shifted against the single agent."""
    rng = np.random.default_rng(seed)
    noise = {
        (arm, s, e): rng.normal(0, scatter) for arm in ("single", "pool") for s in SAMPLES for e in (0, 1)
    }
    return lambda arm, sample, epoch: float(0.5 + shift * (arm == "pool") + noise[arm, sample, epoch])


def ledger(shift: float, scatter: float = 0.02, draw: int = 0, **changes: Any) -> Ledger:
    return fold(events_of(manifest(samples=SAMPLES, **changes), shifted(shift, scatter, draw)))


def gated(found: Ledger, min_effect: float) -> Gate:
    report = build_report("exp_1", found.manifest, from_ledger(found))
    return judge_gate(report, threats(report, found), min_effect=min_effect)


@pytest.mark.parametrize(
    ("shift", "scatter", "min_effect", "expected"),
    [
        (0.1, 0.02, 0.0, GateResult.PASS),
        (-0.1, 0.02, 0.0, GateResult.REGRESSION),
        (0.0, 0.02, 0.0, GateResult.INCONCLUSIVE),
        (0.0, 0.02, 0.05, GateResult.PASS),
        (-0.02, 0.02, 0.05, GateResult.PASS),
        (-0.1, 0.02, 0.05, GateResult.REGRESSION),
        (-0.02, 0.2, 0.05, GateResult.INCONCLUSIVE),
    ],
)
def test_a_change_passes_when_a_loss_that_matters_is_ruled_out(
    shift: float, scatter: float, min_effect: float, expected: GateResult
) -> None:
    assert expected == gated(ledger(shift, scatter), min_effect).result


def test_equal_sides_within_a_declared_delta_are_called_the_same() -> None:
    found = ledger(0.0, smallest_effect=0.05)
    (contrast,) = build_report("exp_1", found.manifest, from_ledger(found)).confirmatory
    assert Verdict.EQUIVALENT == contrast.verdict
    assert contrast.p_equivalence is not None
    assert 0.05 >= contrast.p_equivalence


def test_a_declaration_without_the_new_fields_keeps_its_hash() -> None:
    fields = manifest().model_dump(mode="json")
    assert {"smallest_effect", "factors", "stop_rule", "budget", "sources"} <= fields.keys()


def test_one_arm_of_two_experiments_can_be_compared() -> None:
    before, after = ledger(0.0), ledger(-0.2, draw=1)
    report = rivals_report(
        after, before, arm="pool", baseline_arm="pool", alpha=0.05, names=("exp_2", "exp_1")
    )
    gate = judge_gate(report, threats(report, Ledger()), min_effect=0.05)
    assert GateResult.REGRESSION == gate.result
    assert ("pool@exp_2", "pool@exp_1") == (gate.checks[0].treatment, gate.checks[0].baseline)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"seed": 9}, "seed"),
        ({"suite_hash": "changed"}, "suite's files"),
        ({"primary_metric": "accuracy"}, "metric"),
    ],
)
def test_experiments_of_different_worlds_are_not_paired(changes: dict[str, Any], reason: str) -> None:
    with pytest.raises(InvalidInput, match=reason):
        rivals_report(
            ledger(0.0, **changes), ledger(0.0), arm="pool", baseline_arm="pool", alpha=0.05, names=("b", "a")
        )


def test_an_arm_that_an_experiment_lacks_is_named() -> None:
    with pytest.raises(InvalidInput, match="no arm `script`"):
        rivals_report(
            ledger(0.0), ledger(0.0), arm="script", baseline_arm="pool", alpha=0.05, names=("b", "a")
        )


@pytest.mark.parametrize(("shift", "tag"), [(0.1, "system-out"), (-0.1, "failure"), (0.0, "skipped")])
def test_junit_tells_the_verdicts_apart(shift: float, tag: str) -> None:
    root = fromstring(gate_junit(gated(ledger(shift), 0.0)))  # noqa: S314  # our own
    assert ("2", 1) == (root.get("tests"), len(root.findall(f"testcase/{tag}")))


def test_an_invalid_experiment_is_an_error_in_junit() -> None:
    found = fold(events_of(manifest(samples=SAMPLES), shifted(0.1))[:-1])
    gate = gated(found, 0.0)
    root = fromstring(gate_junit(gate))  # noqa: S314  # our own
    assert GateResult.INVALID == gate.result
    assert 0 < int(root.get("errors") or 0)


def test_markdown_and_json_say_the_same() -> None:
    gate = gated(ledger(-0.1, brain="simulated"), 0.0)
    assert "gate: regression" in gate_markdown(gate)
    assert "**simulated**" in gate_markdown(gate)
    assert ("regression", True) == (gate_json(gate)["result"], gate_json(gate)["simulated"])
