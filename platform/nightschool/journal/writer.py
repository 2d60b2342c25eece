"""The journal's one writing connection: a batch of works becomes one transaction.

Knows nothing about threads (`GroupCommit` calls it with one batch at a time) and nothing about what the
works do.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path

from nightschool.core.clock import Clock
from nightschool.core.errors import NightschoolError, StoreBusy
from nightschool.journal.append import Append, Appender, StoredBefore
from nightschool.journal.connection import connect
from nightschool.journal.failures import translate, translated
from nightschool.journal.lock import WriteLock
from nightschool.journal.migrate import migrate

__all__ = ["Change", "Writer"]

Change = Append | Callable[[sqlite3.Connection], object]
"""An append, or any other function of the connection: it checks first, then writes, so that refusing (by
raising a `NightschoolError`) leaves nothing half done."""


class Writer:
    """Executes batches; after a failure it starts again from a clean connection."""

    def __init__(self, path: Path, *, clock: Clock, busy_seconds: float) -> None:
        """Open the file at once and bring it up to date, so that what is wrong with it shows early."""
        self._path = path
        self._clock = clock
        self._busy_seconds = busy_seconds
        self._appender = Appender()
        self._lock = WriteLock(path, busy_seconds=busy_seconds)
        self._open: sqlite3.Connection | None = None
        try:
            # Several processes may be the first: turning a file to WAL is not something they can do at once.
            with self._lock.held(), translated(path):
                migrate(self._connection(), path, clock=clock)
        except BaseException:
            self.close()
            raise

    def execute(self, changes: Sequence[Change]) -> list[object]:
        """Commit a batch; return one outcome each, an exception where a change was refused.

        Raises:
            StoreError: nothing of the batch was stored.
        """
        try:
            return self._transact(changes)
        except StoreBusy:
            raise
        except Exception:
            if len(changes) == 1:
                raise
        # One change may have spoilt it for all (too large for what the disk has left, say): each alone.
        return [self._alone(change) for change in changes]

    def close(self) -> None:
        """Close the connection."""
        if self._open is not None:
            with translated(self._path):
                self._open.close()
            self._open = None
        self._lock.close()

    def _alone(self, change: Change) -> object:
        try:
            return self._transact([change])[0]
        except Exception as error:  # noqa: BLE001  handed to the one caller whose change it is
            return error

    def _transact(self, changes: Sequence[Change]) -> list[object]:
        try:
            return self._attempt(changes, look_first=False)
        except StoredBefore:
            return self._attempt(changes, look_first=True)

    def _attempt(self, changes: Sequence[Change], *, look_first: bool) -> list[object]:
        connection = self._connection()
        with self._lock.held():
            try:
                connection.execute("BEGIN IMMEDIATE")
                outcomes = self._apply(connection, changes, look_first=look_first)
                connection.execute("COMMIT")
            except sqlite3.Error as error:
                self._start_again(connection)
                raise translate(error, self._path) from error
            except BaseException:
                self._start_again(connection)
                raise
        return outcomes

    def _apply(
        self, connection: sqlite3.Connection, changes: Sequence[Change], *, look_first: bool
    ) -> list[object]:
        outcomes: list[object] = [
            None if isinstance(change, Append) else _guarded(connection, change) for change in changes
        ]
        if any(not isinstance(change, Append) for change in changes):
            self._appender.forget()  # they may have moved an epoch or removed events
        appends = {index: change for index, change in enumerate(changes) if isinstance(change, Append)}
        if appends:
            stored = self._appender.write_all(
                connection, list(appends.values()), now=self._clock.now(), look_first=look_first
            )
            for index, outcome in zip(appends, stored, strict=True):
                outcomes[index] = outcome
        return outcomes

    def _connection(self) -> sqlite3.Connection:
        if self._open is None:
            self._open = connect(self._path, read_only=False, busy_seconds=self._busy_seconds)
        return self._open

    def _start_again(self, connection: sqlite3.Connection) -> None:
        self._appender.forget()
        try:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        except sqlite3.Error:
            self._open = None
            connection.close()


def _guarded(connection: sqlite3.Connection, change: Callable[[sqlite3.Connection], object]) -> object:
    before = connection.total_changes
    try:
        return change(connection)
    except NightschoolError as refusal:
        if connection.total_changes != before:
            raise
        return refusal
