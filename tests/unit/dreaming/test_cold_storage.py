from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from nightschool.core.clock import FrozenClock
from nightschool.core.ids import IdSource
from nightschool.dreaming.adopt import Adoption
from nightschool.dreaming.cold_storage import Moved, Place, Saying, Standing, place_of, store_cold
from nightschool.dreaming.forget import forget_sessions
from nightschool.dreaming.lifecycle import Lifetimes
from nightschool.dreaming.pipeline import Dreamer
from nightschool.journal.deletion import delete_sessions
from nightschool.journal.journal import Journal
from nightschool.memory.heads import Heads
from nightschool.memory.memory import Attributes, Memory, State
from nightschool.memory.store import MemoryStore
from nightschool.memory.texts import Texts
from tests.unit.dreaming.sessions import Sessions

pytestmark = pytest.mark.integration
LIFETIMES = Lifetimes()
NOW = datetime(2026, 2, 1, tzinfo=UTC)
SAID = "Refunds take 5 days."


def _saying(state: State, standing: Standing, *, days_over: int | None = None) -> Saying:
    expires = "" if days_over is None else (NOW - timedelta(days=days_over)).isoformat()
    known = Attributes(state=state, expires_at=expires)
    return Saying(
        sha256="0", store_id="m", event_id="e", path="/a", attributes=known, standing=standing, at=""
    )


HIDDEN, LONG = 200, 500
"""Days since it expired: cold by now, purged by now."""


@pytest.mark.parametrize(
    ("expected", "sayings"),
    [
        (Place.JOURNAL, [_saying(State.ACTIVE, Standing.HEAD)]),
        (Place.JOURNAL, [_saying(State.ACTIVE, Standing.HEAD, days_over=LONG)]),  # no dream has said so yet
        (Place.JOURNAL, [_saying(State.ARCHIVED, Standing.PAST)]),
        (Place.COLD, [_saying(State.COLD, Standing.HEAD, days_over=HIDDEN)]),
        (
            Place.JOURNAL,
            [
                _saying(State.COLD, Standing.HEAD, days_over=LONG),
                _saying(State.ACTIVE, Standing.HEAD, days_over=LONG),
            ],
        ),
        (Place.GONE, [_saying(State.COLD, Standing.HEAD, days_over=LONG)]),
        (
            Place.COLD,
            [
                _saying(State.COLD, Standing.HEAD, days_over=LONG),
                _saying(State.ACTIVE, Standing.NEXT, days_over=HIDDEN),
            ],
        ),
        (
            Place.GONE,
            [
                _saying(State.CANDIDATE, Standing.PAST),
                _saying(State.COLD, Standing.PAST, days_over=LONG),
            ],
        ),
        (Place.COLD, [_saying(State.COLD, Standing.PAST, days_over=HIDDEN)]),
    ],
)
def test_what_is_recalled_from_decides_where_a_text_lies(expected: Place, sayings: list[Saying]) -> None:
    assert expected is place_of(sayings, NOW, LIFETIMES)


def _learn(journal: Journal, clock: FrozenClock, dreamer: Dreamer) -> MemoryStore:
    ids = IdSource(clock=clock)
    result = dreamer.dream()
    if result.completed.status != "completed_no_change":
        Adoption(journal=journal, clock=clock, ids=ids).adopt(result.dream_id, approved=True)
    head = Heads(journal=journal, clock=clock).get("default")
    return MemoryStore(journal=journal, clock=clock, ids=ids, store_id=head.store_id)


@pytest.fixture
def store(journal: Journal, clock: FrozenClock, sessions: Sessions, dreamer: Dreamer) -> MemoryStore:
    """One memory that expired long ago and is cold, and one that is recalled."""
    sessions.add("a", passed=True, source="user", comment=SAID, on=1, task_type="refunds")
    _learn(journal, clock, dreamer)
    clock.advance(timedelta(days=200).total_seconds())
    found = _learn(journal, clock, dreamer)
    found.write("/note", "We are kind.", Attributes(), actor="user")
    return found


def _cold(store: MemoryStore) -> Memory:
    (found,) = (each for each in store.memories().values() if each.attributes.state is State.COLD)
    return found


def _places(store: MemoryStore) -> tuple[bool, bool]:
    """Return whether the memory's text is in the journal, and in cold storage."""
    texts = store.texts
    return SAID in texts.live().values(), SAID in {each.text for each in texts.cold.rows().values()}


