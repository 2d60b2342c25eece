"""Values that several processes change, each change on top of the version it was decided on.

Reading a value gives its version; writing names that version and is refused when somebody was faster.
Nothing is locked meanwhile. Knows nothing about what the values mean.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from nightschool.core.clock import Clock
from nightschool.core.errors import InvalidInput, VersionConflict
from nightschool.journal.instant import from_microseconds, to_microseconds
from nightschool.journal.journal import Journal
from nightschool.journal.statements import sql

__all__ = ["Versioned", "Versions"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Versioned:
    """A value at one version."""

    name: str
    version: int
    """1 for the first; grows by one with every change, also over a deletion."""
    value: Any
    """Whatever JSON can say."""
    changed_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Versions:
    """The values of one scope, by name."""

    journal: Journal
    clock: Clock
    scope: str

    def get(self, name: str) -> Versioned | None:
        """Return the present value; None when there is none."""
        rows = self.journal.select("version_get", {"scope": self.scope, "name": name})
        return _versioned(rows[0]) if rows and rows[0][2] is not None else None

    def list(self, *, prefix: str = "") -> list[Versioned]:
        """Return all present values by name, perhaps only those with a prefix."""
        rows = self.journal.select("version_list", {"scope": self.scope, "prefix": prefix})
        return [_versioned(row) for row in rows]

    def put(self, name: str, value: Any, *, expected: int) -> Versioned:
        """Write a value on top of version ``expected`` (0: there is none) and return it.

        Raises:
            VersionConflict: the present version is another; read, decide and write again.
            InvalidInput: the value is not JSON.
        """
        try:
            text = json.dumps(value, allow_nan=False)
        except (TypeError, ValueError) as error:
            raise InvalidInput(f"{self.scope}/{name}: the value is not JSON: {error}") from error
        return self.journal.transact(partial(self._write, name, text, expected))

    def put_all(self, values: Mapping[str, Any]) -> None:
        """Write many values in one transaction, each on top of whatever is there.

        Raises:
            InvalidInput: a value is not JSON.
        """
        try:
            texts = {name: json.dumps(value, allow_nan=False) for name, value in values.items()}
        except (TypeError, ValueError) as error:
            raise InvalidInput(f"{self.scope}: a value is not JSON: {error}") from error
        if texts:
            self.journal.transact(partial(self._write_all, texts))

    def delete(self, name: str, *, expected: int) -> None:
        """Remove a value that is at version ``expected``.

        Raises:
            VersionConflict: the present version is another.
        """
        self.journal.transact(partial(self._write, name, None, expected))

    def _write_all(self, texts: Mapping[str, str], connection: sqlite3.Connection) -> None:
        now = to_microseconds(self.clock.now())
        for name, text in texts.items():
            key = {"scope": self.scope, "name": name}
            row = connection.execute(sql("version_get"), key).fetchone()
            version = (row[1] if row else 0) + 1
            connection.execute(sql("version_put"), {**key, "version": version, "value": text, "now": now})

    def _write(self, name: str, text: str | None, expected: int, connection: sqlite3.Connection) -> Versioned:
        key = {"scope": self.scope, "name": name}
        row = connection.execute(sql("version_get"), key).fetchone()
        last, present = (row[1], row[1] if row[2] is not None else 0) if row else (0, 0)
        if expected != present:
            raise _conflict(f"{self.scope}/{name}", expected, present)
        changed = (name, last + 1, text, to_microseconds(self.clock.now()))
        connection.execute(
            sql("version_put"), {**key, "version": changed[1], "value": changed[2], "now": changed[3]}
        )
        return _versioned(changed)


def _versioned(row: tuple[Any, ...]) -> Versioned:
    name, version, value, changed_at = row
    return Versioned(
        name=name,
        version=version,
        value=None if value is None else json.loads(value),
        changed_at=from_microseconds(changed_at),
    )


def _conflict(what: str, expected: int, present: int) -> VersionConflict:
    now = f"version {present}" if present else "not there"
    return VersionConflict(
        f"{what} was to be changed from version {expected}, but is {now} by now. Read it again, decide "
        "again, then write.",
        expected=expected,
        present=present,
    )
