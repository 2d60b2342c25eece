from __future__ import annotations

from dataclasses import replace

import pytest

from nightschool.core.clock import FrozenClock
from nightschool.core.errors import StoreFull
from nightschool.core.ids import IdSource
from nightschool.dreaming.adopt import Adoption
from nightschool.dreaming.consolidate import difference
from nightschool.dreaming.forget import forget_sessions
from nightschool.dreaming.pipeline import Dreamer
from nightschool.dreaming.rules import PLAIN
from nightschool.journal.deletion import delete_sessions
from nightschool.journal.journal import Journal
from nightschool.memory.heads import Heads
from nightschool.memory.memory import Attributes
from nightschool.memory.store import MemoryStore
from tests.unit.dreaming.sessions import Sessions

pytestmark = pytest.mark.integration
PATH = ("get_order", "check_stock", "update_order")


def _store(dreamer: Dreamer, store_id: str) -> MemoryStore:
    return MemoryStore(journal=dreamer.journal, clock=dreamer.clock, ids=dreamer.ids, store_id=store_id)


def _write_five(sessions: Sessions) -> None:
    for number in range(5):
        sessions.add(f"w{number}", *PATH, passed=True, on=number + 1)


def test_a_dream_writes_a_new_store_and_leaves_the_old_one(
    sessions: Sessions, dreamer: Dreamer, adoption: Adoption
) -> None:
    _write_five(sessions)
    first = dreamer.dream()
    adoption.adopt(first.dream_id)
    before = [entry.body for entry in dreamer.journal.read(first.completed.output_store_id)]
    sessions.add("w9", *PATH, passed=True, on=9)
    second = dreamer.dream()

    assert before == [entry.body for entry in dreamer.journal.read(first.completed.output_store_id)]
    assert first.completed.output_store_id != second.completed.output_store_id
    assert second.completed.store_hash == _store(dreamer, second.completed.output_store_id).hash()
    assert {"modified": 1, "episodes": 1, "memories": 1} == second.completed.counts


def test_the_same_sessions_dreamt_again_change_nothing(
    sessions: Sessions, dreamer: Dreamer, adoption: Adoption, clock: FrozenClock
) -> None:
    _write_five(sessions)
    first = dreamer.dream()
    adoption.adopt(first.dream_id)
    clock.advance(3600)
    again = dreamer.dream(mode="rebuild")

    assert "completed_no_change" == again.completed.status
    assert first.completed.store_hash == again.completed.store_hash


def test_incremental_ends_where_a_rebuild_ends(
    sessions: Sessions, dreamer: Dreamer, adoption: Adoption
) -> None:
    other = replace(dreamer, name="other")
    for number in range(6):
        sessions.add(f"w{number}", *PATH, passed=number != 3, on=number + 1, comment="Refunds take 5 days.")
        adoption.adopt(dreamer.dream().dream_id)
    step_by_step = dreamer.dream().plan.memories
    at_once = other.dream(mode="rebuild").plan.memories

    assert [] == difference(step_by_step, at_once)
    assert {path: memory.attributes for path, memory in step_by_step.items()} == {
        path: memory.attributes for path, memory in at_once.items()
    }


def test_sessions_that_arrive_late_count_as_when_they_happened(
    journal: Journal, sessions: Sessions, dreamer: Dreamer, adoption: Adoption
) -> None:
    sessions.add("new", passed=True, source="user", comment="Refunds now take 3 days.", on=9)
    adoption.adopt(dreamer.dream().dream_id)
    sessions.add("old", passed=True, source="user", comment="Refunds take 5 days.", on=2)
    late = dreamer.dream().plan.memories

    states = {memory.text: memory.attributes.state for memory in late.values()}
    assert {"Refunds now take 3 days.": "active", "Refunds take 5 days.": "archived"} == states


def test_another_tenants_sessions_are_never_read(sessions: Sessions, dreamer: Dreamer) -> None:
    sessions.add("a", *PATH, passed=True, tenant="red")
    sessions.add("b", *PATH, passed=True, tenant="red")

    assert 0 == len(dreamer.dream().findings.episodes)
    assert {"red"} == {
        memory.attributes.tenant
        for memory in replace(dreamer, tenant="red", name="red").dream().plan.memories.values()
    }


