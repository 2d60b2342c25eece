from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import sparse
from statsmodels.genmod.bayes_mixed_glm import BinomialBayesMixedGLM

from nightschool.core.errors import InvalidInput
from nightschool.experiments.statistics import MixedEffect, Repeats, mixed_effect
from nightschool.experiments.statistics.pairing import Floats


def drawn(
    rng: np.random.Generator, samples: int, repeats: int, effect: float, *, deviation: float = 1.0
) -> tuple[Floats, Floats]:
    level = rng.normal(0.3, deviation, (samples, 1))
    sides = (1 / (1 + np.exp(-level - shift)) for shift in (effect, 0.0))
    ours, theirs = ((rng.random((samples, repeats)) < chance).astype(np.float64) for chance in sides)
    return ours, theirs


def table(values: Floats) -> dict[str, dict[int, float]]:
    return {f"s{i:03}": dict(enumerate(row)) for i, row in enumerate(values.tolist())}


def fitted(ours: Floats, theirs: Floats) -> MixedEffect:
    found = mixed_effect(table(ours), table(theirs))
    assert found is not None
    return found


def test_the_effect_agrees_with_statsmodels() -> None:
    """Its variational posterior of the same model, under priors too wide to matter."""
    ours, theirs = drawn(np.random.default_rng(1), 150, 3, 0.8)
    right, rows = np.concatenate([ours.ravel(), theirs.ravel()]), np.arange(900)
    arm, sample = np.repeat([1.0, 0.0], 450), np.tile(np.repeat(np.arange(150), 3), 2)
    owners = sparse.csr_matrix((np.ones(900), (rows, sample)))
    model = BinomialBayesMixedGLM(
        right, np.column_stack([np.ones(900), arm]), owners, np.zeros(150, dtype=int), vcp_p=2.0, fe_p=10.0
    )
    expected = model.fit_vb(rng=np.random.default_rng(0))
    found = fitted(ours, theirs)
    assert pytest.approx(expected.fe_mean[1], abs=0.05) == found.log_odds_ratio
    assert pytest.approx(math.exp(expected.vcp_mean[0]), abs=0.15) == found.sample_deviation


def test_where_samples_do_not_differ_it_is_the_odds_ratio_of_the_table() -> None:
    ours, theirs = (np.tile(row, (40, 1)) for row in ([1.0, 1.0, 1.0, 0.0], [1.0, 1.0, 0.0, 0.0]))
    found = fitted(ours, theirs)
    assert pytest.approx(3.0, abs=1e-2) == found.odds_ratio
    assert pytest.approx(0.0, abs=1e-2) == found.sample_deviation
    assert (40, 320) == (found.samples, found.trials)


def test_changing_sides_changes_the_sign() -> None:
    ours, theirs = drawn(np.random.default_rng(2), 40, 2, 1.0)
    forward, backward = fitted(ours, theirs), fitted(theirs, ours)
    assert pytest.approx(forward.log_odds_ratio, abs=1e-3) == -backward.log_odds_ratio
    assert pytest.approx(forward.interval.low, abs=1e-2) == -backward.interval.high
    assert forward.p < 0.05


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_a_side_that_is_never_or_always_right_has_no_odds(share: float) -> None:
    ours, theirs = np.full((12, 2), share), drawn(np.random.default_rng(3), 12, 2, 0.0)[1]
    assert mixed_effect(table(ours), table(theirs)) is None


def test_too_few_shared_samples_say_nothing() -> None:
    ours, theirs = drawn(np.random.default_rng(4), 5, 4, 0.0)
    assert mixed_effect(table(ours), table(theirs)) is None


@pytest.mark.parametrize(("value", "level"), [(0.5, 0.95), (1.0, 1.0)])
def test_scores_and_impossible_levels_are_refused(value: float, level: float) -> None:
    side: Repeats = {f"s{i}": {0: value} for i in range(8)}
    with pytest.raises(InvalidInput):
        mixed_effect(side, side, level=level)


@pytest.mark.nightly
@pytest.mark.timeout(600)
@pytest.mark.parametrize(("samples", "repeats", "deviation"), [(24, 1, 1.0), (24, 3, 1.0), (60, 3, 2.0)])
def test_its_interval_covers_as_often_as_it_says(samples: int, repeats: int, deviation: float) -> None:
    rng, covered, fits = np.random.default_rng(5), 0, 0
    for _ in range(600):
        ours, theirs = drawn(rng, samples, repeats, 0.8, deviation=deviation)
        found = mixed_effect(table(ours), table(theirs))
        if found is not None:
            fits, covered = fits + 1, covered + (found.interval.low <= 0.8 <= found.interval.high)
    assert covered / fits >= 0.95 - 3 * math.sqrt(0.05 * 0.95 / fits)
