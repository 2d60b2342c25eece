from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest
from scipy import stats

from nightschool.experiments.design import Manifest
from nightschool.experiments.ledger import TrialStatus
from nightschool.experiments.measures import Trial, regrade_all
from nightschool.experiments.report import ArmReport, Report, build_report
from nightschool.experiments.report_json import to_json
from nightschool.experiments.report_text import arm_table, contrast_line, counts_table, length_table
from nightschool.experiments.statistics import Verdict
from tests.unit.experiments.fakes import manifest

ARMS = ("single", "subagents", "orchestrated")
SAMPLES = tuple(f"c{index:02}" for index in range(12))
PLAN = manifest(arms=list(ARMS), samples=list(SAMPLES))

Quality = Callable[[str, int, int], float]
"""Arm, number of the sample and repeat to a quality."""


def graded(arm: str, sample: str, epoch: int, quality: float, **changes: Any) -> Trial:
    scores = {"accuracy": quality, "completeness": quality, "format": 1.0}
    consumed = {"tokens": 1000.0 + 10 * epoch, "duration_seconds": 2.0, "false_flags": 3.0 - quality}
    trial = Trial(
        arm=arm,
        sample_id=sample,
        epoch=epoch,
        status=TrialStatus.COMPLETED,
        values={**scores, **consumed},
        scores=scores,
        tiers={"strict": quality >= 0.9, "standard": quality >= 0.6, "lenient": quality >= 0.4},
        pages=10.0 * (1 + SAMPLES.index(sample)),
    )
    return replace(trial, **changes)


def errored(trial: Trial, code: str = "model_unavailable") -> Trial:
    return Trial(
        arm=trial.arm,
        sample_id=trial.sample_id,
        epoch=trial.epoch,
        status=TrialStatus.ERRORED,
        error_code=code,
    )


def trials(quality: Quality, plan: Manifest = PLAN) -> list[Trial]:
    return [
        graded(arm, sample, epoch, quality(arm, SAMPLES.index(sample), epoch))
        for arm, sample, epoch in itertools.product(plan.arms, plan.samples, range(plan.repeats))
    ]


def better_by_a_fifth(arm: str, sample: int, epoch: int) -> float:
    gain = {"single": 0.0, "subagents": 0.0, "orchestrated": 0.2}[arm]
    noise = ((sample * 7 + epoch * 3 + len(arm)) % 5 - 2) / 50
    return 0.3 + sample / 40 + gain + noise


def report_of(every: list[Trial], plan: Manifest = PLAN) -> Report:
    return build_report("exp_one", plan, every)


@pytest.fixture(scope="module")
def report() -> Report:
    """The report of an experiment in which one of two arms is better by a fifth."""
    return report_of(trials(better_by_a_fifth))


def arms_of(report: Report) -> Mapping[str, ArmReport]:
    return {arm.arm: arm for arm in report.arms}


def test_means_are_over_samples_with_repeats_averaged_inside(report: Report) -> None:
    single = arms_of(report)["single"].metrics["completeness"]
    means = [sum(better_by_a_fifth("single", s, e) for e in (0, 1)) / 2 for s in range(12)]
    assert pytest.approx(sum(means) / 12) == single.mean
    assert (12, 24) == (single.n, single.trials)
    expected = stats.t.interval(0.95, 11, loc=sum(means) / 12, scale=stats.sem(means))
    assert single.interval is not None
    assert pytest.approx(expected) == (
        single.interval.low,
        single.interval.high,
    )


def test_the_declared_family_comes_first_and_is_judged_better_where_it_is(report: Report) -> None:
    assert [
        ("subagents", "single", "completeness", "confirmatory", Verdict.UNDECIDED),
        ("orchestrated", "single", "completeness", "confirmatory", Verdict.BETTER),
    ] == [(c.treatment, c.baseline, c.metric, c.role, c.verdict) for c in report.contrasts[:2]]
    assert report.confirmatory == report.contrasts[:2]
    assert {"exploratory"} == {c.role for c in report.contrasts[2:]}


