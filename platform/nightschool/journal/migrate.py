"""Brings a journal file to this version's schema: ``migrations/NNNN_name.sql``, numbered, append-only.

Knows nothing about what the tables mean.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from nightschool.core.clock import Clock
from nightschool.core.errors import StoreError

__all__ = ["Migration", "applied_version", "migrate", "migrations"]

_FOLDER: Final = Path(__file__).parent / "migrations"
_VERSION_TABLE: Final = """
CREATE TABLE IF NOT EXISTS schema_version (
    version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at TEXT NOT NULL
) STRICT
"""


class Migration(NamedTuple):
    """One numbered step of the schema."""

    version: int
    name: str
    script: str

    def statements(self) -> Iterator[str]:
        """Yield the script's statements one by one, so that they can share a transaction."""
        pending = ""
        for line in self.script.splitlines(keepends=True):
            pending += line
            if sqlite3.complete_statement(pending):
                yield pending
                pending = ""


@cache
def migrations() -> tuple[Migration, ...]:
    """Return all migrations, oldest first."""
    files = sorted(_FOLDER.glob("[0-9][0-9][0-9][0-9]_*.sql"))
    return tuple(Migration(int(file.stem[:4]), file.stem[5:], file.read_text("utf-8")) for file in files)


def applied_version(connection: sqlite3.Connection) -> int:
    """Return the version of the file's schema; 0 when it is new."""
    try:
        row = connection.execute("SELECT max(version) FROM schema_version").fetchone()
    except sqlite3.OperationalError as error:
        if "no such table" in str(error):
            return 0
        raise
    return int(row[0] or 0)


def migrate(connection: sqlite3.Connection, path: Path, *, clock: Clock) -> None:
    """Apply what is missing, all of it or nothing; several processes may do this at once.

    Raises:
        StoreError: the file was written by a newer version.
    """
    newest = migrations()[-1].version
    if applied_version(connection) == newest:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        connection.execute(_VERSION_TABLE)
        have = applied_version(connection)
        _refuse_newer(have, newest, path)
        for step in migrations()[have:]:
            _apply(connection, step, clock)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _refuse_newer(have: int, newest: int, path: Path) -> None:
    if have > newest:
        raise StoreError(
            f"{path} has schema {have}, this version knows up to {newest}: it was written by a newer "
            "nightschool. Upgrade, or choose another data folder with --data or NIGHTSCHOOL_DATA.",
            path=str(path),
        )


def _apply(connection: sqlite3.Connection, step: Migration, clock: Clock) -> None:
    for statement in step.statements():
        connection.execute(statement)
    connection.execute(
        "INSERT INTO schema_version VALUES (?, ?, ?)", (step.version, step.name, clock.now().isoformat())
    )
