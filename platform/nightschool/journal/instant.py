"""Moments as the journal stores them: whole microseconds since 1970, UTC. Pure."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

__all__ = ["from_microseconds", "to_microseconds"]

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)


def to_microseconds(moment: datetime) -> int:
    """Return a moment as it is stored."""
    return (moment - _EPOCH) // _MICROSECOND


def from_microseconds(stored: int) -> datetime:
    """Return a stored moment."""
    return _EPOCH + timedelta(microseconds=stored)
