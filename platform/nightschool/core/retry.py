"""Whether to try again, and when: a pure decision. Waiting is the caller's business."""

from __future__ import annotations

from dataclasses import dataclass

from nightschool.core.errors import NightschoolError

__all__ = ["RetryDecision", "RetryPolicy", "decide"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """Exponential backoff with a ceiling."""

    max_attempts: int = 3
    first_delay_seconds: float = 0.5
    multiplier: float = 2.0
    max_delay_seconds: float = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryDecision:
    """Try again after ``delay_seconds``, or give up and say why."""

    retry: bool
    delay_seconds: float = 0.0
    reason: str = ""


def decide(
    policy: RetryPolicy, *, attempt: int, error: Exception, server_hint_seconds: float | None = None
) -> RetryDecision:
    """Decide after failure number ``attempt`` (from 1); a server's own hint outranks the backoff."""
    if not (isinstance(error, NightschoolError) and error.retryable):
        return RetryDecision(retry=False, reason="error is not retryable")
    if attempt >= policy.max_attempts:
        return RetryDecision(retry=False, reason=f"gave up after {attempt} attempts")
    backoff = policy.first_delay_seconds * policy.multiplier ** (attempt - 1)
    delay = backoff if server_hint_seconds is None else server_hint_seconds
    return RetryDecision(retry=True, delay_seconds=min(delay, policy.max_delay_seconds))