def test_p_is_corrected_for_the_size_of_the_family(report: Report) -> None:
    best = report.confirmatory[1]
    assert best.comparison is not None
    assert best.comparison.p is not None
    assert pytest.approx(2 * best.comparison.p) == best.p_holm


def test_fewer_false_flags_and_tokens_are_better(report: Report) -> None:
    verdicts = {(c.metric, c.treatment): c.verdict for c in report.contrasts}
    assert Verdict.BETTER == verdicts["false_flags", "orchestrated"]
    slower = [
        replace(t, values={**t.values, "tokens": t.values["tokens"] * (1 + (t.arm == "orchestrated"))})
        for t in trials(better_by_a_fifth)
    ]
    verdicts = {(c.metric, c.treatment): c.verdict for c in report_of(slower).contrasts}
    assert Verdict.WORSE == verdicts["tokens", "orchestrated"]


def test_no_mean_is_given_before_every_trial_of_the_arm_is_recorded() -> None:
    every = trials(better_by_a_fifth)
    unfinished = [t for t in every if (t.arm, t.sample_id, t.epoch) != ("orchestrated", "c03", 1)]
    report = report_of(unfinished)
    arm = arms_of(report)["orchestrated"]
    assert (False, 24, 23, 1) == (
        report.is_complete,
        arm.counts.expected,
        arm.counts.recorded,
        arm.counts.missing,
    )
    assert (None, None) == (arm.metrics["completeness"].mean, arm.metrics["completeness"].interval)
    assert arm.metrics["completeness"].bounds is not None
    assert arm.metrics["tokens"].bounds is None
    assert arms_of(report)["single"].metrics["completeness"].mean is not None
    contrast = report.confirmatory[1]
    assert (None, None, Verdict.UNDECIDED) == (contrast.comparison, contrast.p_holm, contrast.verdict)
    assert "orchestrated: 23 of 24 trials recorded; no mean is given yet" in report.notes


def test_a_trial_under_way_is_not_recorded() -> None:
    every = trials(better_by_a_fifth)
    every[0] = Trial(arm="single", sample_id="c00", epoch=0, status=TrialStatus.STARTED)
    assert 1 == arms_of(report_of(every))["single"].counts.missing


def test_an_errored_trial_is_counted_and_named_and_never_a_zero() -> None:
    every = trials(better_by_a_fifth)
    report = report_of([errored(t) if t.sample_id == "c03" and t.epoch == 1 else t for t in every])
    arm = arms_of(report)["single"]
    assert (24, 24, 1, 23) == (
        arm.counts.expected,
        arm.counts.recorded,
        arm.counts.errored,
        arm.counts.graded,
    )
    assert {"model_unavailable": 1} == arm.counts.errors
    untouched = arms_of(report_of(every))["single"].metrics["completeness"].mean
    assert pytest.approx(untouched, abs=0.01) == arm.metrics["completeness"].mean
    assert "single: 1 of 24 trials errored (1 model_unavailable)" in report.notes


def test_a_verdict_that_the_errored_trials_could_turn_round_is_not_given() -> None:
    """Ten of twenty-four trials lost from one arm: the fourteen that remain prove nothing about the ten."""
    every = [
        errored(t) if t.arm == "orchestrated" and t.sample_id < "c05" else t
        for t in trials(better_by_a_fifth)
    ]
    contrast = report_of(every).confirmatory[1]
    assert contrast.p_holm is not None
    assert contrast.p_holm < 0.05
    assert (Verdict.UNDECIDED, "the trials that errored could turn the difference round") == (
        contrast.verdict,
        contrast.note,
    )


