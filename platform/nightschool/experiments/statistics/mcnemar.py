"""McNemar's exact test: two sides, each sample right or wrong once.

Pure. Knows nothing about repeats: with more than one outcome per sample, compare means of samples instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from scipy import stats

from nightschool.core.errors import InvalidInput

__all__ = ["McNemar", "mcnemar"]


@dataclass(frozen=True, slots=True, kw_only=True)
class McNemar:
    """The samples on which the two sides disagree, and what that says."""

    gained: int
    """Wrong before, right now."""
    lost: int
    """Right before, wrong now."""
    p: float
    """Two-sided and exact; 1 when they never disagree."""


def mcnemar(treatment: Mapping[str, float], baseline: Mapping[str, float]) -> McNemar:
    """Compare outcomes of 0 and 1 over the samples that both sides have.

    Raises:
        InvalidInput: an outcome is neither 0 nor 1.
    """
    shared = sorted(treatment.keys() & baseline.keys())
    wrong = [value for side in (treatment, baseline) for value in side.values() if value not in (0, 1)]
    if wrong:
        raise InvalidInput(f"McNemar's test is for outcomes of 0 and 1, not {wrong[0]}")
    gained = sum(treatment[sample] > baseline[sample] for sample in shared)
    lost = sum(treatment[sample] < baseline[sample] for sample in shared)
    p = float(stats.binomtest(gained, gained + lost).pvalue) if gained + lost else 1.0
    return McNemar(gained=gained, lost=lost, p=p)
