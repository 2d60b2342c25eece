from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestPower
from statsmodels.stats.proportion import proportion_confint

from nightschool.core.errors import InvalidInput
from nightschool.experiments.statistics import (
    Comparison,
    Interval,
    Verdict,
    compare,
    detectable_difference,
    holm,
    judge,
    mean_interval,
    pair,
    sample_means,
    sign_flip_test,
    wilson,
)

VALUES = st.floats(-100, 100).map(lambda value: round(value, 3))
SMALL = st.lists(VALUES, min_size=1, max_size=8)
GROUPS = st.lists(VALUES, min_size=6, max_size=20)


def repeats(values: Sequence[float]) -> dict[str, dict[int, float]]:
    return {f"s{index:03}": {0: value} for index, value in enumerate(values)}


def test_repeats_are_averaged_inside_a_sample_before_samples_are_compared() -> None:
    treatment = {"a": {0: 1.0, 1: 0.0, 2: 0.5}, "b": {0: 1.0}}
    assert {"a": 0.5, "b": 1.0} == sample_means(treatment)
    differences, missing = pair(treatment, {"a": {0: 0.0, 1: 0.0, 2: 0.0}, "b": {0: 0.0}})
    assert ({"a": 0.5, "b": 1.0}, ()) == (differences, missing)


def test_ten_repeats_of_one_sample_count_as_one_pair() -> None:
    many = {"a": dict.fromkeys(range(10), 1.0)}
    none = {"a": dict.fromkeys(range(10), 0.0)}
    assert 1 == compare(many, none).n_pairs


def test_only_repeats_that_both_sides_have_are_paired() -> None:
    """A repeat re-draws the world, so epoch 1 of one side says nothing about epoch 0 of the other."""
    differences, missing = pair({"a": {0: 1.0, 1: 9.0}, "b": {1: 5.0}}, {"a": {0: 0.5}, "b": {0: 1.0}})
    assert ({"a": 0.5}, ("b",)) == (differences, missing)


def test_a_sample_that_one_side_lacks_is_named_and_not_counted() -> None:
    comparison = compare({"a": {0: 1.0}}, {"a": {0: 0.0}, "b": {0: 1.0}})
    assert (1, ("b",)) == (comparison.n_pairs, comparison.missing)


@pytest.mark.parametrize("broken", [math.nan, math.inf])
def test_a_value_that_is_not_finite_is_refused(broken: float) -> None:
    with pytest.raises(InvalidInput, match="not a finite number"):
        compare(repeats([broken]), repeats([1.0]))


@given(SMALL)
def test_the_exact_p_is_the_share_of_sign_patterns_at_least_as_far_out(values: list[float]) -> None:
    """Against a brute enumeration in whole thousandths, which has no rounding."""
    whole = [round(value * 1000) for value in values]
    sums = [abs(sum(s * v for s, v in zip(signs, whole, strict=True))) for signs in _signs(len(whole))]
    expected = sum(total >= abs(sum(whole)) for total in sums) / len(sums)
    assert (expected, "exact") == sign_flip_test(values)


def _signs(n: int) -> list[tuple[int, ...]]:
    return list(itertools.product((1, -1), repeat=n))


def test_the_exact_p_agrees_with_scipys_permutation_test() -> None:
    values = np.random.default_rng(3).normal(0.4, 1.0, size=11)
    expected = stats.permutation_test(
        (values,), np.mean, permutation_type="samples", n_resamples=np.inf, vectorized=True
    ).pvalue
    assert pytest.approx(expected, abs=1e-12) == sign_flip_test(list(values)).p


def test_the_sampled_p_is_close_to_the_exact_one() -> None:
    """Fifteen differences are sampled; the same fifteen enumerated by hand give the truth."""
    values = np.random.default_rng(5).normal(0.35, 1.0, size=15)
    patterns = (np.arange(2**15)[:, None] >> np.arange(15) & 1) * 2 - 1
    exact = float((np.abs(patterns @ values) >= abs(values.sum()) - 1e-9).mean())
    p, method = sign_flip_test(list(values), seed=1)
    assert "monte carlo" == method
    assert pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / 19_999)) == p


def test_differences_of_zero_do_not_change_p_and_keep_it_exact() -> None:
    values = [0.5, -0.1, 0.7, 0.2, 0.9, 0.3]
    assert sign_flip_test(values) == sign_flip_test(values + [0.0] * 30)


def test_no_difference_at_all_gives_p_of_one() -> None:
    assert (1.0, "exact") == sign_flip_test([0.0] * 24)


