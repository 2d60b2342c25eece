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
from enum import Enum
from functools import cache
from typing import Any, Final, NamedTuple

from nightschool.core.errors import InvalidInput, NightschoolError, NotFound, StaleWriter
from nightschool.events.union import Event, dump_event
from nightschool.journal.chain import START, digest, link
from nightschool.journal.entry import Entry
from nightschool.journal.instant import from_microseconds, to_microseconds
from nightschool.journal.statements import sql

__all__ = ["Append", "Appender", "Claim", "Draft", "Placed", "Stored", "StoredBefore", "prepare"]

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


class Claim(Enum):
    """By which right events are appended."""

    EPOCH = "epoch"
    """The writer's epoch is not lower than the session's."""
    NEW = "new"
    """There is no such session yet: its first writer begins it."""
    NEXT = "next"
    """The session exists and is taken over: its epoch moves up by one, which ends every earlier writer."""


class Append(NamedTuple):
    """Events for one session from one writer: all of them are stored, or none."""

    session_id: str
    epoch: int
    """The writer's; a session that is new or taken over gets its own."""
    drafts: tuple[Draft, ...]
    claim: Claim = Claim.EPOCH


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
        )


class Placed(NamedTuple):
    """Where the events of an append went: one behind the other, but for those that were there before."""

    append: Append
    epoch: int
    position: int
    seq: int
    recorded_at: datetime
    found: tuple[Entry, ...] | None = None
    """The entries, where some of the events were there before."""

    def entries(self) -> list[Entry]:
        """Return an entry for each event; made by who asked, not by the thread that writes for all."""
        if self.found is not None:
            return list(self.found)
        return [
            Entry(
                position=self.position + offset,
                session_id=self.append.session_id,
                seq=self.seq + offset,
                epoch=self.epoch,
                recorded_at=self.recorded_at,
                event_id=draft.event_id,
                type=draft.type,
                body=draft.body,
                _parsed=draft.event,
            )
            for offset, draft in enumerate(self.append.drafts)
        ]


class _Head(NamedTuple):
    """Where a session ends."""

    number: int
    epoch: int
    seq: int
    hash: bytes


def prepare(
    session_id: str, events: Sequence[Event], *, epoch: int = 1, claim: Claim = Claim.EPOCH
) -> Append:
    """Encode events for storing.

    Raises:
        InvalidInput: the session or an event has no id, or an event cannot be written as JSON.
    """
    if not session_id:
        raise InvalidInput("An append needs a session id; it was empty.")
    return Append(session_id, epoch, tuple([_draft(session_id, event) for event in events]), claim)


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
    ) -> list[Placed | NightschoolError]:
        """Store what is new of all appends; return where each one's events are, or why it was refused.

        A refused append has written nothing. An event whose id is stored already is not stored again: its
        first entry is returned. Such events are rare, so the caller first tries without looking for them.

        Raises:
            StoredBefore: there is such an event and ``look_first`` was false; the transaction must be undone.
        """
        self._refresh(connection)
        batch = _Batch(connection, self._heads, now, to_microseconds(now), self._position)
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
    now: datetime
    recorded_at: int
    position: int
    known: dict[str, Entry] = field(default_factory=dict)
    values: list[Any] = field(default_factory=list)

    def look_up(self, appends: Sequence[Append]) -> None:
        """Find the events that are stored already."""
        ids = json.dumps([draft.event_id for append in appends for draft in append.drafts])
        for row in self.connection.execute(sql("known_events"), (ids,)):
            entry = Stored(*row).entry()
            self.known[entry.event_id] = entry

    def add_new(self, append: Append) -> Placed | NightschoolError:
        """Add those events of an append that are not known; return the entries of all."""
        foreign = self._foreign(append)
        if foreign:
            return foreign
        new = {draft.event_id: draft for draft in append.drafts if draft.event_id not in self.known}
        placed = self.add(append._replace(drafts=tuple(new.values())))
        if isinstance(placed, NightschoolError):
            return placed
        self.known.update((entry.event_id, entry) for entry in placed.entries())
        return placed._replace(found=tuple(self.known[draft.event_id] for draft in append.drafts))

    def add(self, append: Append) -> Placed | NightschoolError:
        """Place all events of an append; the rows wait for `flush`."""
        session_id = append.session_id
        head = self.heads.get(session_id) or self._read_head(session_id)
        epoch = _epoch_of(append, head)
        if isinstance(epoch, NightschoolError):
            return epoch
        if head is None:
            head = self._create(session_id, epoch)
        elif epoch > head.epoch:
            self.connection.execute(sql("move_epoch"), (epoch, head.number))
        number, _, seq, before = head
        first = Placed(append, epoch, self.position + 1, seq + 1, self.now)
        for draft in append.drafts:
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

    def _create(self, session_id: str, epoch: int) -> _Head:
        created = self.connection.execute(sql("create_session"), (session_id, epoch))
        return _Head(created.fetchone()[0], epoch, 0, START)

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


def _epoch_of(append: Append, head: _Head | None) -> int | NightschoolError:
    """Return the epoch that the events of an append belong to, or why it is refused."""
    match append.claim:
        case Claim.NEW if head is None:
            return 1
        case Claim.NEXT if head is not None:
            return head.epoch + 1
        case Claim.NEXT:
            return NotFound(f"There is no session {append.session_id}.", session_id=append.session_id)
        case Claim.EPOCH if head is None or append.epoch >= head.epoch:
            return append.epoch
    return _stale(append, 0 if head is None else head.epoch)


def _stale(append: Append, current: int) -> StaleWriter:
    return StaleWriter(
        f"session {append.session_id}: this writer's epoch is {append.epoch}, the session's is now "
        f"{current}, because it was woken elsewhere. Nothing was written. Stop this writer, or wake the "
        "session to take it over.",
        session_id=append.session_id,
        epoch=append.epoch,
        current_epoch=current,
    )
