"""Sessions by their async face."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import anyio
import pytest
from blockbuster import BlockBuster

from nightschool.core.clock import FrozenClock
from nightschool.core.errors import NotFound, StaleWriter
from nightschool.core.ids import IdSource
from nightschool.events.session import AgentSnapshot, SessionCreated, SessionStatusRunning
from nightschool.events.user import UserMessage
from nightschool.journal.journal import Journal
from nightschool.sessions.log import SessionLog, SessionWriter
from nightschool.sessions.state import SessionStatus

pytestmark = pytest.mark.anyio


@pytest.fixture
def journal(tmp_path: Path, clock: FrozenClock) -> Iterator[Journal]:
    """An empty journal."""
    opened = Journal.open(tmp_path / "journal.sqlite", clock=clock)
    yield opened
    opened.close()


@pytest.fixture
def log(journal: Journal, clock: FrozenClock, ids: IdSource) -> SessionLog:
    """The session log on it."""
    return SessionLog(journal, clock=clock, ids=ids)


def _said(writer: SessionWriter) -> UserMessage:
    return UserMessage(id=writer.new_event_id(), content=())


async def test_a_new_session_begins_with_its_agent_and_what_it_belongs_to(log: SessionLog) -> None:
    agent = AgentSnapshot(name="reviewer", model="reader", system="Review.")

    writer = await log.create(
        "sesn_a", agent=agent, title="T", parent_session_id="sesn_p", metadata={"arm": "single"}
    )
    state = await log.get_session("sesn_a")

    assert ("sesn_a", 1) == (writer.session_id, writer.epoch)
    assert (True, agent, "T", "sesn_p") == (state.created, state.agent, state.title, state.parent_session_id)
    assert {"arm": "single"} == dict(state.metadata)
    assert SessionStatus.IDLE == state.status


async def test_a_session_without_an_id_gets_one(log: SessionLog) -> None:
    writer = await log.create()

    assert writer.session_id.startswith("sesn_")
    assert [writer.session_id] == await log.list_sessions(prefix="sesn_")


async def test_creating_again_finds_the_session_as_it_is(log: SessionLog) -> None:
    first = await log.create("sesn_a", title="first")
    await first.emit_event(_said(first))

    again = await log.create("sesn_a", title="second")
    await again.emit_event(_said(again))

    assert "first" == (await log.get_session("sesn_a")).title
    assert ["session.created", "user.message", "user.message"] == [
        event.type for event in await log.get_events("sesn_a")
    ]
    await first.emit_event(_said(first))


async def test_many_creating_at_once_create_one_session(log: SessionLog) -> None:
    async with anyio.create_task_group() as group:
        for _ in range(10):
            group.start_soon(log.create, "sesn_a")

    assert 1 == len(await log.get_events("sesn_a"))


async def test_a_woken_session_refuses_its_old_writer(log: SessionLog) -> None:
    old = await log.create("sesn_a")

    new = await log.wake("sesn_a")

    with pytest.raises(StaleWriter, match="sesn_a"):
        await old.emit_event(_said(old))
    (entry,) = (await new.emit_event(_said(new))).entries()
    assert (2, 2) == (entry.seq, entry.epoch)


async def test_creating_after_a_wake_joins_the_present_writer(log: SessionLog) -> None:
    await log.create("sesn_a")
    await log.wake("sesn_a")

    assert 2 == (await log.create("sesn_a")).epoch


async def test_a_session_created_and_woken_elsewhere_is_found(log: SessionLog, journal: Journal) -> None:
    journal.append("sesn_a", [SessionCreated(id="sevt_elsewhere")], epoch=1)
    journal.raise_epoch("sesn_a")

    writer = await log.create("sesn_a")

    assert (2, ()) == (writer.epoch, writer.began)


async def test_a_new_session_begins_with_the_events_it_is_given_and_an_old_one_does_not(
    log: SessionLog, clock: FrozenClock
) -> None:
    writer = await log.create("sesn_a", first=[UserMessage(id="sevt_first", content=())])
    await log.create("sesn_a", first=[UserMessage(id="sevt_second", content=())])

    created, message = await log.get_events("sesn_a")

    assert [created, message] == writer.began
    assert ("session.created", "sevt_first") == (created.type, message.id)
    assert clock.now() == created.processed_at == message.processed_at


async def test_an_unknown_session_is_named(log: SessionLog) -> None:
    with pytest.raises(NotFound, match="no session sesn_x"):
        await log.get_session("sesn_x")
    with pytest.raises(NotFound, match="no session sesn_x"):
        await log.wake("sesn_x")
    assert [] == await log.get_events("sesn_x")
    assert not await log.exists("sesn_x")


async def test_an_event_gets_the_time_unless_it_has_one(log: SessionLog, clock: FrozenClock) -> None:
    writer = await log.create("sesn_a")
    earlier = clock.now() - timedelta(hours=1)
    dated = _said(writer).model_copy(update={"processed_at": earlier})

    entries = (await writer.emit_event(_said(writer), dated)).entries()

    assert [clock.now(), earlier] == [entry.event.processed_at for entry in entries]
    assert [clock.now(), earlier] == [
        event.processed_at for event in await log.get_events("sesn_a", types=["user.message"])
    ]


async def test_events_are_read_within_bounds(log: SessionLog) -> None:
    writer = await log.create("sesn_a")
    await writer.emit_event(*(_said(writer) for _ in range(4)))

    assert [2, 3] == [entry.seq for entry in await log.get_entries("sesn_a", after=1, limit=2)]
    assert 1 == len(await log.get_events("sesn_a", before=2))


async def test_twenty_agents_write_at_once_without_holding_up_the_loop(
    log: SessionLog, blocking_is_an_error: BlockBuster
) -> None:
    async def work(number: int) -> None:
        writer = await log.create(f"sesn_{number}")
        for _ in range(5):
            await writer.emit_event(SessionStatusRunning(id=writer.new_event_id()))

    async with anyio.create_task_group() as group:
        for number in range(20):
            group.start_soon(work, number)

    for number in range(20):
        state = await log.get_session(f"sesn_{number}")
        assert (6, SessionStatus.RUNNING) == (state.events, state.status)


async def test_a_cancelled_emit_is_still_whole(log: SessionLog) -> None:
    writer = await log.create("sesn_a")

    with anyio.CancelScope() as scope:
        scope.cancel()
        await writer.emit_event(_said(writer), _said(writer))

    assert (await log.get_session("sesn_a")).events in (1, 3)
