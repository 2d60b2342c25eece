"""What work consumed: tokens and money. Knows no prices: those belong to ``models.pricing``."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Final

__all__ = ["SESSION_HOUR_USD", "Usage"]

SESSION_HOUR_USD: Final = Decimal("0.08")
"""List price of one running session-hour, in US dollars."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens of one or many model requests, in the four classes that are priced apart."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_creation_input_tokens: int = 0
    cache_read_input_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        """Return the sum, class by class."""
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cache_creation_input_tokens=self.cache_creation_input_tokens + other.cache_creation_input_tokens,
            cache_read_input_tokens=self.cache_read_input_tokens + other.cache_read_input_tokens,
        )

    @property
    def total_tokens(self) -> int:
        """All tokens read and written, cached or not."""
        return (
            self.input_tokens
            + self.output_tokens
            + self.cache_creation_input_tokens
            + self.cache_read_input_tokens
        )
