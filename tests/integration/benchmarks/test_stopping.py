from __future__ import annotations

import math

import pytest

from benchmarks.coverage import Design
from benchmarks.stopping import DESIGNS, study, table

QUICK = DESIGNS[0]


def test_the_same_seed_finds_the_same() -> None:
    assert study(QUICK, 10) == study(QUICK, 10)


def test_stopping_early_takes_fewer_samples_than_going_on() -> None:
    found = study(QUICK, 100)
    assert found.false_stops <= 0.12
    assert found.samples < QUICK.samples
    assert found.found > 0.3
    assert any(line.startswith("| scores | 24 |") for line in table([found], 100))


@pytest.mark.nightly
@pytest.mark.timeout(1_800)
@pytest.mark.parametrize("design", DESIGNS, ids=lambda d: f"{d.kind}-{d.samples}")
def test_looking_after_every_sample_claims_no_more_than_was_allowed(design: Design) -> None:
    experiments = 1_000
    found = study(design, experiments)
    assert found.false_stops <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / experiments)
