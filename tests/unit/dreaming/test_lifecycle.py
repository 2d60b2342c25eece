from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from nightschool.dreaming.lifecycle import Lifetimes, aged, outcomes_of
from nightschool.memory.memory import Attributes, Evidence, State
from tests.unit.dreaming.episodes import episode

BORN = datetime(2026, 1, 1, tzinfo=UTC)
KNOWN = Attributes(evidence=(Evidence(session_id="sesn_1", event_id="e", passed=True, at=BORN.isoformat()),))


def _after(days: int, known: Attributes = KNOWN) -> Attributes | None:
    return aged(known, BORN + timedelta(days=days), Lifetimes())


def _used(on: int, *, passed: bool) -> Evidence:
    at = (BORN + timedelta(days=on)).isoformat()
    return Evidence(session_id=f"sesn_u{on}", event_id="e", passed=passed, at=at)


def test_what_is_not_used_is_hidden_then_cold_then_gone() -> None:
    states = [known.state if (known := _after(days)) else None for days in (10, 100, 200, 600)]

    assert [State.ACTIVE, State.EXPIRED, State.COLD, None] == states


def test_use_extends_life_only_when_it_helped() -> None:
    helped = _after(100, replace(KNOWN, outcomes=(_used(60, passed=True),)))
    hurt = _after(100, replace(KNOWN, outcomes=(_used(60, passed=False),)))

    assert helped is not None and State.ACTIVE is helped.state
    assert hurt is not None and State.EXPIRED is hurt.state


def test_what_harms_is_archived_though_it_is_often_used() -> None:
    harmful = _after(10, replace(KNOWN, outcomes=tuple(_used(n, passed=n == 1) for n in (1, 2, 3))))

    assert harmful is not None and (State.ARCHIVED, ("harmful",)) == (harmful.state, harmful.tags)


def test_an_expiry_date_that_was_later_stays() -> None:
    later = (BORN + timedelta(days=1000)).isoformat()
    known = _after(100, replace(KNOWN, expires_at=later))

    assert known is not None and (State.ACTIVE, later) == (known.state, known.expires_at)


def test_shared_use_is_shared_credit() -> None:
    used = episode("a", passed=True, recalled=("/a", "/b", "/c"), used=("/a", "/b"))
    outcomes = outcomes_of([used, episode("b", used=("/a",))])

    assert {"/a": [0.5], "/b": [0.5]} == {
        path: [e.weight for e in all_of] for path, all_of in outcomes.items()
    }
