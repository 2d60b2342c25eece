"""Many appends in one transaction: who may write, what is new, which numbers it gets.

Runs inside a transaction that holds the write lock, so what it reads cannot change before the commit.
Knows nothing about threads or about when the commit happens.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Any, Final, NamedTuple

from nightschool.core.errors import InvalidInput, NightschoolError, StaleWriter
from nightschool.events.union import Event, dump_event
from nightschool.journal.chain import START, digest, link
from nightschool.journal.entry import Entry
from nightschool.journal.instant import from_microseconds, to_microseconds
from nightschool.journal.statements import sql

__all__ = ["Append", "Appender", "Draft", "Placed", "Stored", "StoredBefore", "prepare"]

_COLUMNS: Final = 9
_ROWS_PER_STATEMENT: Final = 64
_KEPT_HEADS: Final = 10_000


class StoredBefore(Exception):
    """Some event of the batch is in the journal already. Not an error: look for it and try again."""


class Draft(NamedTuple):
    """An event ready to be stored; encoding and hashing it do not need the write lock."""

    event: Event
    event_id: str
    type: str
    body: str
    digest: bytes


class Append(NamedTuple):
    """Events for one session from one writer: all of them are stored, or none."""

    session_id: str
    epoch: int
    drafts: tuple[Draft, ...]


class Stored(NamedTuple):
    """An event's row, in the order that the queries select it."""

    position: int
    session_id: str
    seq: int
    epoch: int
    recorded_at: int
    event_id: str
    type: str
    body: str
    event: Event | None = None

    def entry(self) -> Entry:
        """Return the row as what the outside sees."""
        return Entry(
            position=self.position,
            session_id=self.session_id,
            seq=self.seq,
            epoch=self.epoch,
            recorded_at=from_microseconds(self.recorded_at),
            event_id=self.event_id,
            type=self.type,
            body=self.body,
            _parsed=self.event,
        )


class Placed(NamedTuple):
    """Where the events of an append went: one behind the other."""

    append: Append
    position: int
    seq: int
    recorded_at: int

    def rows(self) -> list[Stored]:
        """Return the rows; made by the thread that asked, not by the one that writes for all."""
        session_id, epoch, drafts = self.append
        return [
            Stored(
                self.position + offset,
                session_id,
                self.seq + offset,
                epoch,
                self.recorded_at,
                draft.event_id,
                draft.type,
                draft.body,
                draft.event,
            )
            for offset, draft in enumerate(drafts)
        ]


class _Head(NamedTuple):
    """Where a session ends."""

    number: int
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
    return Append(session_id, epoch, tuple([_draft(session_id, event) for event in events]))


def _draft(session_id: str, event: Event) -> Draft:
    if not event.id:
        raise InvalidInput(f"session {session_id}: a {event.type} event has an empty id; give it one.")
    try:
        body = dump_event(event)
    except ValueError as error:
        raise InvalidInput(
            f"session {session_id}: event {event.id} ({event.type}) cannot be written as JSON: {error}"
        ) from error
    return Draft(event, event.id, event.type, body, digest(body))


@dataclass(slots=True)
class Appender:
    """Writes appends through one connection and remembers where sessions end.

    What it remembers holds as long as nobody else commits, which one cheap question to SQLite tells.
    """

    _heads: dict[str, _Head] = field(default_factory=dict)
    _position: int = 0
    _data_version: int | None = None

    def forget(self) -> None:
        """Remember nothing; needed when a transaction is undone."""
        self._heads.clear()
        self._data_version = None

    def write_all(
        self, connection: sqlite3.Connection, appends: Sequence[Append], *, now: datetime, look_first: bool
    ) -> list[list[Stored] | Placed | NightschoolError]:
        """Store what is new of all appends; return each one's rows, or why it was refused.

        A refused append has written nothing. An event whose id is stored already is not stored again: its
        first row is returned. Such events are rare, so the caller first tries without looking for them.

        Raises:
            StoredBefore: there is such an event and ``look_first`` was false; the transaction must be undone.
        """
        self._refresh(connection)
        batch = _Batch(connection, self._heads, to_microseconds(now), self._position)
        if look_first:
            batch.look_up(appends)
            outcomes = [batch.add_new(append) for append in appends]
        else:
            outcomes = [batch.add(append) for append in appends]
        batch.flush()
        self._position = batch.position
        return outcomes

    def _refresh(self, connection: sqlite3.Connection) -> None:
        (version,) = connection.execute(sql("data_version")).fetchone()
        if version == self._data_version and len(self._heads) < _KEPT_HEADS:
            return
        self._heads.clear()
        self._data_version = version
        (self._position,) = connection.execute(sql("last_position")).fetchone()


