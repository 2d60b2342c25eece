from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from statsmodels.stats.anova import AnovaRM

from nightschool.core.errors import InvalidInput
from nightschool.experiments.statistics import Effect, effects

FACTORS = {"routing": ("single", "pool"), "memory": ("off", "on")}
Table = dict[str, dict[int, float]]


def world(interaction: float = 0.0, samples: int = 24, seed: int = 0) -> dict[tuple[str, ...], Table]:
    rng = np.random.default_rng(seed)
    level = rng.normal(0.5, 0.2, samples)
    cells: dict[tuple[str, ...], Table] = {}
    for cell in itertools.product(*FACTORS.values()):
        pool, on = cell[0] == "pool", cell[1] == "on"
        gain = 0.2 * pool + 0.1 * on + interaction * (pool and on)
        values = level[:, None] + gain + rng.normal(0, 0.05, (samples, 2))
        cells[cell] = {f"s{i}": {e: float(v) for e, v in enumerate(row)} for i, row in enumerate(values)}
    return cells


def by_name(found: list[Effect]) -> dict[str, Effect]:
    return {effect.name: effect for effect in found}


def test_effects_are_what_was_put_in() -> None:
    found = by_name(effects(FACTORS, world(interaction=0.3)))
    assert ["routing=pool", "memory=on", "routing=pool × memory=on"] == list(found)
    differences = [effect.comparison.difference for effect in found.values()]
    assert [0.2 + 0.15, 0.1 + 0.15, 0.3] == pytest.approx(differences, abs=0.03)


def test_they_agree_with_statsmodels() -> None:
    """A two-level effect within samples: its squared t is the F of the analysis of variance."""
    cells = world(interaction=0.03)
    rows = [
        (sample, *cell, float(np.mean(list(epochs.values()))))
        for cell, table in cells.items()
        for sample, epochs in table.items()
    ]
    frame = pd.DataFrame(rows, columns=["sample", "routing", "memory", "score"])
    table = AnovaRM(frame, "score", "sample", within=["routing", "memory"]).fit().anova_table
    for effect, f in zip(effects(FACTORS, cells), table["F Value"], strict=True):
        found = effect.comparison
        assert found.difference is not None
        assert found.standard_error is not None
        assert pytest.approx(float(f)) == (found.difference / found.standard_error) ** 2


def test_without_interaction_none_is_claimed() -> None:
    interaction = by_name(effects(FACTORS, world(seed=4)))["routing=pool × memory=on"].comparison
    assert interaction.p is not None
    assert 0.05 < interaction.p


def test_a_factor_of_three_levels_is_compared_with_its_first() -> None:
    factors = {"width": ("1", "5", "20"), "memory": ("off", "on")}
    cells = {
        cell: {f"s{i}": {0: float(cell[0]) + i} for i in range(8)}
        for cell in itertools.product(*factors.values())
    }
    found = by_name(effects(factors, cells))
    assert [4.0, 19.0] == [found[name].comparison.difference for name in ("width=5", "width=20")]
    assert 0.0 == found["width=20 × memory=on"].comparison.difference
    assert 5 == len(found)


def test_three_factors_have_three_main_effects_and_three_interactions() -> None:
    factors = {**FACTORS, "tier": ("strict", "lenient")}
    cells = {cell: {f"s{i}": {0: 1.0} for i in range(8)} for cell in itertools.product(*factors.values())}
    assert 6 == len(effects(factors, cells))


def test_a_missing_cell_is_named() -> None:
    cells = world()
    del cells["pool", "on"]
    with pytest.raises(InvalidInput, match="routing=pool, memory=on"):
        effects(FACTORS, cells)


def test_a_factor_of_one_level_is_none() -> None:
    with pytest.raises(InvalidInput, match="`routing` needs at least two"):
        effects({"routing": ("single",)}, {("single",): {}})
