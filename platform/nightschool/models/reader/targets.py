"""A playbook as something to compare sentences with: vectors and word stems. Knows no documents."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nightschool.models.embed import Embedder, Vectors
from nightschool.models.reader.playbook import Policy
from nightschool.models.reader.statements import masked, stems

__all__ = ["Likeness", "Numbers", "Targets"]

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Likeness:
    """How alike one text is to each policy's own texts; one number per policy."""

    topic: Numbers
    """To what the policy is called."""
    position: Numbers
    good: Numbers
    """To the acceptable example most alike."""
    bad: Numbers


class Targets:
    """All policies of a playbook, embedded once."""

    def __init__(self, policies: Sequence[Policy], embedder: Embedder) -> None:
        """Embed the policies' texts."""
        self._policies = len(policies)
        self._stem_places, self._stem_weights = _stem_table(policies)
        self._topics = embedder.embed([f"{policy.title}: {policy.clause}" for policy in policies])
        self._positions = embedder.embed([masked(policy.position) for policy in policies])
        self._good = _Grouped([policy.acceptable for policy in policies], embedder)
        self._bad = _Grouped([policy.not_acceptable for policy in policies], embedder)

    def likeness(self, row: Vectors) -> Likeness:
        """Return how alike a vector is to each policy's texts."""
        return Likeness(
            topic=(self._topics @ row).astype(np.float64),
            position=(self._positions @ row).astype(np.float64),
            good=self._good.likeness(row),
            bad=self._bad.likeness(row),
        )

    def shared(self, words: frozenset[str]) -> Numbers:
        """Return for each policy the weight of the word stems a text shares with it."""
        places = [self._stem_places[word] for word in words if word in self._stem_places]
        if not places:
            return np.zeros(self._policies)
        weight: Numbers = self._stem_weights[places].sum(axis=0) / math.sqrt(1 + len(words) / 30)
        return weight


class _Grouped:
    """Several texts per policy, of which the most alike counts."""

    def __init__(self, groups: Sequence[Sequence[str]], embedder: Embedder) -> None:
        filled = [list(group) or ["-"] for group in groups]
        self._rows = embedder.embed([masked(text) for group in filled for text in group])
        self._starts = np.cumsum([0, *(len(group) for group in filled[:-1])])

    def likeness(self, row: Vectors) -> Numbers:
        """Return for each policy how alike the vector is to its most similar text."""
        return np.maximum.reduceat(self._rows @ row, self._starts).astype(np.float64)


def _stem_table(policies: Sequence[Policy]) -> tuple[dict[str, int], Numbers]:
    """Return each stem's row, and per row what the stem weighs for each policy.

    Rare stems weigh more, and so do those a policy is named by; a policy's four heaviest names sum to one.
    """
    named = [stems(f"{policy.title} {policy.clause}") for policy in policies]
    told = [stems(" ".join([p.position, *p.acceptable, *p.not_acceptable])) for p in policies]
    seen = Counter(stem for name, tell in zip(named, told, strict=True) for stem in name | tell)
    places = {stem: place for place, stem in enumerate(sorted(seen))}
    table = np.zeros((len(places), len(policies)))
    for policy, (name, tell) in enumerate(zip(named, told, strict=True)):
        for stem in name | tell:
            rarity = math.log(1 + len(policies) / seen[stem])
            table[places[stem], policy] = rarity * (1.0 if stem in name else 0.4)
        heaviest = sorted((table[places[stem], policy] for stem in name), reverse=True)[:4]
        table[:, policy] /= sum(heaviest) or 1.0
    return places, table
