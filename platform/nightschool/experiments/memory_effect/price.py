"""What memory costs for what it brings: per extra success, and from how many sessions on it pays. Pure.

Counted in tokens or in dollars, whichever it is given; knows nothing about what a success is worth.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Price", "price"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """One way of remembering against none."""

    per_session: float
    extra: float
    """More of it in a session than without memory; below 0 where memory saves work."""
    learning: float
    """Spent once: in the sessions learnt from and in dreams."""
    amortised: float
    """Of that, what falls to each session served."""
    per_extra_success: float | None
    """For each success more than without memory, learning included; None where nothing was gained."""
    break_even_sessions: float | None
    """Sessions from which on a success costs no more than without memory; None where it never does."""


def price(  # six measured numbers
    *,
    cost: float,
    success: float,
    base_cost: float,
    base_success: float,
    learning: float,
    sessions_served: int,
) -> Price:
    """Return what memory costs.

    Args:
        cost: of a session with memory, on average, in tokens or dollars.
        success: share of sessions with memory that pass.
        base_cost: of a session without.
        base_success: share of sessions without memory that pass.
        learning: spent once, before the first session is served.
        sessions_served: sessions over which that is spread; above 0.
    """
    gain, extra = success - base_success, cost - base_cost
    amortised = learning / sessions_served
    return Price(
        per_session=cost,
        extra=extra,
        learning=learning,
        amortised=amortised,
        per_extra_success=(extra + amortised) / gain if gain > 0 else None,
        break_even_sessions=_break_even(cost, success, base_cost, base_success, learning),
    )


def _break_even(
    cost: float, success: float, base_cost: float, base_success: float, learning: float
) -> float | None:
    """Solve (learning + n cost) / (n success) = base cost / base success for n."""
    if success <= base_success:
        return None
    if base_success == 0:
        return 0.0  # without memory nothing buys a success
    saved = success * base_cost / base_success - cost
    return learning / saved if saved > 0 else None
