from __future__ import annotations

import random

import pytest

from nightschool.experiments.analysis import Analysis, analyse
from nightschool.experiments.design import Manifest
from nightschool.experiments.ledger import fold
from nightschool.experiments.measures import from_ledger
from nightschool.experiments.report import build_report
from tests.unit.experiments.fakes import completed, events_of, manifest

SAMPLES = [f"s{index:02}" for index in range(12)]


def quality(arm: str, sample: str, epoch: int) -> float:
    return 0.7 + 0.1 * (arm == "pool") + 0.01 * (int(sample[1:]) % 5) + 0.02 * epoch


def analysed(declared: Manifest, drop: int = 0) -> Analysis:
    events = events_of(declared, quality)
    trials = from_ledger(fold(events[: len(events) - drop]))
    return analyse(build_report("exp_1", declared, trials), trials)


def test_nothing_is_described_before_every_trial_is_accounted_for() -> None:
    found = analysed(manifest(samples=SAMPLES), drop=1)
    assert ((), (), None, {}) == (found.exploratory, found.front, found.best, dict(found.variance))


def test_everything_that_was_looked_at_shares_one_correction() -> None:
    found = analysed(manifest(samples=SAMPLES))
    assert "completeness" not in {each.contrast.metric for each in found.exploratory}
    q = {each.contrast.metric: each.q for each in found.exploratory}
    p = {
        each.contrast.metric: each.contrast.comparison.p
        for each in found.exploratory
        if each.contrast.comparison
    }
    assert all((q[name] or 0) >= (p[name] or 0) for name in q)


def test_reliability_is_told_for_every_number_of_attempts() -> None:
    found = analysed(manifest(samples=SAMPLES, repeats=3))
    assert [1, 2, 3] == [each.k for each in found.all_of["pool"]]
    assert found.all_of["single"][2].mean <= found.any_of["single"][2].mean


def test_repeats_split_the_scatter() -> None:
    assert analysed(manifest(samples=SAMPLES, repeats=3)).variance["pool"].run is not None
    assert analysed(manifest(samples=SAMPLES, repeats=1)).variance["pool"].run is None


def test_quality_is_weighed_against_what_was_consumed() -> None:
    declared = manifest(samples=SAMPLES, repeats=1)
    created, *_ = events_of(declared, quality)
    trials = [
        completed(arm, s, 0, quality(arm, s, 0), usage={"input_tokens": 100 * (1 + (arm == "pool")) + i})
        for i, s in enumerate(SAMPLES)
        for arm in declared.arms
    ]
    known = from_ledger(fold([created, *trials]))
    found = analyse(build_report("exp_1", declared, known), known)
    assert ("completeness", "tokens") == found.quantities
    assert [1.0, 1.0] == [place.on_front_probability for place in found.front]


def test_the_arm_that_is_beaten_leaves_the_best_set() -> None:
    best = analysed(manifest(samples=SAMPLES)).best
    assert best is not None
    assert (("pool",), {"single": "pool"}) == (best.arms, dict(best.excluded))


@pytest.mark.parametrize("arms", [["single"], ["single", "pool", "script"]])
def test_an_incomplete_factorial_has_no_effects(arms: list[str]) -> None:
    factors = {"routing": ["one", "many"], "memory": ["off", "on"]}
    cells = {arm: {"routing": "one", "memory": "off"} for arm in arms}
    assert () == analysed(manifest(samples=SAMPLES, arms=arms, factors=factors, cells=cells)).effects


def test_the_odds_of_passing_the_tier_are_told_for_every_declared_comparison() -> None:
    rng = random.Random(5)
    names = [f"s{index}" for index in range(20)]
    declared = manifest(samples=names, repeats=3, tier="standard")
    events = events_of(
        declared, lambda arm, _sample, _epoch: 0.8 if rng.random() < 0.3 + 0.4 * (arm == "pool") else 0.5
    )
    trials = from_ledger(fold(events))
    (odds,) = analyse(build_report("exp_1", declared, trials), trials).odds
    assert ("pool", "single") == (odds.treatment, odds.baseline)
    assert 1 < odds.effect.odds_ratio
    assert (20, 120) == (odds.effect.samples, odds.effect.trials)


def test_an_arm_that_always_passes_has_no_odds() -> None:
    declared = manifest(samples=[f"s{index}" for index in range(20)])
    trials = from_ledger(fold(events_of(declared, lambda *_: 0.95)))
    assert () == analyse(build_report("exp_1", declared, trials), trials).odds
