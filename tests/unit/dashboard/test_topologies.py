"""What coordination costs and brings: estimates, amplification against one agent, and their charts."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from nightschool.dashboard.charts import Axis, Estimate
from nightschool.dashboard.palette import arm_styles
from nightschool.dashboard.topologies import amplification, estimates, topology_table
from nightschool.dashboard.topology_charts import (
    amplification_chart,
    gain_chart,
    measure_chart,
    samples_behind,
    speed_up_chart,
)
from nightschool.dashboard.width_sweep import gains, speed_ups
from nightschool.experiments.design import Manifest
from nightschool.experiments.ledger import TrialStatus
from nightschool.experiments.measures import Trial
from nightschool.experiments.report import Report, build_report

ARMS = ("single", "hybrid")
SAMPLES = tuple("abcdefgh")
STYLES = arm_styles(ARMS)
TIMES = Axis(title="×")


def trial(arm: str, sample: str, accuracy: float, **values: float) -> Trial:
    return Trial(
        arm=arm,
        sample_id=sample,
        epoch=0,
        status=TrialStatus.COMPLETED,
        values={"accuracy": accuracy, **values},
        scores={"accuracy": accuracy},
    )


def measured(arm: str, accuracies: Sequence[float], **values: float) -> list[Trial]:
    pairs = zip(SAMPLES, accuracies, strict=True)
    return [trial(arm, sample, accuracy, **values) for sample, accuracy in pairs]


def report_of(trials: Sequence[Trial], arms: Sequence[str] = ARMS) -> Report:
    manifest = Manifest(
        suite="orchestration",
        suite_hash="0",
        arms=tuple(arms),
        arm_hashes=dict.fromkeys(arms, "0"),
        samples=SAMPLES,
        repeats=1,
        seed=1,
        brain="simulated",
        code_version="1",
        primary_metric="accuracy",
        declared_at=datetime(2026, 1, 1, tzinfo=UTC),
    )
    return build_report("exp_1", manifest, trials)


HALF = measured("single", [0.5, 0.6, 0.4, 0.7, 0.5, 0.3, 0.5, 0.5], work_seconds=30, span_seconds=30)
SURE = measured("hybrid", [0.8, 0.7, 0.9, 0.7, 0.8, 0.7, 0.9, 0.5], work_seconds=60, span_seconds=20)


def test_work_over_span_is_taken_in_each_trial() -> None:
    trials = [*HALF, *SURE]
    found = estimates(report_of(trials), trials)

    assert {"work_over_span", "span_seconds"} == set(found)
    assert Estimate(value=3.0, low=3.0, high=3.0, n=8) == found["work_over_span"]["hybrid"]
    assert 1.0 == found["work_over_span"]["single"].value


def test_an_interval_ends_where_a_measure_cannot_go() -> None:
    trials = [
        trial(arm, sample, 0.5, idle=idle)
        for arm in ARMS
        for sample, idle in zip(SAMPLES, (1, *[0.0] * 7), strict=True)
    ]
    found = estimates(report_of(trials), trials)["idle"]["single"]

    assert (0.125, 0.0) == (found.value, found.low)


def test_errors_are_related_to_those_of_one_agent_on_the_same_samples() -> None:
    trials = [*HALF, *SURE]
    found = amplification(report_of(trials), trials)

    assert ["hybrid"] == list(found)
    hybrid = found["hybrid"]
    assert pytest.approx(2.0 / 4.0) == hybrid.value
    assert 8 == hybrid.n
    assert hybrid.low is not None
    assert hybrid.high is not None
    assert hybrid.low < 0.5 < hybrid.high < 1


def test_a_sample_that_one_side_lacks_does_not_count() -> None:
    lost = Trial(arm="hybrid", sample_id="a", epoch=0, status=TrialStatus.ERRORED, error_code="timeout")
    trials = [*HALF, lost, *SURE[1:]]

    found = amplification(report_of(trials), trials)["hybrid"]

    assert 7 == found.n
    assert pytest.approx(1.8 / 3.5) == found.value


def test_an_error_that_the_suite_measured_itself_goes_before_one_minus_accuracy() -> None:
    trials = [
        *measured("single", [0.5] * 8, error=0.2),
        *measured("hybrid", [0.5] * 8, error=0.6),
    ]

    assert pytest.approx(3.0) == amplification(report_of(trials), trials)["hybrid"].value


@pytest.mark.parametrize(
    ("arms", "trials"),
    [
        (("hybrid",), SURE),
        (ARMS, [*HALF[1:], *SURE]),
        (ARMS, [*measured("single", [1.0] * 8), *SURE]),
    ],
    ids=["no single", "single under way", "single without error"],
)
def test_amplification_is_absent_where_there_is_nothing_to_relate_to(
    arms: Sequence[str], trials: Sequence[Trial]
) -> None:
    assert {} == amplification(report_of(trials, arms), trials)


def test_the_table_leaves_out_what_was_not_measured() -> None:
    trials = [*HALF, *SURE]
    report = report_of(trials)
    drawn = topology_table(report, estimates(report, trials), amplification(report, trials), STYLES)

    assert "Work / span" in drawn
    assert "Amplification" in drawn
    assert "Idle share" not in drawn
    assert "0.50" in drawn


def test_a_chart_says_how_many_samples_it_rests_on() -> None:
    few, many = Estimate(value=0.4, n=6), Estimate(value=0.5, low=0.4, high=0.6, n=8)
    figure = measure_chart({"single": few, "hybrid": many}, STYLES, TIMES, simulated=True)

    assert "× · n = 6–8 samples" == figure.layout.xaxis.title.text
    assert [STYLES[arm].colour for arm in ARMS] == [trace.marker.color for trace in figure.data]
    assert ["simulated"] == [note.text for note in figure.layout.annotations]
    assert "n = 1 sample" == samples_behind([Estimate(value=1, n=1)])


def test_one_agent_is_the_line_that_amplification_is_read_against() -> None:
    figure = amplification_chart({"hybrid": Estimate(value=0.5, n=8)}, STYLES, TIMES, simulated=False)

    assert 1 == figure.layout.shapes[0].x0


def test_widths_are_drawn_with_the_ideal_and_the_line_of_one_percent() -> None:
    trials = measured("hybrid", [0.5] * 8, speedup_1=1, speedup_2=2, speedup_4=2)
    sweep = speed_up_chart(speed_ups(trials, ["hybrid"]), STYLES, simulated=False)
    steps = gain_chart(gains(trials, ["hybrid"], level=0.95), STYLES, simulated=False)

    ideal, hybrid = sweep.data
    assert ("ideal", (1, 2, 4), (1, 2, 4)) == (ideal.name, ideal.x, ideal.y)
    assert (1.0, 2.0, 2.0) == hybrid.y
    assert "agents at once · n = 8 samples" == sweep.layout.xaxis.title.text
    assert (1.0, 0.0) == steps.data[0].y
    assert ("1→2", "2→4") == steps.layout.xaxis.ticktext
    assert 0.01 == steps.layout.shapes[0].y0
