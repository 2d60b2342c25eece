"""What a question sees, and what it cannot do."""

from __future__ import annotations

import threading
from pathlib import Path

import duckdb
import polars as pl
import pytest

from nightschool.core.clock import FrozenClock
from nightschool.core.errors import InvalidInput, NotFound, StoreBusy, StoreCorrupt, StoreError
from nightschool.warehouse.reader import Reader, open_warehouse
from nightschool.warehouse.schema import VIEWS
from nightschool.warehouse.store import Warehouse
from tests.integration.warehouse.memory_journal import MemoryJournal, a_session
from tests.integration.warehouse.other_process import held_elsewhere

PLACES = "SELECT position FROM v1_events ORDER BY position"


def places(reader: Reader) -> list[int]:
    return reader.query(PLACES)["position"].to_list()


def committed(journal: MemoryJournal) -> list[int]:
    return [entry.position for entry in journal.entries]


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_answers_with_no_rows_before_anything_happened(reader: Reader, view: str) -> None:
    assert 0 == reader.query(f"SELECT * FROM {view}").height


@pytest.mark.parametrize("synced", range(4))
def test_everything_committed_is_seen_however_much_is_synced(
    journal: MemoryJournal, warehouse: Warehouse, reader: Reader, synced: int
) -> None:
    """Sessions that straddle the watermark are joined with what they belong to."""
    for number in range(3):
        first, *later = a_session(f"sesn_{number}")
        journal.append(f"sesn_{number}", first)
        if synced == number:
            warehouse.sync(journal)
        journal.append(f"sesn_{number}", *later)
    if synced == 3:
        warehouse.sync(journal)
    assert committed(journal) == places(reader)
    assert ["exp_1"] == reader.query("SELECT DISTINCT experiment_id FROM v1_events")[
        "experiment_id"
    ].to_list()


def test_one_reader_follows_the_log_through_every_change_of_the_file(
    journal: MemoryJournal, warehouse: Warehouse, reader: Reader, path: Path
) -> None:
    """Before the file, beside it, ahead of it, while it is held, and after it was lost."""
    seen = []
    for step in range(7):
        journal.append(f"sesn_{step}", *a_session(f"sesn_{step}"))
        if step in {1, 3, 5}:
            warehouse.sync(journal)
        if step == 4:
            with held_elsewhere(path, writing=True):
                seen.append(places(reader))
        if step == 6:
            path.unlink()
        seen.append(places(reader))
        assert committed(journal) == seen[-1]
    assert 8 == len(seen)


def test_without_a_journal_a_held_file_is_busy_and_a_missing_one_not_found(
    journal: MemoryJournal, warehouse: Warehouse, path: Path
) -> None:
    alone = open_warehouse(path, wait_seconds=0)
    with pytest.raises(NotFound, match="run an experiment first"):
        alone.query("SELECT 1")
    warehouse.sync(journal)
    with held_elsewhere(path, writing=True), pytest.raises(StoreBusy, match="open in another program"):
        alone.query("SELECT 1")
    assert 0 == alone.query("SELECT * FROM v1_events").height


def test_a_reader_lets_go_of_the_file_after_each_question(
    journal: MemoryJournal, warehouse: Warehouse, reader: Reader, path: Path
) -> None:
    warehouse.sync(journal)
    reader.query("SELECT 1")
    with pytest.raises(InvalidInput):
        reader.query("SELECT nonsense")
    with held_elsewhere(path, writing=True):
        pass


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO memory.tail.events SELECT * FROM memory.tail.events",
        "DELETE FROM memory.tail.events",
        "EXPLAIN ANALYZE DELETE FROM memory.tail.events",
        "CREATE TABLE mine (a INTEGER)",
        "CREATE TEMP TABLE mine (a INTEGER)",
        "DROP VIEW v1_events",
        "ATTACH ':memory:' AS other",
        "DETACH stored",
        "COPY (SELECT 1) TO 'out.csv'",
        "EXPORT DATABASE 'out'",
        "SET enable_external_access = true",
        "RESET ALL",
        "INSTALL fts",
        "PRAGMA database_list",
        "CHECKPOINT",
        "SELECT * FROM read_text('/etc/hostname')",
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM glob('/*')",
        "SELECT * FROM '/etc/passwd'",
        "SELECT 1; SELECT 2",
        "",
        "   -- nothing",
    ],
)
def test_a_question_cannot_write_or_look_elsewhere(
    journal: MemoryJournal, warehouse: Warehouse, reader: Reader, statement: str
) -> None:
    journal.append("sesn_a", *a_session("sesn_a"))
    warehouse.sync(journal)
    with pytest.raises(InvalidInput):
        reader.query(statement)
    assert committed(journal) == places(reader)


def test_an_error_in_sql_says_what_duckdb_said(reader: Reader) -> None:
    with pytest.raises(InvalidInput, match='Referenced column "acuracy" not found'):
        reader.query("SELECT acuracy FROM v1_trials")