def test_two_dreams_that_change_nothing_raise_an_alarm(sessions: Sessions, dreamer: Dreamer) -> None:
    statuses = []
    for number in range(3):
        sessions.add(f"s{number}", said="Hello there.", on=number + 1)
        statuses.append((dreamer.dream().completed, number))

    assert [(), False, False] == [statuses[0][0].alarms, not statuses[1][0].alarms, not statuses[2][0].alarms]
    assert {"completed_no_change"} == {each.status for each, _ in statuses}


def test_a_dream_done_again_is_the_same_dream(sessions: Sessions, dreamer: Dreamer) -> None:
    _write_five(sessions)
    chosen = [f"sesn_w{number}" for number in range(5)]
    first = dreamer.dream(session_ids=chosen)
    position = dreamer.journal.last_position()
    again = dreamer.dream(session_ids=chosen)

    assert (first.dream_id, position) == (again.dream_id, dreamer.journal.last_position())


def test_a_dream_that_fails_says_why_and_can_be_done_again(
    sessions: Sessions, dreamer: Dreamer, adoption: Adoption, monkeypatch: pytest.MonkeyPatch
) -> None:
    _write_five(sessions)

    def refuse(*_: object, **__: object) -> None:
        raise StoreFull

    with monkeypatch.context() as broken:
        broken.setattr("nightschool.memory.texts.Texts.put_all", refuse)
        with pytest.raises(StoreFull):
            dreamer.dream()
    (failed,) = adoption.dreams()
    again = dreamer.dream()

    assert "failed" == failed.status
    assert failed.failure is not None and "store_full" == failed.failure.error["type"]
    assert (failed.dream_id, "completed") == (again.dream_id, adoption.dreamt(again.dream_id).status)


def test_without_anything_new_the_dream_that_waits_is_returned(
    sessions: Sessions, dreamer: Dreamer, adoption: Adoption
) -> None:
    _write_five(sessions)
    first = dreamer.dream()
    position = dreamer.journal.last_position()
    again = dreamer.dream()

    assert (first.dream_id, True, False) == (again.dream_id, again.is_earlier, first.is_earlier)
    assert (position, 1) == (dreamer.journal.last_position(), len(adoption.dreams()))
    sessions.add("w9", *PATH, passed=True, on=9)
    assert not dreamer.dream().is_earlier


def test_what_was_rejected_is_not_dreamt_again_without_anything_new(
    sessions: Sessions, dreamer: Dreamer, adoption: Adoption
) -> None:
    _write_five(sessions)
    first = dreamer.dream()
    adoption.reject(first.dream_id)

    assert "rejected" == adoption.dreamt(dreamer.dream().dream_id).status
    assert not adoption.adopt_unless_objected(first.dream_id)


def test_other_rules_and_a_changed_store_are_something_new(sessions: Sessions, dreamer: Dreamer) -> None:
    _write_five(sessions)
    first = dreamer.dream()
    plain = replace(dreamer, rules=PLAIN).dream()
    head = _store(dreamer, Heads(journal=dreamer.journal, clock=dreamer.clock).get("default").store_id)
    head.create("default")
    head.write("/note", "Mind the gap.", Attributes())

    assert 3 == len({first.dream_id, plain.dream_id, dreamer.dream().dream_id})


def test_time_alone_is_a_reason_to_dream(
    sessions: Sessions, dreamer: Dreamer, adoption: Adoption, clock: FrozenClock
) -> None:
    _write_five(sessions)
    adoption.adopt(dreamer.dream().dream_id)
    quiet = dreamer.dream()
    clock.advance(100 * 86_400)
    late = dreamer.dream()

    assert ("completed_no_change", {"expired"}) == (
        quiet.completed.status,
        {str(memory.attributes.state) for memory in late.plan.memories.values()},
    )


def test_a_session_deleted_meanwhile_does_not_stand_in_the_way(
    sessions: Sessions, dreamer: Dreamer, ids: IdSource
) -> None:
    _write_five(sessions)
    dreamer.dream()
    forget_sessions(dreamer.journal, ["sesn_w0"], clock=dreamer.clock, ids=ids)
    delete_sessions(dreamer.journal, ["sesn_w0"])

    assert 4 == len(dreamer.dream().findings.episodes)
