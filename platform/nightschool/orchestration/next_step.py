"""What follows when an attempt at a task ended badly: pure decisions.

failed     tries left → at once again, by another agent when this one took too long
           none left  → the fallback queue, the orchestrator, or an end that is named
not good   re-runs left → again, with the feedback
           none left    → the fallback queue or the orchestrator
"""

from __future__ import annotations

from enum import StrEnum

from nightschool.orchestration.plan import OnFailure

__all__ = ["Next", "after_failure", "after_verdict"]


class Next(StrEnum):
    """What is done next with a task."""

    ACCEPT = "accept"
    """Its result stands."""
    RETRY = "retry"
    """At once again."""
    REASSIGN = "reassign"
    """At once again, by another agent."""
    RERUN = "rerun"
    """Again, with the grader's feedback."""
    FALLBACK = "fallback"
    """Later, by the fallback agent."""
    ESCALATE = "escalate"
    """The orchestrator decides."""
    FAIL = "fail"
    """It ends without a result."""


def after_failure(
    on_failure: OnFailure,
    *,
    retryable: bool,
    timed_out: bool,
    tries: int,
    max_attempts: int,
    is_fallback: bool,
    may_escalate: bool,
) -> Next:
    """Decide what follows a failed attempt.

    Args:
        on_failure: the task's strategy.
        retryable: whether doing the same again can help.
        timed_out: whether it took too long; then another agent takes it.
        tries: attempts that failed, this one included.
        max_attempts: the retry budget.
        is_fallback: whether it was the fallback agent that failed.
        may_escalate: whether the orchestrator has not yet decided about it.
    """
    again = retryable or on_failure is OnFailure.RETRY
    if again and tries < max_attempts and not is_fallback:
        return Next.REASSIGN if timed_out else Next.RETRY
    if on_failure is OnFailure.RETRY and not is_fallback:
        return Next.FALLBACK
    if on_failure is OnFailure.CRITICAL and may_escalate:
        return Next.ESCALATE
    return Next.FAIL


def after_verdict(
    on_failure: OnFailure,
    *,
    satisfied: bool,
    reruns: int,
    max_reruns: int,
    is_fallback: bool,
    fits: bool = True,
) -> Next:
    """Decide what follows a verdict.

    Args:
        on_failure: the task's strategy.
        satisfied: whether the result reaches its tier.
        reruns: results of this task sent back before.
        max_reruns: how many may be.
        is_fallback: whether it was the fallback agent's result.
        fits: whether it could be judged at all; if not, doing it again would not help.
    """
    if satisfied:
        return Next.ACCEPT
    if not fits:
        return Next.ESCALATE
    if reruns < max_reruns and not is_fallback:
        return Next.RERUN
    if on_failure is OnFailure.RETRY and not is_fallback:
        return Next.FALLBACK
    return Next.ESCALATE