def test_values_are_given_apart_from_the_text(journal: MemoryJournal, reader: Reader) -> None:
    journal.append("sesn_a", *a_session("sesn_a"))
    by_place = reader.query("SELECT count(*) AS n FROM v1_events WHERE session_id = ?", ["sesn_a"])
    by_name = reader.query("SELECT count(*) AS n FROM v1_events WHERE session_id = $s", {"s": "sesn_a"})
    assert (7, 7) == (by_place["n"][0], by_name["n"][0])


def test_whole_events_come_as_the_text_they_were_recorded_in(journal: MemoryJournal, reader: Reader) -> None:
    journal.append("sesn_a", '{"type":"future.thing","id":"sevt_x","a":{"b":[1]}}')
    assert '{"type":"future.thing","id":"sevt_x","a":{"b":[1]}}' == reader.query("FROM v1_events")["event"][0]


def test_sums_of_whole_numbers_are_whole_numbers(reader: Reader) -> None:
    frame = reader.query("SELECT sum(a) AS small, sum(a) * 10::HUGEINT ** 20 AS large FROM range(5) t(a)")
    assert (10, pl.Int64) == (frame["small"][0], frame.schema["small"])
    assert 10 * 10**20 == frame["large"][0]


def test_describe_and_explain_are_questions(reader: Reader) -> None:
    assert "session_id" in reader.query("DESCRIBE v1_events")["column_name"].to_list()
    assert 1 == reader.query("EXPLAIN SELECT * FROM v1_trials").height


def test_a_question_that_takes_too_long_is_given_up(reader: Reader) -> None:
    endless = "SELECT count(*) FROM range(100000000) a, range(100000000) b"
    with pytest.raises(InvalidInput, match=r"longer than 0\.05 s"):
        reader.query(endless, timeout_seconds=0.05)
    assert 1 == reader.query("SELECT 1").height


def test_threads_may_share_a_reader(journal: MemoryJournal, warehouse: Warehouse, reader: Reader) -> None:
    journal.append("sesn_a", *a_session("sesn_a", turns=50))
    warehouse.sync(journal)
    counts: list[int] = []
    threads = [
        threading.Thread(target=lambda: counts.extend(len(places(reader)) for _ in range(5)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [203] * 20 == counts


def test_times_are_utc_whatever_the_machines_zone(
    journal: MemoryJournal, reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    journal.append("sesn_a", *a_session("sesn_a"))
    frame = reader.query("SELECT processed_at, processed_at::VARCHAR AS words FROM v1_events LIMIT 1")
    assert pl.Datetime("us", "UTC") == frame.schema["processed_at"]
    assert "2026-01-01 00:00:00+00" == frame["words"][0]


def test_a_file_that_is_no_warehouse_is_named(reader: Reader, path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"no database" * 1000)
    with pytest.raises(StoreCorrupt, match=r"nightschool\.duckdb is not a sound warehouse"):
        reader.query("SELECT 1")


def test_a_database_without_our_tables_leaves_the_journal_to_answer(
    journal: MemoryJournal, reader: Reader, path: Path
) -> None:
    """So it looks when the first sync was killed before its first commit."""
    path.parent.mkdir()
    duckdb.connect(str(path)).close()
    journal.append("sesn_a", *a_session("sesn_a"))
    assert committed(journal) == places(reader)


def test_a_warehouse_of_a_newer_version_is_refused(
    journal: MemoryJournal, warehouse: Warehouse, reader: Reader, path: Path
) -> None:
    warehouse.sync(journal)
    with duckdb.connect(str(path)) as connection:
        connection.execute("INSERT INTO schema_history VALUES (9999, 'future', NULL, now())")
    with pytest.raises(StoreError, match="upgrade"):
        reader.query("SELECT 1")


def test_a_held_file_is_waited_for(
    journal: MemoryJournal, warehouse: Warehouse, path: Path, clock: FrozenClock
) -> None:
    """Whoever syncs is usually done in a moment."""
    warehouse.sync(journal)
    holder = held_elsewhere(path, writing=True)
    holder.__enter__()
    waits: list[float] = []

    def sleep(seconds: float) -> None:
        waits.append(seconds)
        clock.advance(seconds)
        if len(waits) == 3:
            holder.__exit__(None, None, None)

    reader = open_warehouse(path, wait_seconds=1, clock=clock, sleep=sleep)
    assert 0 == reader.query("SELECT * FROM v1_events").height
    assert 3 == len(waits)


def test_statistics_can_be_asked_for_in_a_question(
    journal: MemoryJournal, warehouse: Warehouse, reader: Reader, path: Path
) -> None:
    """By a reader and by a plain DuckDB alike."""
    asked = "SELECT wilson_interval(3, 7).share AS share"
    assert 3 / 7 == reader.query(asked)["share"][0]
    warehouse.sync(journal)
    with duckdb.connect(str(path), read_only=True) as connection:
        assert [(3 / 7,)] == connection.execute(asked).fetchall()
