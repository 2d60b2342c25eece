"""What work costs at list price: tokens by model, and running time. Knows nothing about discounts or budgets.

The prices are data (`prices.toml`, read on a stated day). A model without a price costs None, not zero.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cache
from importlib.resources import files
from typing import Any, Final

from nightschool.core.usage import SESSION_HOUR_USD, Usage

__all__ = ["Price", "cost", "price_of", "prices_read_on"]

_MILLION: Final = Decimal(1_000_000)
_SECONDS_PER_HOUR: Final = Decimal(3600)
_DATED: Final = re.compile(r"-\d{8}$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """US dollars per million tokens, in the four classes that are priced apart."""

    input: Decimal
    output: Decimal
    cache_write: Decimal
    cache_read: Decimal

    def of(self, usage: Usage) -> Decimal:
        """Return the price of these tokens in US dollars."""
        return (
            self.input * usage.input_tokens
            + self.output * usage.output_tokens
            + self.cache_write * usage.cache_creation_input_tokens
            + self.cache_read * usage.cache_read_input_tokens
        ) / _MILLION


def price_of(model: str) -> Price | None:
    """Return a model's list price; zero for the brains of this machine, None when it is not known."""
    table = _table()
    free = table["free"]
    if model in free["ids"] or model.startswith(tuple(free["prefixes"])):
        nothing = Decimal(0)
        return Price(input=nothing, output=nothing, cache_write=nothing, cache_read=nothing)
    row = table["models"].get(_DATED.sub("", model))
    return None if row is None else Price(**{name: Decimal(value) for name, value in row.items()})


def prices_read_on() -> date:
    """Return the day the price table was read from its source."""
    day: date = _table()["read_on"]
    return day


def cost(model: str, usage: Usage, running_seconds: float = 0.0) -> Decimal | None:
    """Return tokens at list price plus the running time, in US dollars; None when the price is not known.

    Args:
        model: model id, with or without its date.
        usage: the tokens.
        running_seconds: how long sessions were running, summed.
    """
    price = price_of(model)
    if price is None:
        return None
    return price.of(usage) + SESSION_HOUR_USD * Decimal(str(running_seconds)) / _SECONDS_PER_HOUR


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads((files("nightschool.models") / "prices.toml").read_text(encoding="utf-8"))
