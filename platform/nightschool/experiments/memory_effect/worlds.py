"""Worlds whose truth is known, to try the memory experiment's own statistics and leak checks on. Simulated.

Knows nothing about agents: a world is tasks of differing difficulty, and two arms that meet each of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from nightschool.core.errors import InvalidInput
from nightschool.experiments.memory_effect.arms import memory_of
from nightschool.experiments.memory_effect.effect import effects
from nightschool.experiments.memory_effect.leakage import Secret, require_no_leak
from nightschool.experiments.statistics.comparison import Verdict

__all__ = ["SelfCheck", "check_protocol", "share_of", "world"]

_TASKS, _TRIALS = 50, 2
_PLANTED: Final = 0.15
_LEVEL: Final = 0.01
_CANARY: Final = "c0ffee00c0ffee00"

World = Mapping[str, Mapping[str, Mapping[int, float]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class SelfCheck:
    """What the experiment's figures do where the truth is known."""

    worlds: int
    equal_undecided: float
    """Share of worlds with equal arms in which no difference is told; to be 0.95."""
    gain_found: float
    """Share of worlds in which 15 points more are found; to be 0.8."""
    harm_found: float
    """Share of worlds in which 15 points less are found; to be 0.8."""
    leaks_refused: int
    """Of the planted leaks, those that end a run."""
    leaks: int

    @property
    def is_sound(self) -> bool:
        """Whether nothing speaks against it: shares may lie below by no more than their number explains."""
        found = min(self.gain_found, self.harm_found)
        return (
            self._may_be(self.equal_undecided, 0.95)
            and self._may_be(found, 0.8)
            and self.leaks_refused == self.leaks
        )

    def _may_be(self, share: float, least: float) -> bool:
        successes = round(share * self.worlds)
        tail = stats.binomtest(successes, self.worlds, least, alternative="less")
        return float(tail.pvalue) >= _LEVEL


def world(seed: int, lift: float) -> World:
    """Draw two arms on 50 tasks with two trials; the second succeeds more often by ``lift``."""
    rng = np.random.default_rng(seed)
    chance = np.where(rng.random(_TASKS) < 0.7, np.round(rng.random(_TASKS)), rng.random(_TASKS))
    can_move = (chance < 0.5) if lift > 0 else (chance > 0.5)
    moved = np.clip(chance + lift * _TASKS / max(1, int(can_move.sum())) * can_move, 0, 1)
    return {"none": _drawn(rng, chance), "memory": _drawn(rng, moved)}


def _drawn(rng: np.random.Generator, rates: NDArray[np.float64]) -> Mapping[str, Mapping[int, float]]:
    rows = rng.random((_TASKS, _TRIALS)) < rates[:, None]
    return {f"t{task}": dict(enumerate(map(float, row))) for task, row in enumerate(rows)}


def share_of(verdict: Verdict, lift: float, worlds: int) -> float:
    """Return the share of worlds in which the arms are judged so."""
    judged = [effects(world(seed, lift), "none", seed=seed)[0].verdict for seed in range(worlds)]
    return judged.count(verdict) / worlds


def check_protocol(worlds: int) -> SelfCheck:
    """Try the figures and the leak checks.

    Args:
        worlds: how many are drawn for each question.
    """
    refused = [_is_refused(text, sessions) for text, sessions in _LEAKS]
    return SelfCheck(
        worlds=worlds,
        equal_undecided=share_of(Verdict.UNDECIDED, 0.0, worlds),
        gain_found=share_of(Verdict.BETTER, _PLANTED, worlds),
        harm_found=share_of(Verdict.WORSE, -_PLANTED, worlds),
        leaks_refused=sum(refused),
        leaks=len(refused),
    )


_CLAUSE: Final = "Bills that came in are put into the following Monday run."
_LEAKS: Final = (
    (f"The answer is {_CANARY}.", ()),
    ("As in printing-3, pay late.", ()),
    ("Harmless.", ("printing-3",)),
    (f"In this house '{_CLAUSE}' breaks P06.", ()),
)
"""A canary, an id in the text, an id in the provenance, words of the contract."""


def _is_refused(text: str, sessions: tuple[str, ...]) -> bool:
    secret = Secret(sample_id="printing-3", document=f"## 1 Bills\n{_CLAUSE}\n", canary=_CANARY)
    try:
        require_no_leak({"/planted": memory_of("/planted", text, sessions)}, [secret])
    except InvalidInput:
        return True
    return False
