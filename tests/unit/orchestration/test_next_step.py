from __future__ import annotations

from typing import Any

import pytest

from nightschool.orchestration.next_step import Next, after_failure, after_verdict
from nightschool.orchestration.plan import OnFailure

FIRST: dict[str, Any] = {
    "retryable": True, "timed_out": False, "tries": 1, "max_attempts": 2, "is_fallback": False,
    "may_escalate": False,
}  # fmt: skip


@pytest.mark.parametrize(
    ("strategy", "changes", "expected"),
    [
        (OnFailure.BEST_EFFORT, {}, Next.RETRY),
        (OnFailure.BEST_EFFORT, {"timed_out": True}, Next.REASSIGN),
        (OnFailure.BEST_EFFORT, {"retryable": False}, Next.FAIL),
        (OnFailure.BEST_EFFORT, {"tries": 2}, Next.FAIL),
        (OnFailure.RETRY, {"retryable": False}, Next.RETRY),
        (OnFailure.RETRY, {"tries": 2}, Next.FALLBACK),
        (OnFailure.RETRY, {"is_fallback": True}, Next.FAIL),
        (OnFailure.CRITICAL, {"tries": 2}, Next.FAIL),
        (OnFailure.CRITICAL, {"tries": 2, "may_escalate": True}, Next.ESCALATE),
    ],
)
def test_a_failed_attempt_is_followed_by(
    strategy: OnFailure, changes: dict[str, Any], expected: Next
) -> None:
    assert expected is after_failure(strategy, **{**FIRST, **changes})


@pytest.mark.parametrize(
    ("strategy", "changes", "expected"),
    [
        (OnFailure.BEST_EFFORT, {"satisfied": True}, Next.ACCEPT),
        (OnFailure.BEST_EFFORT, {}, Next.RERUN),
        (OnFailure.BEST_EFFORT, {"reruns": 2}, Next.ESCALATE),
        (OnFailure.RETRY, {"reruns": 2}, Next.FALLBACK),
        (OnFailure.RETRY, {"reruns": 2, "is_fallback": True}, Next.ESCALATE),
        (OnFailure.RETRY, {"fits": False}, Next.ESCALATE),
    ],
)
def test_a_verdict_is_followed_by(strategy: OnFailure, changes: dict[str, Any], expected: Next) -> None:
    first: dict[str, Any] = {"satisfied": False, "reruns": 0, "max_reruns": 2, "is_fallback": False}

    assert expected is after_verdict(strategy, **{**first, **changes})
