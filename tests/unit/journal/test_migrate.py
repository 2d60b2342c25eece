"""The schema's steps."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from nightschool.core.clock import FrozenClock
from nightschool.core.errors import StoreError
from nightschool.journal import journal as journal_module
from nightschool.journal import migrate as module
from nightschool.journal.journal import Journal
from nightschool.journal.migrate import Migration, applied_version, migrate, migrations


@pytest.fixture
def connection() -> sqlite3.Connection:
    """A new, empty database."""
    return sqlite3.connect(":memory:", isolation_level=None)


def test_steps_are_numbered_without_gaps() -> None:
    assert list(range(1, len(migrations()) + 1)) == [step.version for step in migrations()]


def test_a_new_file_gets_all_steps_once(connection: sqlite3.Connection, clock: FrozenClock) -> None:
    migrate(connection, Path("j"), clock=clock)
    migrate(connection, Path("j"), clock=clock)

    assert len(migrations()) == applied_version(connection)
    tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    assert {"session", "event", "queue_item", "versioned", "schema_version"} <= tables


def test_an_older_file_gets_what_it_lacks_and_keeps_what_it_has(
    connection: sqlite3.Connection, clock: FrozenClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    every = migrations()
    monkeypatch.setattr(module, "migrations", lambda: every[:1])
    migrate(connection, Path("j"), clock=clock)
    connection.execute("INSERT INTO session VALUES (1, 'sesn_a', 1)")
    monkeypatch.setattr(module, "migrations", lambda: every)

    migrate(connection, Path("j"), clock=clock)

    assert [("sesn_a",)] == connection.execute("SELECT session_id FROM session").fetchall()
    assert every[-1].version == applied_version(connection)


def test_a_step_that_fails_leaves_the_file_as_it_was(
    connection: sqlite3.Connection, clock: FrozenClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad = Migration(2, "bad", "CREATE TABLE fine (x);\nCREATE TABLE wrong wrong;\n")
    monkeypatch.setattr(module, "migrations", lambda: (migrations()[0], bad))

    with pytest.raises(sqlite3.OperationalError):
        migrate(connection, Path("j"), clock=clock)

    assert 0 == applied_version(connection)
    assert [] == connection.execute("SELECT name FROM sqlite_schema").fetchall()


def test_a_step_is_split_into_its_statements() -> None:
    script = (
        "-- a; b\nCREATE TABLE a (x);\nCREATE TRIGGER t AFTER INSERT ON a\nBEGIN\n  DELETE FROM a;\nEND;\n"
    )

    first, second = Migration(1, "x", script).statements()

    assert first.endswith("CREATE TABLE a (x);\n")
    assert second.startswith("CREATE TRIGGER")


def test_an_older_file_cannot_be_read_before_it_was_brought_up_to_date(
    path: Path, journal: Journal, clock: FrozenClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    later = (*migrations(), Migration(len(migrations()) + 1, "later", ""))
    monkeypatch.setattr(journal_module, "migrations", lambda: later)

    with pytest.raises(StoreError, match="Open it once for writing"):
        Journal.open(path, clock=clock, read_only=True)