@given(GROUPS)
def test_p_does_not_depend_on_which_side_is_called_the_baseline(values: list[float]) -> None:
    forward, backward = sign_flip_test(values), sign_flip_test([-value for value in values])
    assert 0 < forward.p <= 1
    if forward.method == "exact":
        assert forward == backward
    else:
        assert pytest.approx(forward.p, abs=0.02) == backward.p


@given(st.lists(st.floats(0, 1), min_size=1, max_size=10))
@settings(max_examples=15)
def test_holm_agrees_with_statsmodels(p_values: list[float]) -> None:
    family = {f"contrast {index}": p for index, p in enumerate(p_values)}
    expected = multipletests(p_values, method="holm")[1]
    assert pytest.approx(list(expected)) == list(holm(family).values())


def test_a_declared_contrast_without_p_still_counts_in_the_family() -> None:
    assert {"a": 0.03, "b": None, "c": 0.08} == holm({"a": 0.01, "b": None, "c": 0.04})


@given(st.integers(1, 200), st.data())
def test_wilson_agrees_with_statsmodels(n: int, data: st.DataObject) -> None:
    successes = data.draw(st.integers(0, n))
    expected = proportion_confint(successes, n, method="wilson")
    interval = wilson(successes / n, n)
    assert pytest.approx(expected, abs=1e-12) == (interval.low, interval.high)


@pytest.mark.parametrize(("rate", "n"), [(0.5, 0), (1.2, 4), (-0.1, 4)])
def test_a_rate_that_cannot_be_is_refused(rate: float, n: int) -> None:
    with pytest.raises(InvalidInput):
        wilson(rate, n)


@pytest.mark.parametrize("n", [12, 24, 100])
@pytest.mark.parametrize("family", [4, 20])
def test_in_a_family_the_p_value_decides_and_the_detectable_difference_is_statsmodels(
    n: int, family: int
) -> None:
    expected = 0.3 * TTestPower().solve_power(nobs=n, alpha=0.05 / family, power=0.8, alternative="two-sided")
    assert pytest.approx(expected, rel=1e-5) == detectable_difference(0.3, n, family=family)


@pytest.mark.parametrize("n", [12, 24, 100, 1_000])
def test_that_a_claim_may_not_hang_on_one_sample_costs_at_most_a_fifth(n: int) -> None:
    textbook = 0.3 * TTestPower().solve_power(nobs=n, alpha=0.05, power=0.8, alternative="two-sided")
    found = detectable_difference(0.3, n)
    assert found is not None
    assert textbook < found < 1.2 * textbook


def test_more_samples_detect_smaller_differences() -> None:
    found = [detectable_difference(0.3, n) or math.inf for n in (6, 12, 24, 48, 96)]
    assert sorted(found, reverse=True) == found


@pytest.mark.parametrize("n", [6, 7, 9, 24, 2_000, 20_000])
@pytest.mark.parametrize("family", [1, 6, 100])
def test_the_detectable_difference_has_the_power_it_promises(n: int, family: int) -> None:
    """Found in half the experiments is more than the critical value, in nearly all much more."""
    half, most, nearly = (
        (detectable_difference(1.0, n, family=family, power=power) or 0.0) * math.sqrt(n)
        for power in (0.5, 0.8, 0.99)
    )
    critical = float(stats.t.ppf(1 - 0.025 / family, n - 1))
    assert critical * 0.9 < half < most < nearly
    assert half < critical * 1.3


@pytest.mark.parametrize(("deviation", "n"), [(0.0, 24), (0.3, 5), (math.nan, 24)])
def test_without_variation_or_pairs_nothing_is_called_detectable(deviation: float, n: int) -> None:
    assert detectable_difference(deviation, n) is None


def test_the_interval_is_scipys_bca_at_a_level_expanded_for_the_number_of_values() -> None:
    values = list(np.random.default_rng(11).beta(2, 1, size=24))
    expanded = 2 * stats.norm.cdf(math.sqrt(24 / 23) * stats.t.ppf(0.975, 23)) - 1
    expected = stats.bootstrap(
        (values,),
        np.mean,
        method="BCa",
        confidence_level=expanded,
        n_resamples=9_999,
        rng=np.random.default_rng(7),
    ).confidence_interval
    interval = mean_interval(values, seed=7)
    assert interval is not None
    assert ("bca", 0.95) == (interval.method, interval.level)
    assert pytest.approx((expected.low, expected.high), rel=1e-12) == (interval.low, interval.high)


