from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from nightschool.core.clock import FrozenClock
from nightschool.core.errors import ModelUnavailable
from nightschool.core.retry import RetryPolicy
from nightschool.core.usage import Usage
from nightschool.events.experiment import ExperimentStopped, TrialStarted
from nightschool.experiments.design import Manifest, TrialSpec, trial_order
from nightschool.experiments.gate import GateResult, judge_gate
from nightschool.experiments.integrity import Weakness, threats
from nightschool.experiments.ledger import Ledger, fold
from nightschool.experiments.measures import from_ledger
from nightschool.experiments.report import Report, build_report
from nightschool.experiments.runner import ArmResult, RunOutcome, run
from nightschool.experiments.statistics import Verdict
from nightschool.experiments.stop_rule import StopRule
from nightschool.experiments.suite import Drawn
from tests.unit.experiments.fakes import Killed, MemoryLog, events_of, manifest, suite

pytestmark = pytest.mark.anyio

EXPERIMENT = "exp_one"
SAMPLES = [f"s{index:02}" for index in range(40)]


def declared(**changes: Any) -> Manifest:
    fields = {"samples": SAMPLES, "repeats": 1, "stop_rule": "sequence"}
    return manifest(**(fields | changes))


def chance(*parts: object) -> float:
    return random.Random(" ".join(map(str, parts))).gauss(0, 0.05)


@dataclass
class Arm:
    """Answers as well as it is told to, give or take chance."""

    gain: float = 0.0
    worked: list[TrialSpec] = field(default_factory=list)
    before: Callable[[TrialSpec], None] | None = None

    def quality(self, arm: str, sample: str, epoch: int) -> float:
        return 0.5 + self.gain * (arm == "pool") + chance(arm, sample, epoch)

    async def __call__(self, trial: TrialSpec, drawn: Drawn) -> ArmResult:
        if self.before is not None:
            self.before(trial)
        self.worked.append(trial)
        quality = self.quality(trial.arm, trial.sample_id, trial.epoch)
        return ArmResult(
            answer={"document": drawn.document, "quality": quality},
            usage=Usage(input_tokens=1, output_tokens=1),
            tool_calls=0,
            model_calls=1,
            root_session_id=f"sesn_{trial.trial_id}",
        )


async def go(log: MemoryLog, arm: Arm, **options: Any) -> RunOutcome:
    return await run(
        options.pop("declared", None) or declared(),
        log=log,
        run_trial=arm,
        suite=suite(),
        clock=FrozenClock(),
        experiment_id=EXPERIMENT,
        retry=RetryPolicy(first_delay_seconds=0.0),
        **options,
    )


def stops(log: MemoryLog) -> list[ExperimentStopped]:
    return [event for event in log.events if isinstance(event, ExperimentStopped)]


def report(log: MemoryLog) -> tuple[Ledger, Report]:
    ledger = fold(log.events)
    on = None if ledger.stopped is None else ledger.stopped.samples
    return ledger, build_report(EXPERIMENT, ledger.manifest, from_ledger(ledger), stopped_on=on)


async def test_a_run_stops_once_its_question_is_answered_and_says_why() -> None:
    log, arm = MemoryLog(), Arm(gain=0.2)
    outcome = await go(log, arm)
    (stopped,) = stops(log)
    assert len(arm.worked) == stopped.recorded == outcome.completed < outcome.expected
    assert outcome.is_decided
    assert "pool − single" in outcome.stopped
    assert "better" == stopped.looks[0].verdict
    assert len(stopped.samples) == stopped.looks[0].samples


async def test_a_fixed_design_runs_to_its_end() -> None:
    log, arm = MemoryLog(), Arm(gain=0.2)
    outcome = await go(log, arm, declared=declared(stop_rule=None))
    assert ([], len(SAMPLES) * 2, False) == (stops(log), outcome.completed, outcome.is_decided)


async def test_arms_that_are_alike_run_to_the_end() -> None:
    log = MemoryLog()
    outcome = await go(log, Arm())
    assert ([], outcome.expected) == (stops(log), outcome.completed)
    assert "experiment.completed" in log.types()


async def test_arms_that_are_shown_to_be_the_same_within_delta_stop_it_too() -> None:
    log = MemoryLog()
    outcome = await go(log, Arm(), declared=declared(smallest_effect=0.2))
    assert outcome.completed < outcome.expected
    assert str(Verdict.EQUIVALENT) == stops(log)[0].looks[0].verdict
    _, found = report(log)
    assert [Verdict.EQUIVALENT] == [contrast.verdict for contrast in found.confirmatory]


async def test_a_resume_keeps_the_decision_and_begins_nothing() -> None:
    log = MemoryLog()
    await go(log, Arm(gain=0.2))
    before, again = list(log.events), Arm(gain=0.2)
    outcome = await go(log, again)
    assert ([], before, True) == (again.worked, log.events, outcome.is_decided)
    assert outcome.stopped


@pytest.mark.parametrize("after", [9, 25, 32])
async def test_a_run_killed_anywhere_stops_where_it_would_have(after: int) -> None:
    whole = MemoryLog()
    await go(whole, Arm(gain=0.2))
    log = MemoryLog(dies_after=after)
    with pytest.raises(BaseExceptionGroup) as caught:
        await go(log, Arm(gain=0.2))
    assert caught.group_contains(Killed)
    log.dies_after = None
    await go(log, Arm(gain=0.2))
    assert stops(whole)[0].samples == stops(log)[0].samples


