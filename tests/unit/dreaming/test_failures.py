from __future__ import annotations

import pytest

from nightschool.dreaming.failures import error_counts, failing_types
from nightschool.dreaming.rules import PLAIN, SHARPENED, Rules
from tests.unit.dreaming.episodes import call, episode

SOLD_OUT = "not enough seats on flight HAT12"


def _failing(rules: Rules, *endings: str | None) -> str:
    """Return the gate of sessions that failed with these errors; None is a success."""
    episodes = [
        episode(f"s{place}", call("book_seat", error=error or ""), passed=error is None)
        for place, error in enumerate(endings)
    ]
    found = failing_types(episodes, rules)
    return found[0].gate if found else "too few"


@pytest.mark.parametrize("rules", [PLAIN, SHARPENED])
def test_three_of_four_with_one_cause_are_a_lesson(rules: Rules) -> None:
    assert not _failing(rules, SOLD_OUT, SOLD_OUT.replace("12", "99"), SOLD_OUT, None)


def test_three_of_forty_with_three_causes_are_none_unless_the_rule_is_plain() -> None:
    endings = (SOLD_OUT, "payment method not found", "does not add up", *[None] * 37)

    assert not _failing(PLAIN, *endings)
    assert "no cause is shared" in _failing(SHARPENED, *endings)


def test_three_of_forty_with_one_cause_are_chance() -> None:
    assert "expected by chance" in _failing(SHARPENED, *[SOLD_OUT] * 3, *[None] * 37)


@pytest.mark.parametrize("rules", [PLAIN, SHARPENED])
def test_retries_in_one_session_count_once(rules: Rules) -> None:
    retried = episode("a", *[call("book_seat", error=SOLD_OUT)] * 3, passed=False)

    assert [] == failing_types([retried], rules)
    assert (3, 1) == (error_counts([retried])[0].count, error_counts([retried])[0].sessions)


@pytest.mark.parametrize("rules", [PLAIN, SHARPENED])
def test_what_the_environment_did_is_no_lesson(rules: Rules) -> None:
    limited = [episode(f"s{n}", call("book_seat", error="HTTP 429"), passed=False) for n in range(5)]
    (found,) = failing_types(limited, rules)

    assert (0, 5) == (found.failures, found.environment)
    assert found.gate