def test_a_metric_that_a_result_leaves_out_is_not_a_missing_trial() -> None:
    """A contract without cross-references has no recall of them."""
    every = [
        replace(t, values={**t.values, "recall": 0.5}) if t.sample_id != "c00" else t
        for t in trials(better_by_a_fifth)
    ]
    recall = arms_of(report_of(every))["single"].metrics["recall"]
    assert (11, 22, 0.5, None) == (recall.n, recall.trials, recall.mean, recall.bounds)


def test_too_few_samples_are_reported_without_a_test() -> None:
    plan = manifest(arms=["single", "orchestrated"], samples=list(SAMPLES[:5]))
    (contrast,) = report_of(trials(better_by_a_fifth, plan), plan).confirmatory
    assert contrast.comparison is not None
    assert (5, None, None) == (contrast.comparison.n_pairs, contrast.p_holm, contrast.detectable)
    assert "at least 6" in contrast.note


def test_an_interval_does_not_reach_where_the_metric_cannot() -> None:
    plan = manifest(arms=["single"], samples=list(SAMPLES[:2]))
    every = trials(lambda _a, s, _e: float(s), plan)
    every = [replace(t, values={**t.values, "tokens": 1 + 9 * t.values["accuracy"]}) for t in every]
    metrics = arms_of(report_of(every, plan))["single"].metrics
    share, tokens = metrics["accuracy"].interval, metrics["tokens"].interval
    assert share is not None
    assert tokens is not None
    assert (0.0, 1.0, 0.0) == (share.low, share.high, tokens.low)
    assert tokens.high > 10


def test_pass_rates_have_wilsons_interval_over_samples() -> None:
    plan = manifest(arms=["single"], samples=list(SAMPLES))
    rate = arms_of(report_of(trials(lambda _a, s, _e: s / 11, plan), plan))["single"].tiers["lenient"]
    assert (12, 24, 7 / 12) == (rate.n, rate.trials, rate.mean)
    assert rate.interval is not None
    assert "wilson" == rate.interval.method


def test_an_arm_alone_has_no_contrasts() -> None:
    plan = manifest(arms=["single"], samples=list(SAMPLES))
    assert () == report_of(trials(better_by_a_fifth, plan), plan).contrasts


def test_stability_over_repeats_is_measured_where_no_single_trial_can_have_it() -> None:
    steady = arms_of(report_of(trials(lambda _a, s, _e: s / 11)))["single"]
    flickering = arms_of(report_of(trials(lambda _a, _s, e: float(e))))["single"]
    assert (1.0, 0.0) == (steady.metrics["consistency"].mean, flickering.metrics["consistency"].mean)


def test_documents_are_grouped_by_length_in_three_of_about_equal_size(report: Report) -> None:
    assert [(10, 40, 4), (50, 80, 4), (90, 120, 4)] == [
        (bin_.shortest, bin_.longest, bin_.samples) for bin_ in report.lengths
    ]
    assert [("subagents", "exploratory"), ("orchestrated", "exploratory")] == [
        (c.treatment, c.role) for c in report.lengths[0].contrasts
    ]


def test_documents_of_one_length_are_not_grouped() -> None:
    every = [replace(t, pages=10.0) for t in trials(better_by_a_fifth)]
    assert () == report_of(every).lengths


def test_documents_of_the_same_length_stay_together() -> None:
    every = [replace(t, pages=5.0 if t.sample_id < "c07" else 50.0) for t in trials(better_by_a_fifth)]
    assert [7, 5] == [bin_.samples for bin_ in report_of(every).lengths]


def test_times_are_of_uninterrupted_trials_and_the_report_says_how_many() -> None:
    every = trials(better_by_a_fifth)
    every[0] = replace(every[0], values={k: v for k, v in every[0].values.items() if k != "duration_seconds"})
    report = report_of(every)
    assert 23 == arms_of(report)["single"].metrics["duration_seconds"].trials
    assert "single: times are of the 23 trials that were not interrupted" in report.notes


def test_simulated_numbers_are_labelled() -> None:
    plan = manifest(arms=list(ARMS), samples=list(SAMPLES), brain="simulated")
    report = report_of(trials(better_by_a_fifth), plan)
    assert report.is_simulated
    assert report.notes[0].startswith("simulated:")


