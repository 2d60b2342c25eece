"""One passage's word on one policy. Knows nothing about how it was weighed."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Evidence"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A passage that speaks to a policy, and what it says."""

    policy: str
    position: str
    """violation or compliant."""
    section: str
    quote: str
    relevance: float
    """How surely the passage is about the policy, 0 to 1."""
    certainty: float
    """How surely it says what ``position`` says, 0 to 1."""
    reason: str