def test_the_same_seed_gives_the_same_interval() -> None:
    values = [0.1, 0.5, 0.9, 0.4, 0.3, 0.8, 0.2]
    assert mean_interval(values, seed=4) == mean_interval(values, seed=4)


def test_a_few_values_get_students_interval() -> None:
    values = [0.2, 0.4, 0.9]
    low, high = stats.t.interval(0.95, 2, loc=np.mean(values), scale=stats.sem(values))
    interval = mean_interval(values)
    assert interval is not None
    assert "t" == interval.method
    assert pytest.approx((low, high)) == (interval.low, interval.high)


@pytest.mark.parametrize("values", [[], [0.5]])
def test_fewer_than_two_values_have_no_interval(values: list[float]) -> None:
    assert mean_interval(values) is None


def test_equal_values_are_labelled_constant() -> None:
    assert Interval(low=1.0, high=1.0, level=0.95, method="constant") == mean_interval([1.0] * 24)


@given(st.lists(VALUES, min_size=20, max_size=40))
@settings(max_examples=30)
def test_a_resampled_interval_stays_within_the_values_it_was_made_from(values: list[float]) -> None:
    interval = mean_interval(values)
    assert interval is not None
    assert min(values) - 1e-9 <= interval.low <= interval.high <= max(values) + 1e-9


def test_fewer_than_six_pairs_are_not_tested_and_say_so() -> None:
    comparison = compare(repeats([1.0] * 5), repeats([0.0] * 5))
    assert (1.0, None, None) == (comparison.difference, comparison.interval, comparison.p)
    assert "5 pairs: at least 6" in comparison.note
    assert Verdict.UNDECIDED == judge(comparison, comparison.p, higher_is_better=True)


def test_no_pairs_at_all_is_a_result_not_a_crash() -> None:
    comparison = compare({}, {})
    assert (None, None, 0) == (comparison.difference, comparison.standard_deviation, comparison.n_pairs)


def test_the_same_gain_on_every_sample_is_a_difference() -> None:
    comparison = compare(repeats([0.75] * 8), repeats([0.5] * 8))
    assert (0.25, 2 / 2**8, 8) == (comparison.difference, comparison.p, comparison.wins)
    assert Verdict.BETTER == judge(comparison, comparison.p, higher_is_better=True)


def test_two_equal_sides_cannot_be_told_apart() -> None:
    comparison = compare(repeats([0.5] * 8), repeats([0.5] * 8))
    assert (0.0, 8, Verdict.UNDECIDED) == (
        comparison.difference,
        comparison.ties,
        judge(comparison, comparison.p, higher_is_better=True),
    )


def found(difference: float, low: float, high: float) -> Comparison:
    return Comparison(
        difference=difference,
        interval=Interval(low=low, high=high, level=0.95, method="bca"),
        p=0.001,
        p_method="exact",
        n_pairs=24,
        missing=(),
        wins=20,
        losses=4,
        ties=0,
        standard_deviation=0.1,
    )


@pytest.mark.parametrize(
    ("difference", "low", "high", "p", "better", "expected"),
    [
        (0.2, 0.1, 0.3, 0.01, "higher", Verdict.BETTER),
        (0.2, 0.1, 0.3, 0.01, "lower", Verdict.WORSE),
        (-0.2, -0.3, -0.1, 0.01, "higher", Verdict.WORSE),
        (-0.2, -0.3, -0.1, 0.01, "lower", Verdict.BETTER),
        (0.2, -0.01, 0.4, 0.01, "higher", Verdict.UNDECIDED),
        (0.2, 0.1, 0.3, 0.06, "higher", Verdict.UNDECIDED),
        (0.2, 0.1, 0.3, None, "higher", Verdict.UNDECIDED),
    ],
)
def test_a_verdict_needs_interval_and_p_and_knows_which_way_is_up(
    difference: float, low: float, high: float, p: float | None, better: str, expected: Verdict
) -> None:
    assert expected == judge(found(difference, low, high), p, higher_is_better=better == "higher")


@given(GROUPS, GROUPS)
@settings(max_examples=30)
def test_swapping_the_sides_mirrors_the_comparison(ours: list[float], theirs: list[float]) -> None:
    forward = compare(repeats(ours), repeats(theirs))
    backward = compare(repeats(theirs), repeats(ours))
    assert (forward.wins, forward.losses, forward.missing) == (
        backward.losses,
        backward.wins,
        backward.missing,
    )
    assert forward.difference is not None
    assert backward.difference is not None
    assert pytest.approx(-forward.difference) == backward.difference


