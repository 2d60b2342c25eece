from __future__ import annotations

import numpy as np
import pytest

from nightschool.experiments.design import Manifest
from nightschool.experiments.ledger import Ledger, fold
from nightschool.experiments.projection import ASSUMED_DEVIATION, Projection, project
from tests.unit.experiments.fakes import events_of, manifest

SAMPLES = [f"s{index:02}" for index in range(24)]
NOISE = dict(zip(SAMPLES, np.random.default_rng(1).normal(0, 0.1, 24), strict=True))
PAGES = dict.fromkeys(SAMPLES, 6.0)


def quality(arm: str, sample: str, epoch: int) -> float:
    return 0.5 + float(NOISE[sample]) * (arm == "pool")


def earlier(**changes: object) -> Ledger:
    return fold(events_of(manifest(samples=SAMPLES, repeats=1, **changes), quality))


def planned(declared: Manifest, *ledgers: Ledger) -> Projection:
    return project(declared, ledgers, PAGES, (1_000.0, 2.0))


def test_what_was_run_before_tells_what_will_be_consumed() -> None:
    """Earlier documents had three pages, these have six: twice as much for each of 48 trials."""
    (single, _) = planned(manifest(samples=SAMPLES), earlier()).arms
    assert ("24 earlier trials", 48) == (single.basis, single.trials)
    assert 48 * 2 * 110 == pytest.approx(single.tokens)
    assert 48 * 2 * 10.0 == pytest.approx(single.seconds)


def test_without_earlier_trials_the_suites_reference_is_taken_and_named() -> None:
    (single, _) = planned(manifest(samples=SAMPLES)).arms
    assert ("the suite's reference", 48 * 6_000.0, None) == (single.basis, single.tokens, single.usd)


@pytest.mark.parametrize(
    "changes", [{"arms": ["single", "script"]}, {"suite": "other"}, {"brain": "simulated"}]
)
def test_trials_of_another_arm_suite_or_brain_tell_nothing(changes: dict[str, object]) -> None:
    hashes = {"single": "x", "script": "y"}
    past = earlier(**changes, **({"arm_hashes": hashes} if "arms" in changes else {}))
    assert "the suite's reference" == planned(manifest(samples=SAMPLES), past).arms[1].basis


def test_the_detectable_effect_follows_from_the_scatter_met_before() -> None:
    (contrast,) = planned(manifest(samples=SAMPLES, smallest_effect=0.1), earlier()).contrasts
    assert float(np.std(list(NOISE.values()), ddof=1)) == pytest.approx(contrast.deviation)
    assert contrast.power is not None
    assert contrast.samples_needed is not None
    assert (contrast.power >= 0.8) == (contrast.samples_needed <= 24)


def test_a_scatter_that_nobody_met_is_assumed_and_says_so() -> None:
    (contrast,) = planned(manifest(samples=SAMPLES)).contrasts
    assert (ASSUMED_DEVIATION, None, None) == (contrast.deviation, contrast.power, contrast.samples_needed)
    assert "assumed" in contrast.basis


def test_samples_that_share_a_source_detect_less() -> None:
    shared = {sample: f"report {i // 2}" for i, sample in enumerate(SAMPLES)}
    (alone,), (together,) = (
        planned(manifest(samples=SAMPLES, **more)).contrasts for more in ({}, {"sources": shared})
    )
    assert alone.detectable is not None
    assert together.detectable is not None
    assert alone.detectable < together.detectable


def test_a_budget_is_held_against_the_projection_with_its_reserve() -> None:
    need = 2 * 48 * 6_000.0
    for cap, reserve, expected in ((need, 0.0, True), (need, 0.1, False), (need - 1, 0.0, False)):
        declared = manifest(samples=SAMPLES, budget={"tokens": cap, "grading_reserve": reserve})
        assert {"tokens": expected} == planned(declared).within_budget
    assert {"usd": None} == planned(manifest(samples=SAMPLES, budget={"usd": 1.0})).within_budget
