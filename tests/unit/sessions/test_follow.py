"""Following the log."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest
from anyio import to_thread

from nightschool.core.clock import FrozenClock
from nightschool.core.errors import NotFound, StoreError
from nightschool.core.ids import IdSource
from nightschool.events.session import SessionStatusRunning
from nightschool.events.user import UserMessage
from nightschool.journal.journal import Journal
from nightschool.sessions.follow import Follower
from nightschool.sessions.log import SessionLog

pytestmark = pytest.mark.anyio


@pytest.fixture
def journal(tmp_path: Path, clock: FrozenClock) -> Iterator[Journal]:
    """The writer's journal."""
    opened = Journal.open(tmp_path / "journal.sqlite", clock=clock)
    yield opened
    opened.close()


@pytest.fixture
def reader(tmp_path: Path, journal: Journal, clock: FrozenClock) -> Iterator[Journal]:
    """The same file as another process has it: opened for reading."""
    opened = Journal.open(tmp_path / "journal.sqlite", clock=clock, read_only=True)
    yield opened
    opened.close()


def _write(journal: Journal, ids: IdSource, session_id: str, count: int = 1) -> None:
    events = [UserMessage(id=ids.new("event"), content=()) for _ in range(count)]
    journal.append(session_id, events, epoch=1)


async def test_a_follower_gets_what_is_there_and_then_what_comes(
    journal: Journal, reader: Journal, ids: IdSource
) -> None:
    _write(journal, ids, "sesn_a", 2)
    follower = Follower(reader)
    seen = [(await anext(follower)).position for _ in range(2)]

    async def later() -> None:
        await to_thread.run_sync(_write, journal, ids, "sesn_b", 2)

    with anyio.fail_after(10):
        async with anyio.create_task_group() as group:
            group.start_soon(later)
            seen += [(await anext(follower)).position for _ in range(2)]

    assert [1, 2, 3, 4] == seen
    assert 4 == follower.position


async def test_a_cancelled_step_loses_nothing(journal: Journal, reader: Journal, ids: IdSource) -> None:
    follower = Follower(reader)
    with anyio.move_on_after(0.02) as waited:
        await anext(follower)
    assert waited.cancelled_caught

    _write(journal, ids, "sesn_a", 3)

    with anyio.fail_after(10):
        assert [1, 2, 3] == [(await anext(follower)).position for _ in range(3)]


async def test_a_follower_starts_behind_what_it_has_seen(
    journal: Journal, reader: Journal, ids: IdSource
) -> None:
    _write(journal, ids, "sesn_a", 5)

    assert [4, 5] == [entry.position for entry in await Follower(reader, after=3).batch(timeout_seconds=5)]


async def test_a_follower_may_want_only_some(journal: Journal, reader: Journal, ids: IdSource) -> None:
    _write(journal, ids, "sesn_a")
    _write(journal, ids, "sesn_b")
    journal.append("sesn_b", [SessionStatusRunning(id=ids.new("event"))], epoch=1)
    _write(journal, ids, "sesn_a")
    follower = Follower(reader, session_id="sesn_b", types=["session.status_running"])

    (entry,) = await follower.batch(timeout_seconds=5)

    assert ("sesn_b", "session.status_running", 3) == (entry.session_id, entry.type, entry.position)
    assert 4 == follower.position, "what the filter passes over needs not be read again"


async def test_a_batch_ends_with_the_time(reader: Journal) -> None:
    assert [] == await Follower(reader).batch(timeout_seconds=0.02)


async def test_a_batch_is_no_longer_than_asked(journal: Journal, reader: Journal, ids: IdSource) -> None:
    _write(journal, ids, "sesn_a", 5)
    follower = Follower(reader)

    assert [1, 2] == [entry.position for entry in await follower.batch(timeout_seconds=5, limit=2)]
    assert 2 == follower.position
    assert [3, 4, 5] == [entry.position for entry in await follower.batch(timeout_seconds=5)]


async def test_a_follower_of_a_closed_journal_is_told(reader: Journal) -> None:
    follower = Follower(reader)
    told: list[StoreError] = []

    async def wait() -> None:
        try:
            await anext(follower)
        except StoreError as error:
            told.append(error)

    with anyio.fail_after(10):
        async with anyio.create_task_group() as group:
            group.start_soon(wait)
            await anyio.wait_all_tasks_blocked()
            reader.close()

    assert ["closed" in error.message for error in told] == [True]


async def test_the_log_offers_following_and_looking_around(
    journal: Journal, clock: FrozenClock, ids: IdSource
) -> None:
    log = SessionLog(journal, clock=clock, ids=ids)
    writer = await log.create("sesn_a")
    said = [UserMessage(id=writer.new_event_id(), content=()) for _ in range(4)]
    entries = (await writer.emit_event(*said)).entries()

    around = await log.get_events_around("sesn_a", entries[1].event_id, radius=1)
    followed = await log.follow(after=2).batch(timeout_seconds=5)

    assert [entry.event_id for entry in entries[:3]] == [event.id for event in around]
    assert entries[1:] == followed
    with pytest.raises(NotFound, match="sesn_a has no event sevt_x"):
        await log.get_events_around("sesn_a", "sevt_x")