def _put_away(store: MemoryStore) -> Moved:
    return store_cold(store.journal, clock=store.clock, ids=store.ids, lifetimes=LIFETIMES)


def test_a_cold_memory_lies_in_a_file_and_the_store_says_what_it_said(store: MemoryStore) -> None:
    before = store.hash(), store.memories(), store.history(_cold(store).path)

    assert Moved(to_cold=1) == _put_away(store)
    assert (False, True) == _places(store)
    assert before == (store.hash(), store.memories(), store.history(_cold(store).path))
    assert Moved() == _put_away(store)
    moved = [each.event for each in store.journal.read(store.store_id, types=["memory.moved_to_cold"])]
    assert 1 == len(moved)


def test_a_restored_memory_comes_back(store: MemoryStore) -> None:
    _put_away(store)
    memory = _cold(store)
    store.write(memory.path, memory.text, Attributes(reason="active by hand"), actor="user")

    assert Moved(back=1) == _put_away(store)
    assert (True, False) == _places(store)
    assert store.memory(memory.path).is_recallable


def test_a_dream_that_hears_it_again_brings_it_back(
    store: MemoryStore, journal: Journal, clock: FrozenClock, sessions: Sessions, dreamer: Dreamer
) -> None:
    _put_away(store)
    path = _cold(store).path
    clock.advance(1)
    sessions.add("b", passed=True, source="user", comment=SAID, on=200, task_type="refunds")
    learnt = _learn(journal, clock, dreamer)

    assert learnt.memory(path).is_recallable
    assert Moved(back=1) == _put_away(learnt)
    assert (True, False) == _places(learnt)


def test_a_dream_leaves_cold_texts_where_they_are(
    store: MemoryStore, journal: Journal, clock: FrozenClock, sessions: Sessions, dreamer: Dreamer
) -> None:
    _put_away(store)
    sessions.add("b", passed=True, source="user", comment="Parcels take 3 days.", on=200, task_type="parcels")
    learnt = _learn(journal, clock, dreamer)

    assert store.store_id != learnt.store_id
    assert (False, True) == _places(learnt)
    assert SAID == _cold(learnt).text
    assert Moved() == _put_away(learnt)


def test_what_was_cold_for_long_is_purged_and_can_be_learnt_anew(
    store: MemoryStore, journal: Journal, clock: FrozenClock, sessions: Sessions, dreamer: Dreamer
) -> None:
    _put_away(store)
    path = _cold(store).path
    clock.advance(timedelta(days=365).total_seconds())

    assert Moved(purged=1) == _put_away(store)
    assert (False, False) == _places(store)
    assert path not in store.memories() and [None] * 2 == [each.text for each in store.history(path)]
    assert SAID not in Texts(journal=journal, clock=clock).all().values()
    assert Moved() == _put_away(store)
    sessions.add("b", passed=True, source="user", comment=SAID, on=550, task_type="refunds")
    assert SAID == _learn(journal, clock, dreamer).memory(path).text


def test_a_deleted_session_leaves_nothing_in_cold_storage(store: MemoryStore, ids: IdSource) -> None:
    _put_away(store)
    delete_sessions(store.journal, ["sesn_a"])
    forget_sessions(store.journal, ["sesn_a"], clock=store.clock, ids=ids)

    assert (False, False) == _places(store)
    assert not store.texts.cold.path.exists()
    assert ["/note"] == list(store.memories())


def test_a_memory_that_loses_some_evidence_stays_cold(
    store: MemoryStore,
    journal: Journal,
    clock: FrozenClock,
    sessions: Sessions,
    dreamer: Dreamer,
    ids: IdSource,
) -> None:
    sessions.add("b", passed=True, source="user", comment=SAID, on=2, task_type="refunds")
    learnt = _learn(journal, clock, dreamer)
    _put_away(learnt)
    forget_sessions(journal, ["sesn_a"], clock=clock, ids=ids)

    assert {"sesn_b"} == _cold(learnt).attributes.sessions
    assert (False, True) == _places(learnt)
    learnt.redact(_cold(learnt).sha256)
    assert 0 < forget_sessions(journal, ["sesn_b"], clock=clock, ids=ids).removed
