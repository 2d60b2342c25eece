"""The journal: append, read, and the epochs that decide who may append.

Any number of processes and threads may use one file at the same time; each process opens its own
`Journal` (not carried across a fork). Knows nothing about what events mean.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from threading import Event as Signal
from typing import Any, Final, TypeVar, cast

from nightschool.core.clock import Clock
from nightschool.core.errors import NightschoolError, NotFound, StoreError, StoreUnwritable
from nightschool.events.union import Event
from nightschool.journal.append import Append, Placed, Stored, prepare
from nightschool.journal.commit import GroupCommit
from nightschool.journal.connection import ReaderPool, make_folder
from nightschool.journal.entry import Entry
from nightschool.journal.migrate import applied_version, migrations
from nightschool.journal.statements import sql
from nightschool.journal.writer import Change, Writer

__all__ = ["Journal"]

Result = TypeVar("Result")

_BUSY_SECONDS: Final = 20.0
_MAX_BATCH: Final = 256
_SHORTEST_LOOK_SECONDS: Final = 0.01
_LONGEST_LOOK_SECONDS: Final = 0.1


class Journal:
    """One journal file, opened; safe to share between threads.

    Guaranteed: an append returns only after its events are on disk; a session's ``seq`` runs 1, 2, 3 ...
    without gaps; positions grow in the order of commits, so a reader that has seen position n will never
    find a new event below n. Not guaranteed: positions without gaps.
    """

    def __init__(self, path: Path, *, writer: Writer | None, readers: ReaderPool) -> None:
        """Use `Journal.open`."""
        self.path = path
        self._writer = writer
        self._readers = readers
        self._closing = Signal()
        self._commits: GroupCommit[Change] | None = None
        if writer is not None:
            self._commits = GroupCommit(writer.execute, max_batch=_MAX_BATCH)

    @classmethod
    def open(
        cls, path: Path, *, clock: Clock, read_only: bool = False, busy_seconds: float = _BUSY_SECONDS
    ) -> Journal:
        """Open the journal's file, making it and its folder when they are missing.

        Args:
            path: the file, usually ``journal.sqlite`` in the data folder.
            clock: dates the entries.
            read_only: never write; works while others do.
            busy_seconds: how long to wait for other processes before giving up.

        Raises:
            NotFound: ``read_only`` and there is no such file.
            StoreUnwritable: the folder or file cannot be written.
            StoreCorrupt: the file is not a sound SQLite database.
            StoreBusy: another process held it for longer than ``busy_seconds``.
            StoreError: it was written by a newer version, or the disk failed.
        """
        readers = ReaderPool(path, read_only=read_only, busy_seconds=busy_seconds)
        if read_only:
            with readers.lend() as connection:
                _require_schema(connection, path)
            return cls(path, writer=None, readers=readers)
        make_folder(path)
        return cls(path, writer=Writer(path, clock=clock, busy_seconds=busy_seconds), readers=readers)

    def append(self, session_id: str, events: Sequence[Event], *, epoch: int) -> list[Entry]:
        """Store events at the end of a session, all or none; returns once they are on disk.

        An event whose id is stored in the session already is not stored again; its first entry is
        returned in its place. Concurrent appends share one commit.

        Raises:
            StaleWriter: ``epoch`` is lower than the session's.
            InvalidInput: an id is missing or belongs to another session, or an event is not valid JSON.
            StoreError: nothing was stored; the kind says why. The journal can be used again.
        """
        if not events:
            return []
        return cast("Placed", self._commit(prepare(session_id, events, epoch=epoch))).entries()

    def append_all(self, appends: Sequence[Append]) -> Sequence[Placed | NightschoolError]:
        """Store prepared appends in one commit; returns once they are on disk.

        Each is stored as by `append`, or refused alone: then its error stands in its place.
        """
        return cast("Sequence[Placed | NightschoolError]", self._group().submit_all(appends))

    def read(
        self,
        session_id: str,
        *,
        after: int | None = None,
        before: int | None = None,
        limit: int | None = None,
        types: Collection[str] | None = None,
    ) -> list[Entry]:
        """Return a session's entries in order of ``seq``.

        Args:
            session_id: the session; one that does not exist has no entries.
            after: only those with a higher ``seq``.
            before: only those with a lower ``seq``. With ``before`` and no ``after``, ``limit`` keeps the
                nearest ones before the bound; otherwise the first ones.
            limit: at most so many.
            types: only events of these types.
        """
        backwards = before is not None and after is None and limit is not None
        bounds = {
            "session_id": session_id,
            "after": after,
            "before": before,
            "limit": limit,
            "types": None if types is None else json.dumps(sorted(types)),
        }
        with self._readers.lend() as connection:
            rows = connection.execute(
                sql("read_session_backwards" if backwards else "read_session"), bounds
            ).fetchall()
        return [Stored(*row).entry() for row in (reversed(rows) if backwards else rows)]

    def tail(self, after_position: int, limit: int) -> list[Entry]:
        """Return up to ``limit`` entries of all sessions after a position, in order of position."""
        with self._readers.lend() as connection:
            rows = connection.execute(sql("tail"), (after_position, limit)).fetchall()
        return [Stored(*row).entry() for row in rows]

    def around(self, session_id: str, event_id: str, *, radius: int) -> list[Entry]:
        """Return an event's entry with up to ``radius`` entries of its session before and after it.

        Raises:
            NotFound: the session has no such event.
        """
        rows = self.select("seq_of", {"session_id": session_id, "event_id": event_id})
        if not rows:
            raise NotFound(
                f"session {session_id} has no event {event_id}.", session_id=session_id, event_id=event_id
            )
        seq = int(rows[0][0])
        return self.read(session_id, after=seq - radius - 1, before=seq + radius + 1)

    def wait_beyond(self, position: int, *, timeout_seconds: float) -> bool:
        """Wait until there is an entry after ``position``, whoever writes it; return whether there is.

        Looks a few dozen times a second, more seldom when nothing has happened for a while: a look is a
        few microseconds. Returns early, with False, when the journal is closed.
        """
        waited = 0.0
        while self.last_position() <= position:
            pause = min(max(waited / 20, _SHORTEST_LOOK_SECONDS), _LONGEST_LOOK_SECONDS)
            if waited >= timeout_seconds or self._closing.wait(min(pause, timeout_seconds - waited)):
                return False
            waited += pause
        return True

    def last_position(self) -> int:
        """Return the highest position given out; 0 when there is none."""
        return self._number("last_position")

    def epoch(self, session_id: str) -> int:
        """Return the session's epoch; 0 when the session is new."""
        return self._number("epoch", session_id)

    def raise_epoch(self, session_id: str) -> int:
        """Move the session's epoch up by one, ending every earlier writer, and return it."""

        def change(connection: sqlite3.Connection) -> int:
            return int(connection.execute(sql("raise_epoch"), (session_id,)).fetchone()[0])

        return self.transact(change)

    def sessions(self, *, prefix: str | None = None) -> list[str]:
        """Return the ids of sessions that have events, oldest first, perhaps only those with a prefix."""
        with self._readers.lend() as connection:
            return [row[0] for row in connection.execute(sql("sessions"), {"prefix": prefix or ""})]

    def transact(self, change: Callable[[sqlite3.Connection], Result]) -> Result:
        """Run ``change`` inside a committed transaction that it may share with others.

        It must check before it writes: raising a `NightschoolError` refuses the change alone. It may be
        run more than once when a batch fails, so it has no effects besides the database.
        """
        return cast("Result", self._commit(change))

    def select(self, statement: str, values: Mapping[str, object]) -> list[tuple[Any, ...]]:
        """Return the rows of a named reading statement; for the journal's own queues, versions and checks."""
        with self._readers.lend() as connection:
            return connection.execute(sql(statement), values).fetchall()

    def stream(self, statement: str) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a named reading statement, all from one moment, without holding them all."""
        with self._readers.lend() as connection:
            yield from connection.execute(sql(statement))

    def close(self) -> None:
        """Finish what is being written and close the file; whoever waits for new entries returns."""
        self._closing.set()
        if self._commits is not None and self._writer is not None:
            self._commits.close()
            self._writer.close()
        self._readers.close()

    def _commit(self, change: Change) -> object:
        return self._group().submit(change)

    def _group(self) -> GroupCommit[Change]:
        if self._commits is None:
            raise StoreUnwritable(f"{self.path} was opened for reading only.", path=str(self.path))
        return self._commits

    def _number(self, statement: str, *parameters: str) -> int:
        with self._readers.lend() as connection:
            row = connection.execute(sql(statement), parameters).fetchone()
        return 0 if row is None else int(row[0])


def _require_schema(connection: sqlite3.Connection, path: Path) -> None:
    have, need = applied_version(connection), migrations()[-1].version
    if have < need:
        raise StoreError(
            f"{path} has schema {have}, this version reads {need}. Open it once for writing (any run does) "
            "to bring it up to date.",
            path=str(path),
        )
