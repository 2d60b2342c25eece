"""What each factor of a factorial design does, and whether factors change one another's effect.

A main effect compares two levels of a factor averaged over the levels of the others; an interaction of two
factors is how much the effect of one changes with the other. Both are taken inside each sample, from the same
world, so that what makes a sample hard drops out. Pure. Knows nothing about arms: a cell is its levels.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from nightschool.core.errors import InvalidInput
from nightschool.experiments.statistics.comparison import Comparison, compare
from nightschool.experiments.statistics.pairing import Repeats

__all__ = ["Effect", "effects"]

Cell = tuple[str, ...]
"""A level of each factor, in the factors' order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """A main effect (one factor) or an interaction (two)."""

    factors: tuple[str, ...]
    levels: tuple[str, ...]
    """The level of each that is compared with its first level."""
    comparison: Comparison

    @property
    def name(self) -> str:
        """The effect in words: `memory=on`, or `routing=pool × memory=on`."""
        return " × ".join(f"{f}={level}" for f, level in zip(self.factors, self.levels, strict=True))


def effects(
    factors: Mapping[str, Sequence[str]],
    cells: Mapping[Cell, Repeats],
    *,
    level: float = 0.95,
    seed: int = 0,
    sources: Mapping[str, str] | None = None,
) -> list[Effect]:
    """Return every main effect and every interaction of two factors, against the factors' first levels.

    Args:
        factors: factor to its levels, the first being what the others are compared with.
        cells: the numbers of each combination of levels.
        level: of the intervals.
        seed: of the resampling.
        sources: of samples that share one.

    Raises:
        InvalidInput: a factor has fewer than two levels, or a combination is missing.
    """
    single = [name for name, levels in factors.items() if len(set(levels)) < 2]
    if single:
        raise InvalidInput(f"factor `{single[0]}` needs at least two different levels")
    missing = [cell for cell in itertools.product(*factors.values()) if cell not in cells]
    if missing:
        named = ", ".join(f"{f}={v}" for f, v in zip(factors, missing[0], strict=True))
        raise InvalidInput(f"a full factorial design lacks the cell {named}")
    names = list(factors)
    return [
        Effect(
            factors=tuple(names[index] for index in chosen),
            levels=levels,
            comparison=_contrast(factors, cells, chosen, levels, level, seed, sources),
        )
        for chosen, levels in _wanted(factors)
    ]


def _wanted(factors: Mapping[str, Sequence[str]]) -> Iterator[tuple[tuple[int, ...], Cell]]:
    all_levels = list(factors.values())
    for size in (1, 2):
        for chosen in itertools.combinations(range(len(all_levels)), size):
            for levels in itertools.product(*[all_levels[index][1:] for index in chosen]):
                yield chosen, tuple(levels)


def _contrast(
    factors: Mapping[str, Sequence[str]],
    cells: Mapping[Cell, Repeats],
    chosen: tuple[int, ...],
    levels: Cell,
    level: float,
    seed: int,
    sources: Mapping[str, str] | None,
) -> Comparison:
    """Compare the sum of the cells that count upwards with the sum of those that count downwards."""
    upwards: list[Repeats] = []
    downwards: list[Repeats] = []
    firsts = [values[0] for values in factors.values()]
    for cell, numbers in cells.items():
        at = [
            1 if cell[index] == wanted else -1 if cell[index] == firsts[index] else 0
            for index, wanted in zip(chosen, levels, strict=True)
        ]
        if 0 not in at:
            (upwards if at.count(-1) % 2 == 0 else downwards).append(numbers)
    # Sides of an interaction have two kinds of cells each: their sum, not their mean, is the effect.
    scale = 2 ** (len(chosen) - 1) / len(upwards)
    return compare(
        _summed(upwards, scale), _summed(downwards, scale), level=level, seed=seed, sources=sources
    )


def _summed(cells: Sequence[Repeats], scale: float) -> dict[str, dict[int, float]]:
    """Add cells up by sample and repeat; a repeat that one of them lacks is left out."""
    samples = set.intersection(*[set(cell) for cell in cells])
    return {
        sample: {
            epoch: scale * sum(cell[sample][epoch] for cell in cells)
            for epoch in sorted(set.intersection(*[set(cell[sample]) for cell in cells]))
        }
        for sample in sorted(samples)
    }
