from __future__ import annotations

from collections.abc import Sequence

import pytest

from nightschool.cli.compare import gate_code
from nightschool.cli.exits import Exit
from nightschool.experiments.integrity import Severity, Threat, Weakness
from nightschool.experiments.ledger import fold
from nightschool.experiments.measures import from_ledger
from nightschool.experiments.report import build_report
from tests.unit.experiments.fakes import events_of, manifest


def better(arm: str, sample: str, epoch: int) -> float:
    return 0.3 + 0.4 * (arm == "pool") + 0.01 * int(sample[1:]) + 0.001 * epoch


REFUSED, TOLD = Severity.REFUSAL, Severity.WARNING


def threat(weakness: Weakness, severity: Severity) -> Threat:
    return Threat(weakness=weakness, severity=severity, text="as found")


@pytest.mark.parametrize(
    ("threats", "expected"),
    [
        ([], Exit.SUCCESS),
        ([threat(Weakness.PEEKING, TOLD)], Exit.SUCCESS),
        ([threat(Weakness.TOO_FEW_PAIRS, REFUSED)], Exit.SUCCESS),
        ([threat(Weakness.DUPLICATED_TRIALS, REFUSED)], Exit.INVALID),
        ([threat(Weakness.LEAKED_GOLD, REFUSED)], Exit.INVALID),
    ],
)
def test_an_experiment_that_forbids_a_claim_is_invalid_however_good_it_looks(
    threats: Sequence[Threat], expected: Exit
) -> None:
    declared = manifest(samples=[f"s{index:02}" for index in range(20)])
    ledger = fold(events_of(declared, better))
    report = build_report("exp_1", declared, from_ledger(ledger))
    assert expected == gate_code(report, threats)
