"""The warehouse's tables and views, read from the SQL files beside this module and put into a database.

Knows nothing about where the database lies or what its rows mean.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

import duckdb

from nightschool.core.errors import StoreCorrupt, StoreError
from nightschool.warehouse.file import quoted

__all__ = [
    "VIEWS",
    "Migration",
    "cold_files",
    "count_of",
    "create_part",
    "create_tables",
    "create_views",
    "events_query",
    "latest_migration",
    "macros_sql",
    "migrate",
    "migrations",
    "named_query",
    "newer_schema",
    "parts_for",
    "reached_migration",
    "refresh_views",
    "view_sql",
]

VIEWS: Final = (
    "v1_events",
    "v1_sessions",
    "v1_model_calls",
    "v1_tool_calls",
    "v1_permissions",
    "v1_tasks",
    "v1_experiments",
    "v1_trials",
    "v1_verdicts",
    "v1_feedback",
    "v1_costs",
    "v1_memories",
)
"""Every view, those that others read from first."""
_MACROS: Final = "macros"
_PARTS: Final = (_MACROS, *VIEWS)
_WORD: Final = re.compile(r"\w+")
_MACRO: Final = re.compile(r"MACRO (\w+)\(")
_CATALOG: Final = re.compile(r"show$|duckdb_|pg_|pragma|sqlite_|information_schema$")
"""Words of a question that asks what views and macros there are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Migration:
    """One numbered step of the tables' history."""

    number: int
    name: str
    sql: str


def _folder() -> Traversable:
    return files("nightschool.warehouse")


@cache
def migrations() -> tuple[Migration, ...]:
    """Return all migrations in order."""
    paths = sorted(_folder().joinpath("migrations").iterdir(), key=lambda path: path.name)
    return tuple(_migration(path) for path in paths if path.name.endswith(".sql"))


def _migration(path: Traversable) -> Migration:
    return Migration(number=int(path.name[:4]), name=path.name[5:-4], sql=path.read_text("utf-8"))


@cache
def view_sql(name: str) -> str:
    """Return the text of one view's file."""
    return _folder().joinpath("views", f"{name}.sql").read_text("utf-8")


@cache
def macros_sql() -> str:
    """Return the text of the statistics that questions can ask for."""
    return _folder().joinpath("macros.sql").read_text("utf-8")


@cache
def _queries() -> dict[str, str]:
    parts = _folder().joinpath("queries.sql").read_text("utf-8").split("-- name: ")
    return {name: sql for name, _, sql in (part.partition("\n") for part in parts[1:])}


def named_query(name: str, **places: str) -> str:
    """Return a query of ``queries.sql``; ``places`` fill in the schema names it leaves open."""
    return _queries()[name].format(**places)


def latest_migration() -> int:
    """Return the number of the schema this version knows."""
    return migrations()[-1].number


def reached_migration(connection: duckdb.DuckDBPyConnection, database: str) -> int:
    """Return the number of an attached database's schema; 0 when it has none."""
    if not count_of(connection, named_query("has_history"), [database]):
        return 0
    return count_of(connection, named_query("reached_migration", schema=f"{database}.main"))


def count_of(connection: duckdb.DuckDBPyConnection, sql: str, parameters: Sequence[object] = ()) -> int:
    """Return the one number that a query answers."""
    rows = connection.execute(sql, list(parameters)).fetchall()  # all: a rest would block the connection
    return int(rows[0][0])


def newer_schema(reached: int) -> StoreError:
    """Return the error of meeting a warehouse from the future."""
    return StoreError(
        f"the warehouse has schema {reached}, this nightschool knows {latest_migration()}: upgrade it"
    )


def migrate(connection: duckdb.DuckDBPyConnection, database: str, *, cold: Path, now: datetime) -> None:
    """Bring an attached database, which is the current one, up to this version; does nothing when it is.

    Args:
        connection: has the database attached, and is inside a transaction.
        database: its name there.
        cold: the folder of its cold storage.
        now: dates the steps.

    Raises:
        StoreError: the database was written by a newer nightschool.
    """
    reached = reached_migration(connection, database)
    if reached > latest_migration():
        raise newer_schema(reached)
    for migration in migrations():
        if migration.number > reached:
            connection.execute(migration.sql)
            _note(connection, migration.number, migration.name, now=now)
    refresh_views(connection, database, cold=cold, now=now)


def _note(
    connection: duckdb.DuckDBPyConnection, number: int, name: str, digest: str | None = None, *, now: datetime
) -> None:
    connection.execute(named_query("note_migration"), [number, name, digest, now])


def refresh_views(connection: duckdb.DuckDBPyConnection, database: str, *, cold: Path, now: datetime) -> None:
    """Replace macros and views when they or the cold files changed; rows numbered 0 in the history tell."""
    base = events_query("all_events", cold_files(connection, database, cold))
    text = "\0".join([base, macros_sql(), *map(view_sql, VIEWS)])
    digest = hashlib.sha256(text.encode()).hexdigest()
    if connection.execute(named_query("views_digest")).fetchall() != [(digest,)]:
        connection.execute(base)
        create_views(connection)
        _note(connection, 0, "views", digest, now=now)


def cold_files(connection: duckdb.DuckDBPyConnection, database: str, folder: Path) -> tuple[Path, ...]:
    """Return the files of the cold storage that count.

    Raises:
        StoreCorrupt: one of them is missing.
    """
    names = connection.execute(named_query("cold_files", schema=f"{database}.main")).fetchall()
    files = tuple(folder / name for (name,) in names)
    for file in files:
        if not file.exists():
            raise StoreCorrupt(
                f"{file} is missing: the warehouse keeps old sessions there. Put it back", path=str(file)
            )
    return files


def events_query(name: str, files: Sequence[Path]) -> str:
    """Return the definition of ``all_events``, with cold files or without."""
    if not files:
        return named_query(name)
    return named_query(f"{name}_with_cold", files="[" + ", ".join(map(quoted, files)) + "]")


def create_views(connection: duckdb.DuckDBPyConnection) -> None:
    """Create the macros, and every view over whatever ``all_events`` is in the current schema."""
    for part in _PARTS:
        create_part(connection, part)


def create_part(connection: duckdb.DuckDBPyConnection, part: str) -> None:
    """Create one view, or the macros."""
    connection.execute(macros_sql() if part == _MACROS else view_sql(part))


def parts_for(question: str) -> tuple[str, ...]:
    """Return the views that a question reads from, and the macros where it uses one, in order of creation.

    Creating all of them takes longer than most questions. They are all returned where that cannot be told
    from the words: the question names no view, one that does not exist, or asks what there is.
    """
    words = _words(question)
    named = {word for word in words if word.startswith("v1_")}
    if not named or not named <= set(VIEWS) or any(_CATALOG.match(word) for word in words):
        return _PARTS
    for view in reversed(VIEWS):
        if view in named:
            named |= _words(view_sql(view)) & set(VIEWS)
    uses_macros = not words.isdisjoint(_macros())
    return tuple(part for part in _PARTS if part in named or (part == _MACROS and uses_macros))


def _words(sql: str) -> frozenset[str]:
    return frozenset(_WORD.findall(sql.lower()))


@cache
def _macros() -> frozenset[str]:
    return frozenset(_MACRO.findall(macros_sql()))


def create_tables(connection: duckdb.DuckDBPyConnection) -> None:
    """Create the bare tables in the connection's current schema."""
    for migration in migrations():
        connection.execute(migration.sql)
