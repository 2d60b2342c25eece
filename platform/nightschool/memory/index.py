"""Memories as vectors and words, searched in milliseconds. Knows nothing about confidence, recency or tasks.

Exact search over every vector is the reference. Above a few thousand memories a first look goes over the
first principal components, a third of the width, and only its best are compared exactly.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["Embedder", "MemoryIndex", "Vectors"]

Vectors = NDArray[np.float32]

_EXACT_UP_TO: Final = 5_000
_COMPONENTS: Final = 128
_SHORTLIST: Final = 1_500
_SAMPLE: Final = 4_000
_WORD: Final = re.compile(r"[a-z0-9][a-z0-9'_-]+", re.IGNORECASE)
_SATURATION: Final = 1.2
_LENGTH: Final = 0.75
_COMMON_SHARE: Final = 0.2
"""Words in more of the memories than this tell nothing."""


class Embedder(Protocol):
    """Turns texts into vectors of length 1 whose dot product is their likeness."""

    def embed(self, texts: Sequence[str], /) -> Vectors:
        """Return one row per text."""


@dataclass(frozen=True, slots=True)
class MemoryIndex:
    """Texts, ready to be searched."""

    rows: Vectors
    """One unit vector per text."""
    _axes: Vectors | None
    _coarse: Vectors | None
    _postings: dict[str, tuple[NDArray[np.int64], Vectors]]
    """Word to the texts that have it, with its weight in each (BM25)."""

    @classmethod
    def build(cls, texts: Sequence[str], rows: Vectors) -> MemoryIndex:
        """Index texts with their vectors."""
        axes = _principal_axes(rows) if len(rows) > _EXACT_UP_TO else None
        return cls(rows, axes, None if axes is None else np.ascontiguousarray(rows @ axes), _bm25(texts))

    def nearest(self, vector: Vectors, count: int) -> tuple[NDArray[np.int64], Vectors]:
        """Return the places of the texts nearest to a vector and their likeness, nearest first."""
        if self._axes is None or self._coarse is None:
            likeness = self.rows @ vector
            return _best(likeness, np.arange(len(likeness)), count)
        # Not `@`: two threads of a linear algebra library wait for each other on a busy machine.
        coarse = np.einsum("ij,j->i", self._coarse, vector @ self._axes)
        places, _ = _best(coarse, None, max(_SHORTLIST, 30 * count))
        return _best(np.einsum("ij,j->i", self.rows[places], vector), places, count)

    def likeness(self, vector: Vectors) -> Vectors:
        """Return the likeness of every text: the exact reference."""
        return self.rows @ vector

    def lexical(self, text: str) -> dict[int, float]:
        """Return the texts that share words with this one, with a score from 0 to 1; the best has 1."""
        scores: defaultdict[int, float] = defaultdict(float)
        for word in set(_words(text)):
            places, weights = self._postings.get(word, (None, None))
            if places is not None and weights is not None:
                for place, weight in zip(places.tolist(), weights.tolist(), strict=True):
                    scores[place] += weight
        most = max(scores.values(), default=0.0)
        return {place: score / most for place, score in scores.items()} if most > 0 else {}


def _best(scores: Vectors, places: NDArray[np.int64] | None, count: int) -> tuple[NDArray[np.int64], Vectors]:
    count = min(count, len(scores))
    if not count:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.float32)
    top = np.argpartition(scores, -count)[-count:]
    top = top[np.lexsort((top, -scores[top]))]
    return (top if places is None else places[top]), scores[top]


def _principal_axes(rows: Vectors) -> Vectors:
    """Return the directions along which the texts differ most, from an even sample of them."""
    step = max(1, len(rows) // _SAMPLE)
    sample = rows[::step].astype(np.float64)
    _, vectors = np.linalg.eigh(sample.T @ sample)
    axes: Vectors = np.ascontiguousarray(vectors[:, ::-1][:, :_COMPONENTS].astype(np.float32))
    return axes


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]


def _bm25(texts: Sequence[str]) -> dict[str, tuple[NDArray[np.int64], Vectors]]:
    counted = [Counter(_words(text)) for text in texts]
    lengths = [sum(words.values()) for words in counted]
    mean = sum(lengths) / len(lengths) if lengths else 1.0
    found: dict[str, list[tuple[int, int]]] = {}
    for place, words in enumerate(counted):
        for word, times in words.items():
            found.setdefault(word, []).append((place, times))
    postings = {}
    for word, hits in found.items():
        if len(texts) > 10 and len(hits) > _COMMON_SHARE * len(texts):
            continue
        rarity = math.log(1 + (len(texts) - len(hits) + 0.5) / (len(hits) + 0.5))
        weights = [
            rarity
            * times
            * (_SATURATION + 1)
            / (times + _SATURATION * (1 - _LENGTH + _LENGTH * lengths[place] / (mean or 1.0)))
            for place, times in hits
        ]
        postings[word] = (
            np.array([place for place, _ in hits], dtype=np.int64),
            np.array(weights, dtype=np.float32),
        )
    return postings
