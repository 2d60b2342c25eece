"""Whole experiments of which the truth is known: nothing between the arms, or an effect that was planted."""

from __future__ import annotations

import math

import numpy as np
import pytest

from nightschool.experiments.ledger import fold
from nightschool.experiments.measures import from_ledger
from nightschool.experiments.report import build_report
from nightschool.experiments.statistics import Verdict, detectable_difference
from tests.unit.experiments.fakes import events_of, manifest

SAMPLES = [f"s{index:02}" for index in range(24)]
LEVEL, RESPONSE, NOISE, REPEATS = 0.05, 0.03, 0.04, 2
SEEDS = 1_000


def verdict(seed: int, effect: float) -> Verdict:
    """Return the verdict on two arms whose answers differ by the effect and by chance."""
    rng = np.random.default_rng([2026, seed])
    level, response = rng.normal(0.45, LEVEL, 24), rng.normal(effect, RESPONSE, 24)
    noise = rng.normal(0, NOISE, (2, 24, REPEATS))

    def quality(arm: str, sample: str, epoch: int) -> float:
        at, is_pool = int(sample[1:]), arm == "pool"
        return float(level[at] + is_pool * response[at] + noise[int(is_pool), at, epoch])

    declared = manifest(samples=SAMPLES, repeats=REPEATS, seed=seed)
    ledger = fold(events_of(declared, quality))
    (contrast,) = build_report("exp_1", declared, from_ledger(ledger)).confirmatory
    return contrast.verdict


@pytest.mark.nightly
@pytest.mark.timeout(600)
def test_two_arms_that_are_the_same_cannot_be_told_apart_in_95_of_100_seeds() -> None:
    """Among the first 200 as well as among all: a claim that may not hang on one sample is rarer than α."""
    told = [verdict(seed, 0.0) for seed in range(SEEDS)]
    assert told[:200].count(Verdict.UNDECIDED) >= 0.95 * 200
    assert told.count(Verdict.UNDECIDED) >= 0.95 * SEEDS


@pytest.mark.nightly
@pytest.mark.timeout(600)
def test_a_planted_effect_is_found_at_the_planned_rate_and_never_turned_round() -> None:
    """The deviation of a paired difference: the response's, and two arms' noise over the repeats."""
    effect = detectable_difference(math.sqrt(RESPONSE**2 + 2 * NOISE**2 / REPEATS), len(SAMPLES))
    assert effect is not None
    told = [verdict(5_000 + seed, effect) for seed in range(SEEDS)]
    assert 0.74 <= told.count(Verdict.BETTER) / SEEDS <= 0.86
    assert 0 == told.count(Verdict.WORSE)


def test_a_few_seeds_of_each_say_the_same() -> None:
    assert [Verdict.UNDECIDED] * 5 == [verdict(seed, 0.0) for seed in range(5)]
    assert [Verdict.BETTER] * 5 == [verdict(seed, 0.2) for seed in range(5)]
