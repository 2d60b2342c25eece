"""Five broken experiments and what else can be wrong with one: each is refused or flagged by its name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from nightschool.events.experiment import ExperimentLooked, TrialCompleted
from nightschool.events.union import Event
from nightschool.experiments.gate import GateResult, judge_gate
from nightschool.experiments.integrity import Severity, Threat, Weakness, refusals, threats
from nightschool.experiments.ledger import fold
from nightschool.experiments.measures import from_ledger
from nightschool.experiments.report import Report, build_report
from tests.unit.experiments.fakes import completed, events_of, failed, manifest

SAMPLES = [f"s{index:02}" for index in range(20)]


def better(arm: str, sample: str, epoch: int) -> float:
    """A pool that is better by a fifth, with some scatter."""
    return 0.3 + 0.2 * (arm == "pool") + 0.01 * ((int(sample[1:]) * 7 + epoch * 3 + len(arm)) % 9)


def looked_over(events: Sequence[Event], **options: Any) -> tuple[Report, list[Threat]]:
    ledger = fold(events)
    report = build_report("exp_1", ledger.manifest, from_ledger(ledger))
    return report, threats(report, ledger, **options)


def named(found: Sequence[Threat]) -> set[Weakness]:
    return {threat.weakness for threat in found}


def whole(**changes: Any) -> list[Event]:
    declared = manifest(samples=SAMPLES, repeats=2, grader_sd={"accuracy": 0.0}, **changes)
    return events_of(declared, better)


def gate_of(report: Report, found: Sequence[Threat]) -> GateResult:
    return judge_gate(report, found, min_effect=0.0).result


def test_a_sound_experiment_has_nothing_to_be_told() -> None:
    report, found = looked_over(whole())
    assert ([], GateResult.PASS) == (
        [t for t in found if t.weakness != Weakness.GRADER_UNKNOWN],
        gate_of(report, found),
    )


def test_a_missing_arm_is_refused() -> None:
    events = [event for event in whole() if getattr(event, "arm", "") != "pool"]
    report, found = looked_over(events)
    (refused,) = refusals(found)
    assert (Weakness.MISSING_ARM, "`pool` has none of its 40 trials") == (refused.weakness, refused.text)
    assert GateResult.INVALID == gate_of(report, found)


def test_197_errored_of_240_are_refused_however_good_the_rest_looks() -> None:
    declared = manifest(samples=SAMPLES, repeats=6)
    created, *trials = events_of(declared, better)
    broken = [failed(t.arm, t.sample_id, t.epoch) for t in trials[:197] if isinstance(t, TrialCompleted)]
    report, found = looked_over([created, *broken, *trials[197:]])
    assert 240 == declared.expected
    assert Weakness.ERRORED_TRIALS in named(refusals(found))
    assert any("197 of 240" in threat.text for threat in found)
    assert GateResult.INVALID == gate_of(report, found)


def test_duplicated_trials_are_refused() -> None:
    again = [completed("pool", sample, 0, 1.0, trial_id=f"trial_again_{sample}") for sample in SAMPLES[:5]]
    report, found = looked_over([*whole(), *again])
    (refused,) = refusals(found)
    assert Weakness.DUPLICATED_TRIALS == refused.weakness
    assert "5 trials have more than one result" in refused.text
    assert GateResult.INVALID == gate_of(report, found)


def look(recorded: int) -> ExperimentLooked:
    return ExperimentLooked(id=f"evt_{recorded}", experiment_id="exp_1", recorded=recorded, expected=80)


def test_reading_results_before_the_end_is_flagged_as_peeking() -> None:
    _, found = looked_over([*whole(), look(20), look(40)])
    (flagged,) = [threat for threat in found if threat.weakness is Weakness.PEEKING]
    assert (Severity.WARNING, True) == (flagged.severity, "read 2 times" in flagged.text)


def test_a_design_that_allows_for_looks_may_be_looked_at() -> None:
    _, found = looked_over([*whole(stop_rule="sequence"), look(20)])
    assert Weakness.PEEKING not in named(found)


def test_looking_after_the_last_trial_is_no_peeking() -> None:
    _, found = looked_over([*whole(), look(80)])
    assert Weakness.PEEKING not in named(found)


def test_missing_trials_are_refused() -> None:
    _, found = looked_over(whole()[:-3])
    assert {Weakness.MISSING_TRIALS} == named(refusals(found))


def test_a_trial_that_nobody_declared_is_refused() -> None:
    report, found = looked_over([*whole(), completed("pool", "of-another-suite", 0, 0.5)])
    assert {Weakness.FOREIGN_TRIALS} == named(refusals(found))
    assert GateResult.INVALID == gate_of(report, found)


def test_a_few_errors_are_told_and_errors_on_one_side_are_told_apart() -> None:
    events = whole()
    few = [
        failed(e.arm, e.sample_id, e.epoch) if e.id == events[5].id else e
        for e in events
        if isinstance(e, TrialCompleted)
    ]
    _, found = looked_over([events[0], *few])
    assert [Severity.WARNING] == [t.severity for t in found if t.weakness is Weakness.ERRORED_TRIALS]
    one_sided = [
        failed(e.arm, e.sample_id, e.epoch) if e.arm == "pool" and e.epoch == 0 else e
        for e in events
        if isinstance(e, TrialCompleted)
    ]
    _, found = looked_over([events[0], *one_sided])
    assert Weakness.UNEVEN_ERRORS in named(found)


@pytest.mark.parametrize(("level", "expected"), [(1.0, Weakness.CEILING), (0.0, Weakness.FLOOR)])
def test_scores_at_the_end_of_the_scale_leave_no_room(level: float, expected: Weakness) -> None:
    _, found = looked_over(events_of(manifest(samples=SAMPLES), lambda *_: level))
    assert expected in named(found)


def test_too_few_samples_are_refused() -> None:
    report, found = looked_over(events_of(manifest(), lambda arm, *_: float(arm == "pool")))
    assert Weakness.TOO_FEW_PAIRS in named(refusals(found))
    assert GateResult.INVALID == gate_of(report, found)


def test_what_is_declared_about_suite_brain_and_grader_is_told() -> None:
    declared = manifest(
        samples=SAMPLES,
        brain="simulated",
        gameable_by=["do-nothing"],
        grader_sd=dict.fromkeys(("accuracy", "completeness", "format"), 0.2),
    )
    _, found = looked_over(events_of(declared, better), earlier=["exp_0"])
    assert {Weakness.SIMULATED, Weakness.GAMEABLE, Weakness.GRADER_NOISE, Weakness.ASKED_BEFORE} <= named(
        found
    )


def test_refusals_come_first() -> None:
    _, found = looked_over(whole()[:-3], earlier=["exp_0"])
    assert sorted(found, key=lambda t: t.severity is Severity.WARNING) == found