@dataclass(slots=True)
class _Batch:
    """One transaction's working state."""

    connection: sqlite3.Connection
    heads: dict[str, _Head]
    recorded_at: int
    position: int
    known: dict[str, Stored] = field(default_factory=dict)
    values: list[Any] = field(default_factory=list)

    def look_up(self, appends: Sequence[Append]) -> None:
        """Find the events that are stored already."""
        ids = json.dumps([draft.event_id for append in appends for draft in append.drafts])
        for row in self.connection.execute(sql("known_events"), (ids,)):
            stored = Stored(*row)
            self.known[stored.event_id] = stored

    def add_new(self, append: Append) -> list[Stored] | Placed | NightschoolError:
        """Add those events of an append that are not known; return the rows of all."""
        foreign = self._foreign(append)
        if foreign:
            return foreign
        new = {draft.event_id: draft for draft in append.drafts if draft.event_id not in self.known}
        outcome = self.add(append._replace(drafts=tuple(new.values())))
        if not isinstance(outcome, Placed):
            return outcome
        self.known.update((stored.event_id, stored) for stored in outcome.rows())
        return [self.known[draft.event_id] for draft in append.drafts]

    def add(self, append: Append) -> list[Stored] | Placed | NightschoolError:
        """Place all events of an append; the rows wait for `flush`."""
        session_id, epoch, drafts = append
        head = self.heads.get(session_id) or self._read_head(session_id)
        if head is not None and epoch < head.epoch:
            return _stale(append, head.epoch)
        if head is None:
            head = self._create(append)
        elif epoch > head.epoch:
            self.connection.execute(sql("move_epoch"), (epoch, head.number))
        number, _, seq, before = head
        first = Placed(append, self.position + 1, seq + 1, self.recorded_at)
        for draft in drafts:
            seq += 1
            self.position += 1
            before = link(
                before,
                draft.digest,
                session_id=session_id,
                seq=seq,
                epoch=epoch,
                recorded_at=self.recorded_at,
            )
            place = (self.position, number, seq, epoch, self.recorded_at)
            self.values += (*place, draft.event_id, draft.type, draft.body, before)
        self.heads[session_id] = _Head(number, epoch, seq, before)
        return first

    def flush(self) -> None:
        """Write the rows."""
        most = _ROWS_PER_STATEMENT * _COLUMNS
        for start in range(0, len(self.values), most):
            several = self.values[start : start + most]
            try:
                self.connection.execute(_insert(len(several) // _COLUMNS), several)
            except sqlite3.IntegrityError as error:
                raise StoredBefore from error

    def _read_head(self, session_id: str) -> _Head | None:
        row = self.connection.execute(sql("session_head"), (session_id,)).fetchone()
        return None if row is None else _Head(*row)

    def _create(self, append: Append) -> _Head:
        created = self.connection.execute(sql("create_session"), (append.session_id, append.epoch))
        return _Head(created.fetchone()[0], append.epoch, 0, START)

    def _foreign(self, append: Append) -> InvalidInput | None:
        for draft in append.drafts:
            owner = self.known.get(draft.event_id)
            if owner is not None and owner.session_id != append.session_id:
                return InvalidInput(
                    f"session {append.session_id}: event id {draft.event_id} belongs to session "
                    f"{owner.session_id} already. Nothing was written. Give the event an id of its own.",
                    session_id=append.session_id,
                    event_id=draft.event_id,
                )
        return None


@cache
def _insert(rows: int) -> str:
    statement = sql("insert_events").removesuffix(";")
    row = statement[statement.rindex("(") :]
    return statement + f", {row}" * (rows - 1)


def _stale(append: Append, current: int) -> StaleWriter:
    return StaleWriter(
        f"session {append.session_id}: this writer's epoch is {append.epoch}, the session's is now "
        f"{current}, because it was woken elsewhere. Nothing was written. Stop this writer, or wake the "
        "session to take it over.",
        session_id=append.session_id,
        epoch=append.epoch,
        current_epoch=current,
    )
