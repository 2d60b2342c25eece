"""How sure a memory is: a lower bound, so that little evidence is little confidence. Pure."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from scipy import special

__all__ = ["lower_bound"]

_LEVEL: Final = 0.10


@lru_cache(maxsize=65536)
def lower_bound(successes: float, failures: float) -> float:
    """Return the 10 % quantile of the Beta posterior from a uniform prior.

    One success is 0.32, three are 0.56, five 0.68, ten with two failures 0.64. Counts may be fractions, where
    credit is shared.
    """
    return float(special.betaincinv(1.0 + successes, 1.0 + failures, _LEVEL))
