"""Whether to try again, and when."""

from __future__ import annotations

import pytest

from nightschool.core.errors import InvalidInput, ModelUnavailable
from nightschool.core.retry import RetryPolicy, decide

OVERLOADED = ModelUnavailable("busy")
POLICY = RetryPolicy(max_attempts=20)


@pytest.mark.parametrize(("attempt", "seconds"), [(1, 0.5), (2, 1.0), (3, 2.0), (12, 30.0)])
def test_pauses_double_up_to_their_ceiling(attempt: int, seconds: float) -> None:
    decision = decide(POLICY, attempt=attempt, error=OVERLOADED)

    assert (True, seconds) == (decision.retry, decision.delay_seconds)


@pytest.mark.parametrize(("hint", "seconds"), [(0.0, 0.0), (60.0, 60.0), (86_400.0, 900.0)])
def test_a_server_that_says_when_is_waited_for_within_reason(hint: float, seconds: float) -> None:
    decision = decide(POLICY, attempt=1, error=OVERLOADED, server_hint_seconds=hint)

    assert (True, seconds) == (decision.retry, decision.delay_seconds)


def test_what_will_not_pass_is_not_tried_again() -> None:
    assert not decide(POLICY, attempt=1, error=InvalidInput("no")).retry
    assert "gave up after 20" in decide(POLICY, attempt=20, error=OVERLOADED).reason
