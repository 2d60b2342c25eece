from __future__ import annotations

import math
import random
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nightschool.core.errors import InvalidInput
from nightschool.outcomes.noise import (
    GraderNoise,
    Standing,
    disagreement,
    flip_probability,
    pass_probability,
    read_verdict,
)
from nightschool.outcomes.tiers import DIMENSIONS, Tier, passes

GOOD = dict.fromkeys(DIMENSIONS, 0.93)
ONE_WEAK = dict.fromkeys(DIMENSIONS, 0.95) | {"accuracy": 0.87}
scores = st.dictionaries(st.sampled_from(DIMENSIONS), st.floats(0, 1), min_size=1)


def noise(sd: float, repeats: int = 1) -> GraderNoise:
    return GraderNoise(sd=dict.fromkeys(DIMENSIONS, sd), repeats=repeats)


def simulated(tier: Tier, truth: dict[str, float], sd: float, repeats: int, draws: int = 3000) -> float:
    """Grade again and again, literally, and count how often it passes."""
    rng = random.Random(f"{tier} {sd} {repeats}")

    def graded(score: float) -> float:
        return statistics.fmean(min(1.0, max(0.0, rng.gauss(score, sd))) for _ in range(repeats))

    return statistics.fmean(
        passes(tier, {name: graded(score) for name, score in truth.items()}) for _ in range(draws)
    )


STRICT_TABLE = [
    # SD, gradings, how often it passes, how often two graders disagree
    (0.02, 1, 0.71, 0.41),
    (0.02, 3, 0.98, 0.04),
    (0.02, 5, 1.00, 0.00),
    (0.05, 1, 0.20, 0.32),
    (0.05, 3, 0.44, 0.49),
    (0.05, 5, 0.62, 0.47),
    (0.08, 1, 0.11, 0.20),
    (0.08, 3, 0.20, 0.31),
    (0.08, 5, 0.27, 0.39),
]


@pytest.mark.parametrize(("sd", "gradings", "share", "apart"), STRICT_TABLE)
def test_strict_is_chiefly_a_measure_of_the_graders_noise(
    sd: float, gradings: int, share: float, apart: float
) -> None:
    """The published table, computed and simulated: every dimension truly 0.93, which should pass."""
    chance = pass_probability(Tier.STRICT, GOOD, noise(sd, gradings))

    assert pytest.approx(share, abs=0.02) == chance
    assert pytest.approx(apart, abs=0.02) == disagreement(chance)
    assert pytest.approx(chance, abs=0.03) == simulated(Tier.STRICT, GOOD, sd, gradings)


@pytest.mark.parametrize(
    ("sd", "gradings", "share"),
    [
        (0.02, 1, 0.066),
        (0.02, 3, 0.004),
        (0.02, 5, 0.0),
        (0.05, 1, 0.136),
        (0.05, 3, 0.124),
        (0.05, 5, 0.084),
    ],
)
def test_a_weak_dimension_passes_by_luck_as_often_as_computed(sd: float, gradings: int, share: float) -> None:
    chance = pass_probability(Tier.STRICT, ONE_WEAK, noise(sd, gradings))

    assert pytest.approx(share, abs=0.012) == chance
    assert pytest.approx(chance, abs=0.02) == simulated(Tier.STRICT, ONE_WEAK, sd, gradings)
    assert chance == flip_probability(Tier.STRICT, ONE_WEAK, noise(sd, gradings))


@pytest.mark.parametrize(("tier", "truth"), [(Tier.STANDARD, 0.78), (Tier.LENIENT, 0.63)])
@pytest.mark.parametrize(("sd", "share", "apart"), [(0.02, 1.0, 0.0), (0.05, 0.91, 0.16), (0.08, 0.80, 0.32)])
def test_a_mean_scatters_less_than_a_minimum(
    tier: Tier, truth: float, sd: float, share: float, apart: float
) -> None:
    chance = pass_probability(tier, dict.fromkeys(DIMENSIONS, truth), noise(sd))

    assert pytest.approx(share, abs=0.01) == chance
    assert pytest.approx(apart, abs=0.01) == disagreement(chance)


@pytest.mark.parametrize(("repeats", "variance"), [(3, 0.448671), (5, 0.286834), (9, 0.166101)])
def test_the_median_scatters_as_order_statistics_say(repeats: int, variance: float) -> None:
    joined = GraderNoise(sd={"accuracy": 1.0}, repeats=repeats, joined_by="median")

    assert pytest.approx(variance, rel=0.01) == joined.joined_sd("accuracy") ** 2


@pytest.mark.parametrize("tier", list(Tier))
def test_a_median_of_three_passes_as_often_as_computed(tier: Tier) -> None:
    rng = random.Random(7)
    truth = {"accuracy": 0.91, "format": 0.66} if tier is not Tier.STRICT else GOOD
    median = GraderNoise(sd=dict.fromkeys(DIMENSIONS, 0.05), repeats=3, joined_by="median")

    def graded(score: float) -> float:
        return statistics.median(min(1.0, max(0.0, rng.gauss(score, 0.05))) for _ in range(3))

    seen = statistics.fmean(passes(tier, {n: graded(s) for n, s in truth.items()}) for _ in range(4000))

    assert pytest.approx(pass_probability(tier, truth, median), abs=0.03) == seen


def test_a_verdict_near_its_threshold_is_inside_the_noise_band_and_one_far_away_is_not() -> None:
    near, far = dict.fromkeys(DIMENSIONS, 0.76), dict.fromkeys(DIMENSIONS, 0.95)

    assert Standing.NOISE == read_verdict(Tier.STANDARD, near, noise(0.05)).standing
    assert Standing.PASS == read_verdict(Tier.STANDARD, far, noise(0.05)).standing
    assert Standing.FAIL == read_verdict(Tier.STRICT, near, noise(0.05)).standing


@given(scores, st.sampled_from(list(Tier)))
def test_a_grader_without_scatter_never_turns_a_verdict_over(
    given_scores: dict[str, float], tier: Tier
) -> None:
    reading = read_verdict(tier, given_scores, noise(0.0))

    assert 0 == reading.flip_probability
    assert reading.standing == (Standing.PASS if passes(tier, given_scores) else Standing.FAIL)


@given(scores, st.sampled_from(list(Tier)), st.floats(0.001, 0.2))
def test_the_flip_probability_is_a_probability_and_the_plain_rule_stays(
    given_scores: dict[str, float], tier: Tier, sd: float
) -> None:
    reading = read_verdict(tier, given_scores, noise(sd))

    assert 0 <= reading.flip_probability <= 1
    assert passes(tier, given_scores) is reading.passed


def test_a_dimension_whose_scatter_is_not_known_is_not_guessed() -> None:
    partial = GraderNoise(sd={"accuracy": 0.05})

    assert not partial.knows(GOOD)
    with pytest.raises(InvalidInput, match="`completeness` is not known"):
        pass_probability(Tier.STRICT, GOOD, partial)


@pytest.mark.parametrize("sd", [-0.1, math.nan, math.inf])
def test_a_deviation_that_cannot_be_is_refused(sd: float) -> None:
    with pytest.raises(InvalidInput, match="grader SD of `accuracy`"):
        GraderNoise(sd={"accuracy": sd})


def test_a_median_of_an_even_number_is_refused() -> None:
    with pytest.raises(InvalidInput, match="odd number"):
        GraderNoise(sd={}, repeats=4, joined_by="median")
