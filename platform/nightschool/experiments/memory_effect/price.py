"""What memory costs for what it brings: per extra success, and from how many sessions on it pays. Pure.

Everything is counted in tokens; knows nothing about their price or about what a success is worth.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Price", "price"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """One way of remembering against none."""

    tokens_per_session: float
    extra_tokens: float
    """More of them in a session than without memory; below 0 where memory saves work."""
    learning_tokens: float
    """Tokens spent once: in the sessions learnt from and in dreams."""
    amortised_tokens: float
    """Of those, what falls to each session served."""
    per_extra_success: float | None
    """Tokens for each success more than without memory, learning included; None where nothing was gained."""
    break_even_sessions: float | None
    """Sessions from which on a success costs no more than without memory; None where it never does."""


def price(  # six measured numbers
    *,
    tokens: float,
    success: float,
    base_tokens: float,
    base_success: float,
    learning_tokens: float,
    sessions_served: int,
) -> Price:
    """Return what memory costs.

    Args:
        tokens: of a session with memory, on average.
        success: share of sessions with memory that pass.
        base_tokens: of a session without.
        base_success: share of sessions without memory that pass.
        learning_tokens: spent once, before the first session is served.
        sessions_served: sessions over which that is spread; above 0.
    """
    gain, extra = success - base_success, tokens - base_tokens
    amortised = learning_tokens / sessions_served
    return Price(
        tokens_per_session=tokens,
        extra_tokens=extra,
        learning_tokens=learning_tokens,
        amortised_tokens=amortised,
        per_extra_success=(extra + amortised) / gain if gain > 0 else None,
        break_even_sessions=_break_even(tokens, success, base_tokens, base_success, learning_tokens),
    )


def _break_even(
    tokens: float, success: float, base_tokens: float, base_success: float, learning_tokens: float
) -> float | None:
    """Solve (learning + n tokens) / (n success) = base tokens / base success for n."""
    if success <= base_success:
        return None
    if base_success == 0:
        return 0.0  # without memory no number of tokens buys a success
    saved = success * base_tokens / base_success - tokens
    return learning_tokens / saved if saved > 0 else None
