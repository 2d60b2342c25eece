"""Whether paired differences are centred on zero, by flipping their signs.

Pure. Knows nothing about where the differences come from.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import stats

from nightschool.experiments.statistics.pairing import Floats, finite

__all__ = [
    "PermutationTest",
    "sign_flip_test",
]

_EXACT_UP_TO_PAIRS: Final = 14
_PERMUTATIONS: Final = 19_999
_BATCH_CELLS: Final = 2_000_000
_ROUNDING: Final = 1e-12


class PermutationTest(NamedTuple):
    """A two-sided p value and how it was made: exact, or monte carlo."""

    p: float
    method: str


def sign_flip_test(differences: Sequence[float], *, seed: int = 0) -> PermutationTest:
    """Test that paired differences are centred on zero, by flipping their signs.

    Exact over all sign patterns up to 2^14 of them, else a seeded sample of patterns. Zero differences are
    set aside first: flipping them changes nothing, so the p value is the same and is more often exact.
    Differences that are all of one size, as single right-or-wrong outcomes have, need no patterns: only the
    number of signs matters, and the test is McNemar's, exact for any number of pairs.

    Raises:
        InvalidInput: a value is not a finite number.
    """
    data = finite(differences)
    data = data[data != 0]
    if data.size == 0:
        return PermutationTest(1.0, "exact")
    if np.ptp(np.abs(data)) == 0:
        return PermutationTest(float(stats.binomtest(int((data > 0).sum()), data.size).pvalue), "exact")
    observed, slack = abs(float(data.sum())), _ROUNDING * float(np.abs(data).sum())
    if data.size <= _EXACT_UP_TO_PAIRS:
        hits = int((np.abs(_all_signs(data.size) @ data) >= observed - slack).sum())
        return PermutationTest(hits / 2**data.size, "exact")
    hits = _random_hits(data, observed - slack, np.random.default_rng(seed))
    return PermutationTest((hits + 1) / (_PERMUTATIONS + 1), "monte carlo")


def _all_signs(n: int) -> npt.NDArray[np.int64]:
    patterns = np.arange(2**n, dtype=np.int64)[:, None] >> np.arange(n, dtype=np.int64)
    return (patterns & 1) * 2 - 1


def _random_hits(data: Floats, threshold: float, rng: np.random.Generator) -> int:
    hits, left, total = 0, _PERMUTATIONS, float(data.sum())
    while left:
        rows = min(left, max(1, _BATCH_CELLS // data.size))
        # With a positive sign as 1 and a negative one as 0, a signed sum is twice the sum of the positive
        # ones less the sum of all; single bits are the cheapest random numbers there are.
        drawn = np.unpackbits(np.frombuffer(rng.bytes(-(-rows * data.size // 8)), dtype=np.uint8))
        positive = drawn[: rows * data.size].reshape(rows, data.size).astype(np.float64) @ data
        hits += int((np.abs(2 * positive - total) >= threshold).sum())
        left -= rows
    return hits
