"""The session log: create, wake, emit, read. The async face of the journal.

Knows nothing about SQL. Every call that touches the disk runs in a worker thread, so that agents waiting
for their events to be safe do not hold up one another; what they append goes there together (`SharedCommit`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Final, TypeVar

import anyio
from anyio import to_thread

from nightschool.core.clock import Clock
from nightschool.core.errors import NotFound, StaleWriter
from nightschool.core.ids import IdSource, derived_id
from nightschool.events.session import AgentSnapshot, SessionCreated
from nightschool.events.union import Event
from nightschool.journal.append import Claim, Placed, prepare
from nightschool.journal.entry import Entry
from nightschool.journal.journal import Journal
from nightschool.sessions.follow import Follower
from nightschool.sessions.shared_commit import SharedCommit
from nightschool.sessions.state import SessionState, fold

__all__ = ["SessionLog", "SessionWriter"]

Result = TypeVar("Result")

_THREADS: Final = 40
"""Enough for every agent of a full pool to read its session at the same time."""


class SessionLog:
    """All sessions of one journal."""

    def __init__(self, journal: Journal, *, clock: Clock, ids: IdSource) -> None:
        """Use an open journal; closing it stays its opener's business."""
        self._journal = journal
        self._clock = clock
        self._ids = ids
        # Its own threads: slow work elsewhere must not keep an event from the disk.
        self._limiter = anyio.CapacityLimiter(_THREADS)
        self._commits = SharedCommit(journal, self._limiter)

    async def create(
        self,
        session_id: str | None = None,
        *,
        agent: AgentSnapshot | None = None,
        title: str | None = None,
        parent_session_id: str | None = None,
        metadata: Mapping[str, str] | None = None,
        first: Sequence[Event] = (),
    ) -> SessionWriter:
        """Return a writer of the session, creating the session when it does not exist yet.

        An existing session stays as it is, and other writers of it go on: to be the only one, `wake` it.
        A new one begins with the events ``first``, stored with its creation or not at all.
        """
        session_id = session_id or self._ids.new("session")
        created = SessionCreated(
            id=derived_id("event", session_id, "created"),
            agent=agent,
            title=title,
            parent_session_id=parent_session_id,
            metadata=dict(metadata or {}),
        )
        began = _stamped((created, *first), self._clock)
        try:
            placed = await self._commits.append(prepare(session_id, began, claim=Claim.NEW))
        except StaleWriter as error:
            return self._writer(session_id, int(error.details["current_epoch"]))
        return self._writer(session_id, placed.epoch, began=began)

    async def wake(self, session_id: str) -> SessionWriter:
        """Take the session over: every earlier writer's next append is refused with `StaleWriter`.

        Raises:
            NotFound: there is no such session.
        """
        try:
            placed = await self._commits.append(prepare(session_id, (), claim=Claim.NEXT))
        except NotFound as error:
            raise _no_session(session_id) from error
        return self._writer(session_id, placed.epoch)

    async def exists(self, session_id: str) -> bool:
        """Return whether the session has been created."""
        return await self._run(partial(self._journal.epoch, session_id)) > 0

    async def get_events(
        self,
        session_id: str,
        *,
        after: int | None = None,
        before: int | None = None,
        limit: int | None = None,
        types: Collection[str] | None = None,
    ) -> list[Event]:
        """Return a session's events in order; bounds as in `Journal.read`. None for an unknown session."""
        read = partial(self._journal.read, session_id, after=after, before=before, limit=limit, types=types)
        return await self._run(partial(_events, read))

    async def get_events_around(self, session_id: str, event_id: str, *, radius: int = 10) -> list[Event]:
        """Return an event with up to ``radius`` events of its session before and after it.

        Raises:
            NotFound: the session has no such event.
        """
        read = partial(self._journal.around, session_id, event_id, radius=radius)
        return await self._run(partial(_events, read))

    async def get_entries(
        self,
        session_id: str,
        *,
        after: int | None = None,
        before: int | None = None,
        limit: int | None = None,
        types: Collection[str] | None = None,
    ) -> list[Entry]:
        """Return what `get_events` returns, with each event's place in the log."""
        read = partial(self._journal.read, session_id, after=after, before=before, limit=limit, types=types)
        return await self._run(read)

    def follow(
        self, *, after: int = 0, session_id: str | None = None, types: Collection[str] | None = None
    ) -> Follower:
        """Return an endless iterator over entries as they are written, by whichever process."""
        return Follower(self._journal, after=after, session_id=session_id, types=types)

    async def get_session(self, session_id: str) -> SessionState:
        """Return what the session's events add up to.

        Raises:
            NotFound: there is no such session.
        """
        events = await self.get_events(session_id)
        if not events:
            raise _no_session(session_id)
        return fold(events)

    async def list_sessions(self, *, prefix: str | None = None) -> list[str]:
        """Return the ids of all sessions, oldest first, perhaps only those that begin with ``prefix``."""
        return await self._run(partial(self._journal.sessions, prefix=prefix))

    def _writer(self, session_id: str, epoch: int, *, began: Sequence[Event] = ()) -> SessionWriter:
        return SessionWriter(
            session_id, epoch, began=began, commits=self._commits, clock=self._clock, ids=self._ids
        )

    async def _run(self, work: Callable[[], Result]) -> Result:
        return await to_thread.run_sync(work, limiter=self._limiter)


class SessionWriter:
    """The right to append to one session, good until somebody wakes the session elsewhere."""

    def __init__(
        self,
        session_id: str,
        epoch: int,
        *,
        began: Sequence[Event],
        commits: SharedCommit,
        clock: Clock,
        ids: IdSource,
    ) -> None:
        """Made by `SessionLog.create` and `SessionLog.wake`."""
        self.session_id = session_id
        self.epoch = epoch
        self.began = began
        """The events that the session began with, where this writer began it; none where it found it."""
        self._commits = commits
        self._clock = clock
        self._ids = ids

    async def emit_event(self, *events: Event) -> Placed:
        """Append events, all or none, and return when they are on disk and where.

        Events without ``processed_at`` get the time now. An event whose id the session has already is not
        appended again. Cancellation waits for the disk, so that it is never unknown what was stored.

        Raises:
            StaleWriter: the session was woken elsewhere; this writer must stop.
            StoreError: nothing was stored; the kind says why.
        """
        append = prepare(self.session_id, _stamped(events, self._clock), epoch=self.epoch)
        return await self._commits.append(append)

    def new_event_id(self) -> str:
        """Return a fresh event id."""
        return self._ids.new("event")

    def now(self) -> datetime:
        """Return the time by the log's clock."""
        return self._clock.now()


def _stamped(events: Sequence[Event], clock: Clock) -> list[Event]:
    now = clock.now()
    return [
        event.model_copy(update={"processed_at": now}) if event.processed_at is None else event
        for event in events
    ]


def _events(read: Callable[[], list[Entry]]) -> list[Event]:
    # Parsed here, in the worker thread: a long log takes milliseconds.
    return [entry.event for entry in read()]


def _no_session(session_id: str) -> NotFound:
    return NotFound(
        f"There is no session {session_id} in this data folder. Session ids are in the view v1_sessions: "
        "ask for them with `nightschool sql`.",
        session_id=session_id,
    )
