from __future__ import annotations

from datetime import UTC, datetime

import pytest

from nightschool.core.clock import FrozenClock
from nightschool.core.errors import StoreBusy
from nightschool.dreaming.schedule import Schedule, Timetable, contradiction_ratio, due_at
from nightschool.journal.journal import Journal
from nightschool.memory.memory import Attributes, Kind, Memory
from tests.unit.dreaming.sessions import Sessions

TIMES = Timetable()
SUNDAY_NIGHT = datetime(2026, 1, 4, 3, tzinfo=UTC)


def _keys(now: datetime, *, position: int = 9, dreamt: int = 0) -> list[str]:
    return [each.key for each in due_at(now, position=position, dreamt_position=dreamt, timetable=TIMES)]


def test_a_night_has_one_dream_and_a_week_one_rebuild() -> None:
    assert ["weekly/2026-W01", "nightly/2026-01-04", "idle/9"] == _keys(SUNDAY_NIGHT)
    assert ["nightly/2026-01-05", "idle/9"] == _keys(SUNDAY_NIGHT.replace(day=5))
    assert ["weekly/2026-W01"] == _keys(SUNDAY_NIGHT, dreamt=9)


def test_before_the_night_hour_it_is_still_yesterday() -> None:
    assert "nightly/2026-01-03" in _keys(SUNDAY_NIGHT.replace(hour=1))


@pytest.fixture
def schedule(journal: Journal, clock: FrozenClock) -> Schedule:
    return Schedule(journal=journal, clock=clock, name="default")


@pytest.mark.integration
def test_a_dream_waits_while_agents_work(sessions: Sessions, schedule: Schedule, clock: FrozenClock) -> None:
    sessions.add("a", "get_order", passed=True)
    done: list[str] = []
    schedule.put_due(dreamt_position=0)

    assert schedule.work("w", done.append) is None and not done
    clock.advance(16 * 60)
    assert schedule.work("w", done.append) is not None and ["incremental"] == done


@pytest.mark.integration
def test_what_is_due_is_put_once_and_done_once(
    sessions: Sessions, schedule: Schedule, clock: FrozenClock
) -> None:
    sessions.add("a", "get_order", passed=True)
    clock.advance(3600)
    first, second = schedule.put_due(dreamt_position=0), schedule.put_due(dreamt_position=0)
    done: list[str] = []
    while schedule.work("w", done.append):
        """Until nothing is left."""

    assert first and not second
    assert len(first) == len(done)
    assert not schedule.put_due(dreamt_position=0)


@pytest.mark.integration
def test_a_dream_that_failed_is_tried_again_later(
    sessions: Sessions, schedule: Schedule, clock: FrozenClock
) -> None:
    def fail(_: str) -> None:
        raise StoreBusy

    sessions.add("a", passed=True)
    clock.advance(3600)
    schedule.put_due(dreamt_position=0)
    with pytest.raises(StoreBusy):
        schedule.work("w", fail)
    clock.advance(600)
    done: list[str] = []

    assert schedule.work("w", done.append) is not None


def _statement(path: str, *rivals: str) -> Memory:
    attributes = Attributes(kind=Kind.STATEMENT, conflicts_with=rivals)
    return Memory(path=path, text=path, attributes=attributes, sha256=path)


@pytest.mark.integration
def test_contradictions_ask_for_exactly_one_rebuild(schedule: Schedule) -> None:
    calm = {f"/{n}": _statement(f"/{n}") for n in range(8)}
    torn = {**calm, "/a": _statement("/a", "/b"), "/b": _statement("/b", "/a"), "/c": _statement("/c", "/a")}

    assert 0.0 == contradiction_ratio(calm)
    assert not schedule.put_rebuild(calm, "drm_1")
    assert schedule.put_rebuild(torn, "drm_2")
    assert not schedule.put_rebuild(torn, "drm_3")


@pytest.mark.integration
def test_a_store_that_is_about_something_else_asks_for_a_rebuild(schedule: Schedule) -> None:
    assert not schedule.put_rebuild({}, "drm_1", shift=0.2)
    assert schedule.put_rebuild({}, "drm_1", shift=0.3)
    assert not schedule.put_rebuild({}, "drm_1", shift=0.3)
