"""Many appends in one transaction: who may write, what is new, which numbers it gets.

Runs inside a transaction that holds the write lock, so what it reads cannot change before the commit.
Knows nothing about threads or about when the commit happens.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final, NamedTuple

from nightschool.core.errors import InvalidInput, NightschoolError, StaleWriter
from nightschool.events.union import Event, dump_event
from nightschool.journal.chain import START, link
from nightschool.journal.entry import Entry
from nightschool.journal.statements import sql

__all__ = ["Append", "entry_of", "prepare", "write_all"]

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)


class Draft(NamedTuple):
    """An event ready to be stored; encoding it does not need the write lock."""

    event: Event
    body: str


class Append(NamedTuple):
    """Events for one session from one writer: all of them are stored, or none."""

    session_id: str
    epoch: int
    drafts: tuple[Draft, ...]


class _Head(NamedTuple):
    """Where a session ends."""

    id: int
    epoch: int
    seq: int
    hash: bytes


def prepare(session_id: str, events: Sequence[Event], *, epoch: int) -> Append:
    """Encode events for storing.

    Raises:
        InvalidInput: the session or an event has no id, or an event cannot be written as JSON.
    """
    if not session_id:
        raise InvalidInput("An append needs a session id; it was empty.")
    return Append(session_id, epoch, tuple(Draft(event, _body(session_id, event)) for event in events))


def _body(session_id: str, event: Event) -> str:
    if not event.id:
        raise InvalidInput(f"session {session_id}: a {event.type} event has an empty id; give it one.")
    try:
        return dump_event(event)
    except ValueError as error:
        raise InvalidInput(
            f"session {session_id}: event {event.id} ({event.type}) cannot be written as JSON: {error}"
        ) from error


def entry_of(row: Sequence[Any]) -> Entry:
    """Return the entry of a row: position, session, seq, epoch, time, event id, type, body."""
    position, session_id, seq, epoch, recorded_at, event_id, kind, body = row
    return Entry(
        position=position,
        session_id=session_id,
        seq=seq,
        epoch=epoch,
        recorded_at=_EPOCH + timedelta(microseconds=recorded_at),
        event_id=event_id,
        type=kind,
        body=body,
    )


def write_all(
    connection: sqlite3.Connection, appends: Sequence[Append], *, now: datetime
) -> list[list[Entry] | NightschoolError]:
    """Store what is new of all appends; return each one's entries, or why it was refused.

    A refused append has written nothing. An event whose id is stored already is not stored again: its
    first entry is returned.
    """
    batch = _Batch(connection, now)
    batch.look_up(appends)
    outcomes = [batch.add(append) for append in appends]
    batch.flush()
    return outcomes


@dataclass(slots=True)
class _Batch:
    """The transaction's working state."""

    connection: sqlite3.Connection
    now: datetime
    recorded_at: int = 0
    position: int = 0
    known: dict[str, Entry] = field(default_factory=dict)
    heads: dict[str, _Head] = field(default_factory=dict)
    moved: set[str] = field(default_factory=set)
    rows: list[tuple[Any, ...]] = field(default_factory=list)

    def look_up(self, appends: Iterable[Append]) -> None:
        """Read, once for the batch, what the decisions need."""
        self.recorded_at = (self.now - _EPOCH) // _MICROSECOND
        ids = json.dumps([draft.event.id for append in appends for draft in append.drafts])
        for row in self.connection.execute(sql("known_events"), (ids,)):
            entry = entry_of(row)
            self.known[entry.event_id] = entry
        (self.position,) = self.connection.execute(sql("last_position")).fetchone()

    def add(self, append: Append) -> list[Entry] | NightschoolError:
        """Decide about one append; its rows wait for `flush`."""
        head = self._head(append.session_id)
        refusal = _refusal(append, head.epoch if head else 0, self.known)
        if refusal:
            return refusal
        if head is None:
            head = self._create(append)
        entries = []
        for draft in append.drafts:
            known = self.known.get(draft.event.id)
            if known is None:
                head, known = self._store(append, draft, head)
            entries.append(known)
        return entries

    def flush(self) -> None:
        """Write the rows and the sessions' new ends."""
        self.connection.executemany(sql("insert_event"), self.rows)
        heads = (self.heads[session_id] for session_id in self.moved)
        self.connection.executemany(
            sql("move_head"), [(head.epoch, head.seq, head.hash, head.id) for head in heads]
        )

    def _head(self, session_id: str) -> _Head | None:
        if session_id not in self.heads:
            row = self.connection.execute(sql("session_head"), (session_id,)).fetchone()
            if row is None:
                return None
            self.heads[session_id] = _Head(*row)
        return self.heads[session_id]

    def _create(self, append: Append) -> _Head:
        created = self.connection.execute(sql("create_session"), (append.session_id, append.epoch))
        head = _Head(created.fetchone()[0], append.epoch, 0, START)
        self.heads[append.session_id] = head
        return head

    def _store(self, append: Append, draft: Draft, head: _Head) -> tuple[_Head, Entry]:
        event, body = draft
        self.position += 1
        seq = head.seq + 1
        hashed = link(
            head.hash,
            session_id=append.session_id,
            seq=seq,
            epoch=append.epoch,
            recorded_at=self.recorded_at,
            body=body,
        )
        self.rows.append(
            (self.position, head.id, seq, append.epoch, self.recorded_at, event.id, event.type, body, hashed)
        )
        entry = Entry(
            position=self.position,
            session_id=append.session_id,
            seq=seq,
            epoch=append.epoch,
            recorded_at=self.now,
            event_id=event.id,
            type=event.type,
            body=body,
            _parsed=event,
        )
        self.known[event.id] = entry
        head = _Head(head.id, append.epoch, seq, hashed)
        self.heads[append.session_id] = head
        self.moved.add(append.session_id)
        return head, entry


def _refusal(append: Append, current: int, known: dict[str, Entry]) -> NightschoolError | None:
    if append.epoch < current:
        return StaleWriter(
            f"session {append.session_id}: this writer's epoch is {append.epoch}, the session's is now "
            f"{current}, because it was woken elsewhere. Nothing was written. Stop this writer, or wake the "
            "session to take it over.",
            session_id=append.session_id,
            epoch=append.epoch,
            current_epoch=current,
        )
    for draft in append.drafts:
        owner = known.get(draft.event.id)
        if owner is not None and owner.session_id != append.session_id:
            return InvalidInput(
                f"session {append.session_id}: event id {draft.event.id} belongs to session "
                f"{owner.session_id} already. Nothing was written. Give the event an id of its own.",
                session_id=append.session_id,
                event_id=draft.event.id,
            )
    return None
