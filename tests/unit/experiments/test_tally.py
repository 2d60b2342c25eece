from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nightschool.experiments.ledger import TrialStatus
from nightschool.experiments.measures import Trial
from nightschool.experiments.tally import Bounds, Counts, Tally, difference_bounds, mean_bounds


def graded(sample: str, epoch: int, quality: float) -> Trial:
    values = {"accuracy": quality}
    return Trial(
        arm="a", sample_id=sample, epoch=epoch, status=TrialStatus.COMPLETED, values=values, scores=values
    )


def errored(sample: str, epoch: int) -> Trial:
    return Trial(arm="a", sample_id=sample, epoch=epoch, status=TrialStatus.ERRORED, error_code="x")


def tally(*trials: Trial) -> Tally:
    return Tally.of(trials, samples=["p", "q"], repeats=2)


WHOLE = (graded("p", 0, 1.0), graded("p", 1, 0.5), graded("q", 0, 0.0), graded("q", 1, 0.5))


def test_every_trial_is_accounted_for() -> None:
    counts = tally(*WHOLE[:2], errored("q", 0)).counts
    assert Counts(expected=4, recorded=3, errored=1, graded=2, errors={"x": 1}) == counts
    assert (1, False) == (counts.missing, counts.reconcile)


def test_a_result_that_was_never_scored_does_not_reconcile() -> None:
    unscored = Trial(arm="a", sample_id="q", epoch=1, status=TrialStatus.COMPLETED)
    assert not tally(*WHOLE[:3], unscored).counts.reconcile


def test_errors_do_not_keep_counts_from_reconciling() -> None:
    assert tally(*WHOLE[:3], errored("q", 1)).counts.reconcile


def test_bounds_fill_each_missing_result_with_the_worst_and_the_best() -> None:
    some = tally(*WHOLE[:3], errored("q", 1))
    assert Bounds(0.375, 0.625) == mean_bounds(some, some.values("accuracy"), (0.0, 1.0))
    assert mean_bounds(tally(*WHOLE), tally(*WHOLE).values("accuracy"), (0.0, 1.0)) is None


def test_bounds_of_a_difference_are_those_of_both_sides_at_once() -> None:
    some, other = tally(*WHOLE[:3], errored("q", 1)), tally(errored("p", 0), *WHOLE[1:])
    low = ((1.0 - 1.0 + 0.0) / 2 + (0.0 + 0.0 - 0.5) / 2) / 2
    high = ((1.0 - 0.0 + 0.0) / 2 + (0.0 + 1.0 - 0.5) / 2) / 2
    assert pytest.approx((low, high)) == difference_bounds(some, other, "accuracy")
    assert difference_bounds(tally(*WHOLE), tally(*WHOLE), "accuracy") is None
    assert difference_bounds(some, other, "tokens") is None


@given(st.lists(st.floats(0, 1), min_size=8, max_size=8), st.sets(st.integers(0, 7)))
def test_whatever_the_missing_results_would_have_been_lies_within_the_bounds(
    qualities: list[float], lost: set[int]
) -> None:
    """Two sides of two samples and two repeats, some lost; the truth must lie in the range they leave."""
    places = [(sample, epoch) for sample in ("p", "q") for epoch in (0, 1)]
    truth = [graded(*places[i % 4], quality) for i, quality in enumerate(qualities)]
    seen = [errored(*places[i % 4]) if i in lost else trial for i, trial in enumerate(truth)]
    ours, theirs = tally(*seen[:4]), tally(*seen[4:])
    mean, other = sum(qualities[:4]) / 4, sum(qualities[4:]) / 4
    bounds = mean_bounds(ours, ours.values("accuracy"), (0.0, 1.0))
    assert (bounds is None) is not bool(lost & {0, 1, 2, 3})
    assert bounds is None or bounds.low - 1e-9 <= mean <= bounds.high + 1e-9
    between = difference_bounds(ours, theirs, "accuracy")
    assert (between is None) is not bool(lost)
    assert between is None or between.low - 1e-9 <= mean - other <= between.high + 1e-9


def test_consistency_is_one_minus_the_mean_distance_of_any_two_repeats() -> None:
    three = Tally.of(
        [graded("p", 0, 1.0), graded("p", 1, 0.5), graded("p", 2, 0.5), graded("q", 0, 1.0)],
        samples=["p", "q"],
        repeats=3,
    )
    assert {"p": {0: pytest.approx(1 - (0.5 + 0.5 + 0.0) / 3)}} == three.values("consistency")
