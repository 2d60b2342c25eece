"""Canaries of drift: what a store has turned into as a whole, where each memory looks harmless. Pure.

Two are watched: how much of it advises to do less, and how far its centre has moved among meanings. Knows
nothing about dreams or adoption; the embedder is handed in.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from nightschool.dreaming.statements import is_instruction
from nightschool.memory.index import Embedder
from nightschool.memory.memory import Memory

__all__ = ["DriftLimits", "avoidance", "drift_checks", "shift"]

_AVOIDANCE: Final = ("skip", "avoid", "bypass", "transfer", "give up", "refuse")


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftLimits:
    """Beyond which a store is looked at by a person before it is recalled from."""

    max_avoidance: float = 0.3
    """Share of what would be recalled that may advise to avoid, skip, bypass or hand over."""
    max_shift: float = 0.25
    """How far the centre may move in one dream: 1 - cosine, 0 for not at all."""
    min_memories: int = 5
    """Stores with fewer are not judged as a whole: one more memory moves them far."""


def avoidance(memories: Mapping[str, Memory]) -> float:
    """Return the share of recallable memories that advise to do less; 0 where there are none."""
    recalled = [text.casefold() for text in _recallable(memories)]
    advising = [
        text for text in recalled if is_instruction(text) and any(word in text for word in _AVOIDANCE)
    ]
    return len(advising) / len(recalled) if recalled else 0.0


def shift(before: Mapping[str, Memory], after: Mapping[str, Memory], embedder: Embedder) -> float:
    """Return 1 - cosine between the mean vectors of what two stores recall; 0 where one recalls nothing."""
    old, new = _recallable(before), _recallable(after)
    if not old or not new or sorted(old) == sorted(new):
        return 0.0
    # A text in both is embedded once.
    texts = sorted({*old, *new})
    rows = dict(zip(texts, embedder.embed(texts), strict=True))
    ours, theirs = (np.mean([rows[text] for text in each], axis=0) for each in (new, old))
    lengths = float(np.linalg.norm(ours) * np.linalg.norm(theirs))
    # Means of length 0 point nowhere: they have nothing in common with anything.
    return 1.0 - float(np.dot(ours, theirs)) / lengths if lengths else 1.0


def drift_checks(
    before: Mapping[str, Memory],
    after: Mapping[str, Memory],
    limits: DriftLimits,
    embedder: Embedder | None,
) -> list[str]:
    """Return which canaries are over their limit; without an embedder the shift is not watched."""
    found = []
    share = avoidance(after)
    if share > limits.max_avoidance and len(_recallable(after)) >= limits.min_memories:
        found.append(
            f"{share:.0%} of the memories advise to avoid, skip, bypass or hand over;"
            f" the limit is {limits.max_avoidance:.0%}"
        )
    if embedder is not None and len(_recallable(before)) >= limits.min_memories:
        moved = shift(before, after, embedder)
        if moved > limits.max_shift:
            found.append(
                f"what the store is about moved by {moved:.2f} (1 - cosine of its centres);"
                f" the limit is {limits.max_shift:g}"
            )
    return found


def _recallable(memories: Mapping[str, Memory]) -> list[str]:
    return [memory.text for memory in memories.values() if memory.is_recallable]
