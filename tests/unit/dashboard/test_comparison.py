"""A report in words, tables and points; the numbers are the report's own."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from nightschool.dashboard.comparison import (
    arms_table,
    bands,
    counts_table,
    differences,
    has_means,
    means,
    metrics_of,
    trade_offs,
    verdicts,
)
from nightschool.dashboard.palette import arm_styles
from nightschool.experiments.design import Manifest, declare
from nightschool.experiments.ledger import TrialStatus
from nightschool.experiments.measures import Trial
from nightschool.experiments.report import Report, build_report

SAMPLES = tuple(f"c-{number:02}" for number in range(12))
STYLES = arm_styles(["single", "orchestrated"])


def manifest() -> Manifest:
    return declare(
        {
            "suite": "contracts",
            "suite_hash": "h",
            "arms": ["single", "orchestrated"],
            "arm_hashes": {"single": "a", "orchestrated": "b"},
            "samples": SAMPLES,
            "repeats": 1,
            "seed": 1,
            "brain": "reader",
            "code_version": "0",
            "primary_metric": "recall",
            "lower_is_better": ["false_flags"],
            "declared_at": datetime(2026, 1, 1, tzinfo=UTC),
        }
    )


def trial(arm: str, number: int, recall: float) -> Trial:
    return Trial(
        arm=arm,
        sample_id=SAMPLES[number],
        epoch=0,
        status=TrialStatus.COMPLETED,
        values={"recall": recall, "accuracy": recall, "tokens": 1000.0 + number},
        scores={"accuracy": recall},
        tiers={"strict": False, "standard": recall > 0.75, "lenient": True},
        pages=5.0 * (number + 1),
    )


def report(gain: float, *, errored: int = 0, missing: int = 0) -> Report:
    """Return a report in which `orchestrated` recalls ``gain`` more, a little less or more by document."""
    trials = []
    for number in range(len(SAMPLES)):
        base = 0.6 + 0.02 * (number % 5)
        trials.append(trial("single", number, base))
        trials.append(trial("orchestrated", number, base + gain + 0.01 * (number % 3 - 1)))
    for place in range(errored):
        trials[-1 - 2 * place] = Trial(
            arm="orchestrated",
            sample_id=SAMPLES[-1 - place],
            epoch=0,
            status=TrialStatus.ERRORED,
            error_code="model_unavailable",
        )
    return build_report("exp_1", manifest(), trials[: len(trials) - missing])


@pytest.mark.parametrize(
    ("expected", "gain"),
    [
        ("orchestrated is better than single", 0.2),
        ("orchestrated is worse than single", -0.2),
        ("orchestrated and single cannot be told apart", 0.0),
    ],
)
def test_the_verdict_is_said_in_words(expected: str, gain: float) -> None:
    assert expected in verdicts(report(gain).confirmatory)


def test_the_verdict_brings_its_evidence() -> None:
    html = verdicts(report(0.2).confirmatory)

    assert "Recall +0.200 [+0." in html
    assert "Holm p" in html
    assert "paired over 12 documents: 12 higher, 0 lower, 0 equal" in html


def test_where_nothing_can_be_told_it_says_what_could_have_been_found() -> None:
    assert "would be found with 80 % power" in verdicts(report(0.0).confirmatory)


def test_an_unfinished_experiment_has_neither_means_nor_verdicts() -> None:
    unfinished = report(0.2, missing=4)

    assert not has_means(unfinished)
    assert "not yet" in verdicts(unfinished.confirmatory)
    assert {} == means(unfinished, "recall")
    assert [] == differences(unfinished, "recall")


def test_the_arms_table_shows_the_reports_means() -> None:
    found = report(0.2)

    html = arms_table(found, STYLES)

    for arm in found.arms:
        mean = arm.metrics["recall"].mean
        assert mean is not None
        assert f">{mean:.2f}<small>" in html
    assert "12 / 12" in html


def test_an_errored_trial_is_counted_and_its_reach_is_shown() -> None:
    found = report(0.2, errored=1)

    assert "11 / 12<small>1 errored</small>" in arms_table(found, STYLES)
    assert "model_unavailable × 1" in counts_table(found)
    bounds = found.arms[1].metrics["recall"].bounds
    assert bounds is not None
    assert f"{bounds.low:.2f} – {bounds.high:.2f}" in counts_table(found)


def test_points_are_the_reports_means_and_intervals() -> None:
    found = report(0.2)
    estimate = found.arms[0].metrics["recall"]

    point = means(found, "recall")["single"]

    assert estimate.interval is not None
    assert (estimate.mean, estimate.interval.low, estimate.interval.high) == (
        point.value,
        point.low,
        point.high,
    )


def test_a_difference_carries_the_reports_verdict() -> None:
    (difference,) = differences(report(0.2), "recall")

    assert ("orchestrated", "single", "better") == (
        difference.treatment,
        difference.baseline,
        difference.verdict,
    )


def test_a_trade_off_needs_both_numbers() -> None:
    found = report(0.2)

    assert ["single", "orchestrated"] == [point.arm for point in trade_offs(found, "recall", "tokens")]
    assert [] == trade_offs(found, "recall", "cost_usd")


def test_lengths_are_told_in_pages_from_short_to_long() -> None:
    labels = list(dict.fromkeys(band.label for band in bands(report(0.2))))

    assert "5–20 pages" == labels[0]
    assert labels[-1].endswith("–60 pages")


def test_documents_of_one_length_are_told_by_that_length() -> None:
    same = replace(report(0.2).lengths[0], shortest=8.0, longest=8.2)

    assert {"8 pages"} == {band.label for band in bands(replace(report(0.2), lengths=(same,)))}


def test_the_primary_metric_comes_first() -> None:
    assert "recall" == metrics_of(report(0.2))[0]
