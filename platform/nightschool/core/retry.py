"""Whether to try again, and when: a pure decision. Waiting is the caller's business."""

from __future__ import annotations

from dataclasses import dataclass

from nightschool.core.errors import NightschoolError

__all__ = ["RetryDecision", "RetryPolicy", "decide"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """Exponential backoff with a ceiling, and the longest wait that a server may ask for."""

    max_attempts: int = 3
    first_delay_seconds: float = 0.5
    multiplier: float = 2.0
    max_delay_seconds: float = 30.0
    max_hint_seconds: float = 900.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryDecision:
    """Try again after ``delay_seconds``, or give up and say why."""

    retry: bool
    delay_seconds: float = 0.0
    reason: str = ""


def decide(
    policy: RetryPolicy, *, attempt: int, error: Exception, server_hint_seconds: float | None = None
) -> RetryDecision:
    """Decide after failure number ``attempt`` (from 1); a server's hint outranks backoff and ceiling."""
    if not (isinstance(error, NightschoolError) and error.retryable):
        return RetryDecision(retry=False, reason="error is not retryable")
    if attempt >= policy.max_attempts:
        return RetryDecision(retry=False, reason=f"gave up after {attempt} attempts")
    if server_hint_seconds is not None:
        return RetryDecision(retry=True, delay_seconds=min(server_hint_seconds, policy.max_hint_seconds))
    backoff = policy.first_delay_seconds * policy.multiplier ** (attempt - 1)
    return RetryDecision(retry=True, delay_seconds=min(backoff, policy.max_delay_seconds))
