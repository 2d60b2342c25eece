"""Weighted sums whose weights are data (`weights.toml`). Knows no meaning of any feature.

`scripts/fit_reader.py` fits them by logistic regression on contracts drawn for development, tried on policies
it has not seen: no weight belongs to a policy or to a wording.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

__all__ = ["Linear", "linear"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Linear:
    """A logistic model with named weights."""

    bias: float
    weights: NDArray[np.float64]

    def score(self, features: Sequence[float] | NDArray[np.float64]) -> float:
        """Return the log-odds."""
        return float(self.weights @ np.asarray(features, dtype=np.float64)) + self.bias

    def scores(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the log-odds of many rows."""
        odds: NDArray[np.float64] = rows @ self.weights + self.bias
        return odds


@cache
def linear(name: str, features: tuple[str, ...]) -> Linear:
    """Return the model of this name for features in this order.

    Raises:
        KeyError: the file has no weight for a feature.
    """
    table = tomllib.loads((files("nightschool.models.reader") / "weights.toml").read_text(encoding="utf-8"))[
        name
    ]
    return Linear(bias=table["bias"], weights=np.array([table[feature] for feature in features]))
