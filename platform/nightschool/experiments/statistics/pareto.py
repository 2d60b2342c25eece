"""Which arms are worth choosing when quality, cost and time all count, and how sure that is.

An arm is dominated when another is at least as good in everything and better in something. The means are
uncertain, so the samples are drawn anew many times, the same draw for every arm, and an arm gets the share of
draws in which it stands on the front. Pure. Knows nothing about what the quantities are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from nightschool.core.errors import InvalidInput
from nightschool.experiments.statistics.pairing import Floats

__all__ = ["FrontPlace", "front", "uncertain_front"]

_DRAWS: Final = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontPlace:
    """Where an arm stands."""

    arm: str
    means: tuple[float, ...]
    on_front: bool
    """By the means themselves."""
    on_front_probability: float
    """The share of draws in which nothing dominates it."""
    dominated_by: Mapping[str, float]
    """Other arms to the share of draws in which they dominate this one; those that never do are left out."""


def front(points: Floats, higher_is_better: Sequence[bool]) -> npt.NDArray[np.bool_]:
    """Return for each row of ``points`` whether no other row dominates it.

    Raises:
        InvalidInput: the number of columns is not that of the directions.
    """
    if points.ndim != 2 or points.shape[1] != len(higher_is_better):
        raise InvalidInput(f"{points.shape[-1]} quantities do not fit {len(higher_is_better)} directions")
    dominated = _dominates(points[None], higher_is_better)[0].any(axis=0)
    return np.asarray(~dominated, dtype=np.bool_)


def uncertain_front(
    arms: Mapping[str, Sequence[Mapping[str, float]]],
    higher_is_better: Sequence[bool],
    *,
    draws: int = _DRAWS,
    seed: int = 0,
) -> list[FrontPlace]:
    """Return every arm's place on the front of several quantities.

    Args:
        arms: arm to one mapping of sample to value for each quantity. Only samples that every arm has a value
            of every quantity for are used, as only they compare like with like.
        higher_is_better: for each quantity.
        draws: how often the samples are drawn anew.
        seed: of the draws.

    Raises:
        InvalidInput: there is no common sample, or an arm lacks a quantity.
    """
    if any(len(quantities) != len(higher_is_better) for quantities in arms.values()):
        raise InvalidInput(f"every arm needs {len(higher_is_better)} quantities")
    shared = sorted(set.intersection(*[set(q) for quantities in arms.values() for q in quantities]))
    if not shared:
        raise InvalidInput("no sample has every quantity in every arm")
    table = np.array(
        [[[q[sample] for q in quantities] for sample in shared] for quantities in arms.values()]
    )  # arm, sample, quantity
    rng = np.random.default_rng(seed)
    counts = rng.multinomial(len(shared), np.full(len(shared), 1 / len(shared)), size=draws)
    drawn = np.einsum("ds,asq->daq", counts / len(shared), table)
    beats = _dominates(drawn, higher_is_better)
    means = table.mean(axis=1)
    return _places(list(arms), means, front(means, higher_is_better), beats)


def _places(
    names: Sequence[str], means: Floats, on_front: npt.NDArray[np.bool_], beats: npt.NDArray[np.bool_]
) -> list[FrontPlace]:
    free, shares = 1 - beats.any(axis=1).mean(axis=0), beats.mean(axis=0)
    return [
        FrontPlace(
            arm=arm,
            means=tuple(float(value) for value in means[index]),
            on_front=bool(on_front[index]),
            on_front_probability=float(free[index]),
            dominated_by={
                other: float(shares[row, index]) for row, other in enumerate(names) if shares[row, index] > 0
            },
        )
        for index, arm in enumerate(names)
    ]


def _dominates(points: Floats, higher_is_better: Sequence[bool]) -> npt.NDArray[np.bool_]:
    """Return [draw, row, column]: whether the row's arm dominates the column's."""
    signed = points * np.where(np.array(higher_is_better), 1.0, -1.0)
    ours, theirs = signed[:, :, None, :], signed[:, None, :, :]
    return np.asarray((ours >= theirs).all(axis=3) & (ours > theirs).any(axis=3), dtype=np.bool_)
