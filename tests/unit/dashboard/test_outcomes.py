from __future__ import annotations

import math

import polars as pl
import pytest

from nightschool.dashboard.outcome_charts import Curve, curve_chart, error_chart, margin_chart
from nightschool.dashboard.outcomes import (
    calibration_table,
    curves,
    judged_of,
    kind_errors,
    margins,
    queue_rows,
    standing_counts,
    standing_table,
)
from nightschool.dashboard.palette import arm_styles
from nightschool.experiments.labelling import Judged, Queued, review_queue
from nightschool.outcomes.calibration import Graded, calibrate
from nightschool.outcomes.noise import GraderNoise
from nightschool.outcomes.tiers import Tier

ARMS = ("b", "a")
STYLES = arm_styles(ARMS)


def judged(arm: str, score: float) -> Judged:
    return Judged(
        trial_id=f"{arm}{score}", session_id="s", arm=arm, sample_id="x", epoch=0, scores={"accuracy": score}
    )


RESULTS = [judged("a", 0.8), judged("a", 0.5), judged("b", 0.74), judged("b", 1.0)]


def queue(sd: float = 0.05) -> list[Queued]:
    return review_queue(RESULTS, tier=Tier.STANDARD, noise=GraderNoise(sd={"accuracy": sd}), weights={})


def test_a_curve_falls_from_all_to_none_and_keeps_the_order_of_arms() -> None:
    found = curves(RESULTS, Tier.STANDARD, {}, ARMS)

    assert ["b", "a"] == [curve.arm for curve in found]
    for curve in found:
        shares = [share for _, share in curve.points]
        assert (1.0, sorted(shares, reverse=True)) == (shares[0], shares)
    assert 0.5 == dict(found[1].points)[0.8]


def test_three_values_add_up_to_the_results() -> None:
    counts = standing_counts(queue(), ARMS)

    assert len(RESULTS) == sum(count.results for count in counts)
    assert {"b": 1, "a": 1} == {
        count.arm: count.results for count in counts if count.standing == "inside the noise band"
    }


def test_an_arm_without_a_result_has_no_shares() -> None:
    table = standing_table(queue(), [*ARMS, "c"], arm_styles([*ARMS, "c"]))

    assert "0 of 0" in table
    assert "50 %" in table


def test_margins_stand_in_the_order_of_arms() -> None:
    assert ["b", "b", "a", "a"] == [each.arm for each in margins(queue(), ARMS)]


def test_labels_find_their_result() -> None:
    results = pl.DataFrame(
        {
            "trial_id": ["t1", "t2"],
            "session_id": ["s1", "s2"],
            "arm": ["a", "a"],
            "sample_id": ["x", "y"],
            "epoch": [0, 0],
            "scores": ['{"accuracy": 0.8}', None],
        }
    )
    labels = pl.DataFrame(
        {
            "session_id": ["s1"],
            "decision": ["accept"],
            "score": [None],
            "comment": [None],
            "given_by": ["ann"],
            "given_at": [None],
        }
    )
    (only,) = judged_of(results, labels)

    assert only.said is not None
    assert ("t1", True, ("ann",)) == (only.trial_id, only.said.acceptable, only.said.people)


def test_the_queue_says_who_labelled_what() -> None:
    rows = queue_rows(queue())

    assert [None] * 4 == rows["labelled"].to_list()
    assert math.isclose(0.74 - 0.75, rows["margin"][0])


def graded(kind: str, label: float | None, *scores: float) -> Graded:
    return Graded(
        task="t",
        answer=kind,
        kind=kind,
        acceptable=kind == "right",
        adversarial=kind == "vague",
        length=len(kind),
        label=label,
        scores=scores,
    )


def test_what_is_not_known_of_a_grader_is_said_and_never_zero() -> None:
    found = calibrate([graded("right", None, 0.9, 0.9)], threshold=0.75)
    table = calibration_table(found)

    assert "not defined" in table
    assert "no adversarial answers" in table
    assert [] == kind_errors(found)


def test_an_error_known_from_one_answer_has_no_interval() -> None:
    (only,) = kind_errors(calibrate([graded("right", 0.8, 0.9, 0.9)], threshold=0.75))

    assert (pytest.approx(0.1), None) == (only.estimate.value, only.estimate.low)


def test_charts_say_that_numbers_were_drawn_and_names_are_no_markup() -> None:
    styles = arm_styles(["<b>"])
    figure = curve_chart(
        [Curve(arm="<b>", points=[(0.5, 1.0)], results=3)], {"strict": 0.9}, styles, asked="x", simulated=True
    )

    assert "&lt;b&gt;" == figure.data[0].name
    assert "simulated" in figure.layout.legend.title.text
    assert not margin_chart([], {}, simulated=False).data
    assert 1 == len(error_chart([], simulated=False).data)