def simulate(trials: int, samples: int, repeats_each: int, effect: float) -> tuple[float, float]:
    """Return the share of intervals that cover the truth and the share of verdicts that claim something.

    Each sample has its own level and its own response to the treatment, and each repeat its own noise.
    """
    rng, covered, claimed = np.random.default_rng(2026), 0, 0
    for trial in range(trials):
        level = rng.normal(0.6, 0.2, size=(samples, 1))
        response = rng.normal(effect, 0.1, size=(samples, 1))
        noise = rng.normal(0, 0.15, size=(2, samples, repeats_each))
        ours, theirs = level + response + noise[0], level + noise[1]
        comparison = compare(_table(ours), _table(theirs), seed=trial)
        assert comparison.interval is not None
        covered += comparison.interval.low <= effect <= comparison.interval.high
        claimed += judge(comparison, comparison.p, higher_is_better=True) != Verdict.UNDECIDED
    return covered / trials, claimed / trials


def _table(values: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> dict[str, dict[int, float]]:
    return {f"s{i}": {epoch: float(v) for epoch, v in enumerate(row)} for i, row in enumerate(values)}


def test_intervals_cover_about_as_often_as_they_promise() -> None:
    covered, claimed = simulate(trials=60, samples=24, repeats_each=2, effect=0.0)
    assert covered >= 0.85
    assert claimed <= 0.15


@pytest.mark.nightly
@pytest.mark.timeout(600)
def test_coverage_and_false_claims_hold_over_many_simulated_experiments() -> None:
    covered, claimed = simulate(trials=1_500, samples=24, repeats_each=2, effect=0.0)
    assert 0.92 <= covered <= 0.97
    assert claimed <= 0.065


@pytest.mark.nightly
@pytest.mark.timeout(600)
def test_the_detectable_difference_is_found_four_times_in_five() -> None:
    """The deviation of a paired difference here: the response's, and two sides' noise over two repeats."""
    deviation = math.sqrt(0.1**2 + 2 * 0.15**2 / 2)
    effect = detectable_difference(deviation, 24)
    assert effect is not None
    _, claimed = simulate(trials=600, samples=24, repeats_each=2, effect=effect)
    assert 0.74 <= claimed <= 0.88


def test_a_difference_that_hangs_on_one_sample_is_not_claimed() -> None:
    """Eleven small gains and a large one: enough for the interval, too little without the large one."""
    gains = [0.02, -0.02, 0.05, 0.01, -0.02, 0.04, 0.0, 0.03, -0.01, 0.02, 0.06, 0.07]
    differences = {f"s{index:02}": {0: gain} for index, gain in enumerate(gains)}
    found = compare(differences, {sample: {0: 0.0} for sample in differences})
    assert found.interval is not None
    assert found.interval.excludes_zero
    assert found.p is not None
    assert found.p <= 0.05
    assert ("s11", Verdict.UNDECIDED) == (found.hangs_on, judge(found, found.p, higher_is_better=True))
    assert "s11" in found.note


def test_a_difference_that_hangs_on_one_source_names_the_source() -> None:
    gains = [0.02, -0.02, 0.05, 0.01, -0.02, 0.04, 0.0, 0.03, -0.01, 0.02, 0.06, 0.07]
    differences = {f"s{index:02}": {0: gains[index // 2]} for index in range(24)}
    sources = {sample: f"report {int(sample[1:]) // 2}" for sample in differences}
    found = compare(differences, {sample: {0: 0.0} for sample in differences}, sources=sources)
    assert found.interval is not None
    assert (True, "report 11") == (found.interval.excludes_zero, found.hangs_on)


@given(GROUPS)
@settings(max_examples=50)
def test_what_hangs_on_a_sample_hangs_on_it_whichever_side_is_called_the_baseline(
    values: list[float],
) -> None:
    ours = {f"s{index}": {0: value} for index, value in enumerate(values)}
    nothing = {sample: {0: 0.0} for sample in ours}
    forward, backward = compare(ours, nothing), compare(nothing, ours)
    if len(values) < 20:  # the bootstrap of more is drawn anew, and may fall on the other side of zero
        assert forward.hangs_on == backward.hangs_on


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e160])
def test_an_interval_knows_no_scale(scale: float) -> None:
    values = np.random.default_rng(4).normal(1, 1, 24)
    here, there = mean_interval(values.tolist()), mean_interval((values * scale).tolist())
    assert here is not None
    assert there is not None
    assert pytest.approx((here.low, here.high)) == (there.low / scale, there.high / scale)
