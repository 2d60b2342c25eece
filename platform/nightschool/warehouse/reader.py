"""Questions to the log, read-only and never behind it.

Knows nothing about how answers are shown. Nothing a question says can write, or read other files.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Self

import duckdb
import polars as pl

from nightschool.core.clock import Clock, SystemClock
from nightschool.core.errors import InvalidInput
from nightschool.warehouse.batch import JournalTail
from nightschool.warehouse.file import our_error
from nightschool.warehouse.guards import check_trials
from nightschool.warehouse.relation import Relation
from nightschool.warehouse.schema import named_query

__all__ = ["Parameters", "Reader", "open_warehouse"]

Parameters = Sequence[object] | Mapping[str, object]
"""Values for ``?`` in a statement (a sequence) or for ``$name`` (a mapping)."""

_READING: Final = frozenset({duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN})


class Reader:
    """Answers questions one at a time; threads may share it.

    What it sees is never older than the last event committed when the question began.
    """

    def __init__(self, relation: Relation, *, on_close: Callable[[], None] | None = None) -> None:
        """Answer from this relation; at the end ``on_close`` lets go of what else was opened for it."""
        self._relation = relation
        self._on_close = on_close
        self._turn = threading.Lock()  # protects the relation: its connection serves one question at a time

    def query(
        self,
        sql: str,
        parameters: Parameters | None = None,
        *,
        timeout_seconds: float | None = None,
        most: int | None = None,
    ) -> pl.DataFrame:
        """Return the answer to one SELECT (or DESCRIBE, SHOW, SUMMARIZE, EXPLAIN) as a frame.

        Whole events come as JSON text.

        Args:
            sql: one statement; docs/reference/sql.md lists the views.
            parameters: values for ``?`` (a sequence) or ``$name`` (a mapping).
            timeout_seconds: give up after this long.
            most: fetch no more rows than this; the rest is never made.

        Raises:
            InvalidInput: not one reading statement, an error in it, or it took too long.
            NotFound: there is neither a file nor a journal.
            StoreBusy: the file is held by somebody else and there is no journal to answer from.
            StoreCorrupt: the file is not a sound warehouse.
        """
        with self._turn, self._relation.current(sql) as connection, self._read_only(connection):
            _refuse_writes(connection, sql)
            with _deadline(connection, timeout_seconds):
                return _answer(connection, sql, parameters, most)

    @contextmanager
    def _read_only(self, connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
        """Refuse every write inside the block, those of EXPLAIN ANALYZE too; errors become ours."""
        connection.execute("BEGIN TRANSACTION READ ONLY")
        try:
            yield
        except (duckdb.FatalException, duckdb.InternalException) as error:
            raise our_error(error, self._relation.path) from error
        except duckdb.Error as error:
            raise InvalidInput(f"the question cannot be answered: {error}") from error
        finally:
            connection.execute("ROLLBACK")

    def trials(self, experiment_id: str | None = None) -> pl.DataFrame:
        """Return v1_trials, of one experiment or of all, checked against `guards.trials_schema`.

        Raises:
            StoreCorrupt: a trial breaks a rule that every trial keeps.
        """
        chosen = named_query("trials")
        return check_trials(self.query(chosen, {"experiment_id": experiment_id}))

    def waiting_permissions(self) -> pl.DataFrame:
        """Return the tool calls that wait for a person's word, those that have waited longest in front."""
        return self.query(named_query("waiting_permissions"))

    def answered_permissions(self) -> pl.DataFrame:
        """Return the tool calls that had a person's word, with the word that holds, the latest in front."""
        return self.query(named_query("answered_permissions"))

    def close(self) -> None:
        """Let go of what is held."""
        with self._turn:
            self._relation.close()
        if self._on_close is not None:
            self._on_close()

    def __enter__(self) -> Self:
        """Return the reader itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()


def open_warehouse(
    path: Path,
    *,
    journal: JournalTail | None = None,
    wait_seconds: float = 2.0,
    clock: Clock | None = None,
    sleep: Callable[[float], None] = time.sleep,
    on_close: Callable[[], None] | None = None,
) -> Reader:
    """Return a reader of the warehouse at ``path``.

    Args:
        path: the warehouse's file; with a journal it need not exist yet.
        journal: where to find what is not yet synced; without it only the warehouse is seen.
        wait_seconds: how long a question waits for the file before the journal alone answers.
        clock: measures that wait.
        sleep: waits a moment between two tries.
        on_close: called when the reader is closed.
    """
    ticking = clock or SystemClock()
    relation = Relation(path=path, journal=journal, wait_seconds=wait_seconds, clock=ticking, sleep=sleep)
    return Reader(relation, on_close=on_close)


def _refuse_writes(connection: duckdb.DuckDBPyConnection, sql: str) -> None:
    statements = connection.extract_statements(sql)
    if len(statements) != 1:
        raise InvalidInput(f"give one statement at a time, not {len(statements)}")
    if statements[0].type not in _READING:
        kind = statements[0].type.name
        raise InvalidInput(
            f"the log is read-only: {kind} is not allowed; ask with SELECT, DESCRIBE or EXPLAIN"
        )


@contextmanager
def _deadline(connection: duckdb.DuckDBPyConnection, seconds: float | None) -> Iterator[None]:
    if seconds is None:
        yield
        return
    timer = threading.Timer(seconds, connection.interrupt)
    timer.start()
    try:
        yield
    except duckdb.InterruptException as error:
        raise InvalidInput(f"the question took longer than {seconds:g} s; narrow it down") from error
    finally:
        timer.cancel()


def _answer(
    connection: duckdb.DuckDBPyConnection, sql: str, parameters: Parameters | None, most: int | None
) -> pl.DataFrame:
    answer = connection.sql(sql, params=parameters)
    if most is not None:
        answer = answer.limit(most)
    frame: pl.DataFrame = answer.pl()
    kinds = zip(frame.columns, answer.types, strict=True)
    sums = [name for name, kind in kinds if str(kind) == "HUGEINT"]
    return frame.with_columns(_small(frame[name]) for name in sums)


def _small(column: pl.Series) -> pl.Series:
    """DuckDB adds whole numbers up in 128 bits, which a frame takes for decimals; few sums need them."""
    try:
        return column.cast(pl.Int64)
    except pl.exceptions.InvalidOperationError:
        return column