def test_neither_the_order_of_trials_nor_undeclared_ones_change_the_report(report: Report) -> None:
    every = trials(better_by_a_fifth)
    strangers = [replace(every[0], arm="swarm"), replace(every[0], epoch=7)]
    assert to_json(report) == to_json(report_of([*reversed(every), *strangers]))


def test_kept_scores_are_judged_anew_with_other_weights_for_free() -> None:
    every = trials(lambda _a, _s, _e: 0.5)
    plain = arms_of(report_of(regrade_all(every, {})))["single"].tiers
    formal = arms_of(report_of(regrade_all(every, {"format": 10.0})))["single"].tiers
    assert (0.0, 1.0) == (plain["standard"].mean, formal["standard"].mean)
    assert (0.0, 0.0) == (plain["strict"].mean, formal["strict"].mean)


def test_the_json_has_what_a_program_needs_and_survives_the_wire(report: Report) -> None:
    sent = to_json(report)
    assert sent == json.loads(json.dumps(sent, allow_nan=False))
    arm, contrast = sent["arms"][0], sent["contrasts"][1]
    assert ("single", 12, 24, 24, 0) == tuple(
        arm[key] for key in ("arm", "n", "expected", "recorded", "errored")
    )
    assert arm["interval"][0] < arm["mean"] < arm["interval"][1]
    assert ("orchestrated", "single", "better", 12) == tuple(
        contrast[key] for key in ("treatment", "baseline", "verdict", "n_pairs")
    )
    assert contrast["interval"][0] < contrast["difference"] < contrast["interval"][1]
    assert 0 < contrast["p"] < contrast["p_holm"] < 0.05
    assert contrast["mde"] > 0


def test_the_json_of_an_experiment_just_begun_has_nulls_and_no_zeroes() -> None:
    report = to_json(report_of([]))
    arm, contrast = report["arms"][0], report["contrasts"][0]
    assert (None, None, 0, 24) == (arm["mean"], arm["interval"], arm["recorded"], arm["expected"])
    assert (None, None, "cannot be told apart") == (
        contrast["difference"],
        contrast["p"],
        contrast["verdict"],
    )


def test_the_table_shows_each_arm_with_its_intervals(report: Report) -> None:
    table = arm_table(report)
    assert ("arm", "accuracy", "complete", "false flags", "tokens") == table.columns[:5]
    assert ("Strict", "Standard", "Lenient") == table.columns[-3:]
    assert list(ARMS) == [row[0] for row in table.rows]
    assert {len(table.columns)} == {len(row) for row in table.rows}
    assert table.rows[0][2].startswith("0.44 [0.")
    assert "1.0k [1.0k, 1.0k]" == table.rows[0][4]


def test_the_table_of_an_unfinished_arm_shows_what_is_possible_instead_of_a_mean() -> None:
    every = [t for t in trials(better_by_a_fifth) if t.sample_id != "c11"]
    table = arm_table(report_of(every))
    assert table.rows[0][2].endswith("possible")
    assert "–" == table.rows[0][4]


def test_a_comparison_is_a_sentence_with_all_its_verdict_rests_on(report: Report) -> None:
    line = contrast_line(report.confirmatory[1])
    assert line.startswith("orchestrated − single, completeness: +0.2")
    assert "paired over 12 documents, Holm p < 0.001, detectable 0.0" in line
    assert line.endswith("verdict: better")
    assert "cannot be told apart (not compared before" in contrast_line(report_of([]).confirmatory[0])


def test_counts_and_lengths_are_tables_too(report: Report) -> None:
    assert ("single", "24", "24", "0", "24") == counts_table(report).rows[0]
    lengths = length_table(report)
    assert ("completeness by pages", "docs", *ARMS) == lengths.columns
    assert ("10–40", "4") == lengths.rows[0][:2]