async def test_a_decision_that_a_kill_kept_from_the_log_is_made_by_the_resume() -> None:
    log = MemoryLog()
    await go(log, Arm(gain=0.2))
    log.events = [event for event in log.events if not isinstance(event, ExperimentStopped)]
    again = Arm(gain=0.2)
    assert (await go(log, again)).is_decided
    assert ([], 1) == (again.worked, len(stops(log)))


async def test_trials_that_were_under_way_are_kept_and_do_not_change_the_answer() -> None:
    log = MemoryLog()
    await go(log, Arm(gain=0.2), trials_at_once=7)
    (stopped,) = stops(log)
    ledger, found = report(log)
    assert len(ledger.results()) >= stopped.recorded
    assert tuple(stopped.samples) == found.samples
    (contrast,) = found.confirmatory
    assert contrast.comparison is not None
    assert contrast.comparison.interval is not None
    assert (Verdict.BETTER, "sequence") == (contrast.verdict, contrast.comparison.interval.method)
    assert pytest.approx(stopped.looks[0].low) == contrast.comparison.interval.low


async def test_a_stopped_experiment_passes_the_gate_and_is_told_as_stopped() -> None:
    log = MemoryLog()
    await go(log, Arm(gain=0.2))
    ledger, found = report(log)
    dangers = threats(found, ledger)
    assert GateResult.PASS == judge_gate(found, dangers, min_effect=0.05).result
    assert Weakness.STOPPED_EARLY in {threat.weakness for threat in dangers}
    assert Weakness.MISSING_TRIALS not in {threat.weakness for threat in dangers}


async def test_a_loss_that_matters_is_ruled_out_by_intervals_that_hold_at_every_look() -> None:
    log = MemoryLog()
    await go(log, Arm())
    ledger, found = report(log)
    checks = [
        judge_gate(found, threats(found, ledger), min_effect=margin).checks[0] for margin in (0.1, 1e-4)
    ]
    assert [GateResult.PASS, GateResult.INCONCLUSIVE] == [check.result for check in checks]


async def test_a_run_that_was_interrupted_before_an_answer_is_no_experiment_yet() -> None:
    log = MemoryLog(dies_after=14)
    with pytest.raises(BaseExceptionGroup):
        await go(log, Arm())
    ledger, found = report(log)
    assert Weakness.MISSING_TRIALS in {threat.weakness for threat in threats(found, ledger)}


async def test_repeats_of_a_sample_come_one_after_another() -> None:
    order = [spec.sample_id for spec in trial_order(declared(repeats=3), EXPERIMENT)]
    runs = [sample for index, sample in enumerate(order) if not index or order[index - 1] != sample]
    assert len(runs) == len(SAMPLES)


async def test_an_error_that_may_pass_does_not_settle_a_sample() -> None:
    def refuse(trial: TrialSpec) -> None:
        if trial.sample_id == busy:
            raise ModelUnavailable("overloaded")

    busy = trial_order(declared(), EXPERIMENT)[0].sample_id
    log = MemoryLog()
    await go(log, Arm(gain=0.2, before=refuse))
    assert busy not in stops(log)[0].samples


async def test_all_declared_comparisons_must_be_answered() -> None:
    log = MemoryLog()
    three = declared(arms=["single", "pool", "other"])
    outcome = await go(log, Arm(gain=0.2), declared=three)
    assert ([], outcome.expected) == (stops(log), outcome.completed)


async def test_errors_for_good_are_counted_beside_the_answer() -> None:
    def fail(trial: TrialSpec) -> None:
        if trial.arm == "pool" and trial.sample_id in {"s03", "s11"}:
            raise ValueError("no such thing")

    log = MemoryLog()
    await go(log, Arm(gain=0.2, before=fail))
    _, found = report(log)
    assert [0, len({"s03", "s11"} & set(found.samples))] == [arm.counts.errored for arm in found.arms]
    assert found.is_complete


def test_a_log_without_an_end_says_nothing_is_decided() -> None:
    rule = StopRule(declared(), EXPERIMENT, Ledger())
    assert ("", None) == (rule.reason, rule.look_back())


@pytest.mark.nightly
@pytest.mark.timeout(600)
def test_two_arms_that_are_the_same_stop_a_run_in_at_most_5_of_100_seeds() -> None:
    """Looked at after every sample of whole simulated experiments, with the rule that stops a run."""
    seeds, stopped = 400, 0
    for seed in range(seeds):
        plan = declared(seed=seed)
        quality = lambda arm, sample, epoch, seed=seed: 0.5 + chance(seed, arm, sample, epoch)  # noqa: E731
        rule = StopRule(plan, EXPERIMENT, Ledger())
        stopped += any(rule.ended(event) for event in events_of(plan, quality)[1:])  # type: ignore[arg-type]
    assert stopped <= 0.05 * seeds


def test_started_trials_settle_nothing() -> None:
    started = [
        TrialStarted(
            id=f"evt_{spec.trial_id}",
            experiment_id=EXPERIMENT,
            trial_id=spec.trial_id,
            arm=spec.arm,
            sample_id=spec.sample_id,
            epoch=spec.epoch,
        )
        for spec in trial_order(declared(), EXPERIMENT)
    ]
    assert StopRule(declared(), EXPERIMENT, fold(started)).look_back() is None
