from __future__ import annotations

import pytest

from nightschool.experiments.ledger import TrialStatus
from nightschool.experiments.measures import Trial
from nightschool.experiments.report import Report, build_report
from nightschool.experiments.report_json import to_json
from nightschool.experiments.report_text import noise_lines
from nightschool.experiments.steadiness import steadiness
from nightschool.outcomes.noise import GraderNoise
from nightschool.outcomes.tiers import DIMENSIONS
from tests.unit.experiments.fakes import manifest

SCATTER = GraderNoise(sd=dict.fromkeys(DIMENSIONS, 0.05))
QUALITIES = {"a": 0.40, "bb": 0.76, "ccc": 1.0}
"""One clear fail, one at the threshold of Standard, one clear pass."""


def trial(sample: str, arm: str = "single") -> Trial:
    scores = {"accuracy": QUALITIES[sample], "format": QUALITIES[sample]}
    return Trial(
        arm=arm,
        sample_id=sample,
        epoch=0,
        status=TrialStatus.COMPLETED,
        values=scores,
        scores=scores,
        tiers={"strict": False, "standard": False, "lenient": False},
    )


def report_of(noise: GraderNoise | None, **declared: object) -> Report:
    plan = manifest(repeats=1, **declared)
    trials = [trial(sample, arm) for arm in plan.arms for sample in QUALITIES]
    return build_report("exp_one", plan, trials, noise=noise)


def test_only_the_verdict_at_the_threshold_lies_inside_the_band() -> None:
    found = steadiness([trial(sample) for sample in QUALITIES], SCATTER, {})

    assert {"strict": 0, "standard": 1, "lenient": 0} == {tier: each.inside for tier, each in found.items()}
    assert pytest.approx(1 / 3) == found["standard"].share_inside
    assert pytest.approx((0.40 + 0.76 + 1.0) / 3 - 0.75) == found["standard"].mean_margin


def test_nothing_is_said_of_a_grader_nobody_measured() -> None:
    assert {} == steadiness([trial("a")], None, {})
    assert {} == steadiness([trial("a")], GraderNoise(sd={"accuracy": 0.05}), {})
    assert {} == steadiness([], SCATTER, {})


def test_the_report_has_a_line_per_arm() -> None:
    said = (
        "inside the noise band are 0% (Strict), 33% (Standard), 0% (Lenient) of the verdicts (grader SD 0.05)"
    )

    assert [f"single: {said}", f"pool: {said}"] == noise_lines(report_of(SCATTER))


def test_the_declared_deviation_is_used_where_none_is_given() -> None:
    declared = report_of(None, grader_sd={"accuracy": 0.05, "format": 0.0})

    assert "(grader SD 0 to 0.05)" in noise_lines(declared)[0]
    assert [] == noise_lines(report_of(None))


def test_scores_by_code_are_said_to_be_the_same_again() -> None:
    lines = noise_lines(report_of(None, grader_sd={"accuracy": 0.0, "format": 0.0}))

    assert ["grader: every score is decided by code, so the same answer is graded the same again"] == lines


def test_programs_get_the_same_numbers() -> None:
    sent = to_json(report_of(GraderNoise(sd=SCATTER.sd, repeats=3, joined_by="median")))

    assert {"sd": dict(SCATTER.sd), "repeats": 3, "joined_by": "median"} == sent["grader"]
    assert (3, 1) == (
        sent["arms"][0]["noise"]["standard"]["verdicts"],
        sent["arms"][0]["noise"]["standard"]["inside"],
    )
    assert (None, None) == (to_json(report_of(None))["grader"], to_json(report_of(None))["arms"][0]["noise"])


def test_the_curve_over_thresholds_passes_all_at_nothing_and_fewer_as_more_is_asked() -> None:
    curve = dict(to_json(report_of(None))["arms"][0]["sweeps"]["standard"])

    assert (1.0, pytest.approx(2 / 3), pytest.approx(1 / 3)) == (curve[0.4], curve[0.75], curve[0.8])
    assert sorted(curve.values(), reverse=True) == list(curve.values())


def test_there_is_no_curve_before_every_trial_is_accounted_for() -> None:
    plan = manifest(repeats=2)
    unfinished = build_report("exp_one", plan, [trial("a")])

    assert {} == to_json(unfinished)["arms"][0]["sweeps"]
