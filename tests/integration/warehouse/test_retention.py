"""Sessions that leave the warehouse's file, and what can still be asked of them."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import duckdb
import pytest

from nightschool.core.clock import FrozenClock
from nightschool.core.errors import StoreBusy, StoreCorrupt
from nightschool.warehouse.reader import Reader
from nightschool.warehouse.retention import archive, delete_sessions, sessions_before
from nightschool.warehouse.store import Warehouse
from tests.integration.warehouse.memory_journal import START, MemoryJournal, a_session
from tests.integration.warehouse.other_process import held_elsewhere

SESSIONS = "SELECT session_id, status, tool_calls, input_tokens, arm FROM v1_sessions ORDER BY session_id"
EVENTS = "SELECT position, event::JSON::VARCHAR FROM v1_events ORDER BY position"


def after(journal: MemoryJournal, entries: int) -> timedelta:
    """Return when the n-th entry was recorded."""
    return journal.entries[entries - 1].recorded_at - START


@pytest.fixture
def log(journal: MemoryJournal, warehouse: Warehouse) -> MemoryJournal:
    """Three sessions of seven events and an experiment's log, synced."""
    for name in ("sesn_a", "sesn_b", "sesn_c"):
        journal.append(name, *a_session(name))
    journal.append("exp_1", '{"type":"experiment.created","id":"x","experiment_id":"exp_1","manifest":{}}')
    warehouse.sync(journal)
    return journal


def cold_files(path: Path) -> list[Path]:
    return sorted((path.parent / "cold").glob("*"))


def plain(path: Path, sql: str) -> list[tuple[object, ...]]:
    with duckdb.connect(str(path), read_only=True) as connection:
        return connection.execute(sql).fetchall()


def test_sessions_are_as_old_as_their_last_event(log: MemoryJournal, reader: Reader) -> None:
    cutoff = START + after(log, 14)
    assert ["sesn_a"] == sessions_before(reader, cutoff)
    assert ["sesn_a", "sesn_b", "sesn_c"] == sessions_before(reader, START + timedelta(days=1))


def test_cold_sessions_answer_as_before(
    log: MemoryJournal, warehouse: Warehouse, reader: Reader, path: Path
) -> None:
    """A reader's questions and those of a plain DuckDB."""
    before = [reader.query(sql).rows() for sql in (SESSIONS, EVENTS)]
    moved = archive(warehouse, before=START + after(log, 14) + timedelta(milliseconds=1))
    assert (2, 14) == (moved.sessions, moved.events)
    assert [(8,)] == plain(path, "SELECT count(*) FROM events")
    assert before == [reader.query(sql).rows() for sql in (SESSIONS, EVENTS)]
    assert before == [plain(path, sql) for sql in (SESSIONS, EVENTS)]
    assert 1 == len(cold_files(path))


def test_archiving_twice_moves_nothing_more(log: MemoryJournal, warehouse: Warehouse, path: Path) -> None:
    archive(warehouse, before=START + timedelta(days=1))
    assert 0 == archive(warehouse, before=START + timedelta(days=1)).sessions
    assert 1 == len(cold_files(path))


def test_a_session_that_goes_on_after_it_went_cold_is_whole(
    log: MemoryJournal, warehouse: Warehouse, reader: Reader
) -> None:
    archive(warehouse, before=START + timedelta(days=1))
    log.append("sesn_a", '{"type":"session.status_terminated","id":"sevt_end"}')
    for _ in range(2):
        assert [("terminated", 8, "single")] == reader.query(
            "SELECT status, events, arm FROM v1_sessions WHERE session_id = 'sesn_a'"
        ).rows()
        warehouse.sync(log)


def test_what_a_crash_left_does_not_count_and_is_removed(
    log: MemoryJournal, warehouse: Warehouse, reader: Reader, path: Path
) -> None:
    """So it looks when the process died between writing the file and saying that it counts."""
    folder = path.parent / "cold"
    folder.mkdir()
    with duckdb.connect(str(path), read_only=True) as connection:
        connection.execute(f"COPY (SELECT * FROM events) TO '{folder / 'orphan.parquet'}'")
    (folder / "torn.part").write_text("torn")
    assert 22 == reader.query(EVENTS).height
    archive(warehouse, before=START)
    assert [] == cold_files(path)
    assert 22 == reader.query(EVENTS).height


def test_a_missing_cold_file_is_named(
    log: MemoryJournal, warehouse: Warehouse, reader: Reader, path: Path
) -> None:
    archive(warehouse, before=START + timedelta(days=1))
    cold_files(path)[0].unlink()
    with pytest.raises(StoreCorrupt, match="is missing: the warehouse keeps old sessions there"):
        reader.query(SESSIONS)


def test_the_folder_may_be_moved(
    log: MemoryJournal, warehouse: Warehouse, path: Path, clock: FrozenClock
) -> None:
    """A plain DuckDB finds the cold files again after the next sync."""
    archive(warehouse, before=START + timedelta(days=1))
    moved = path.parent.rename(path.parent.with_name("elsewhere")) / path.name
    Warehouse.open(moved, clock=clock).sync(log)
    assert [(22,)] == plain(moved, "SELECT count(*) FROM v1_events")


@pytest.mark.parametrize("cold", ["none", "some", "all"])
def test_a_deleted_session_is_gone_from_everywhere(
    log: MemoryJournal, warehouse: Warehouse, reader: Reader, path: Path, cold: str
) -> None:
    if cold != "none":
        days = after(log, 14) + timedelta(milliseconds=1) if cold == "some" else timedelta(days=1)
        archive(warehouse, before=START + days)
    removed = delete_sessions(
        warehouse, ["sesn_a", "sesn_c", "sesn_unknown"], upto_position=log.last_position()
    )
    assert (2, 14) == (removed.sessions, removed.events)
    assert ["sesn_b"] == [row[0] for row in reader.query(SESSIONS).rows()]
    assert [("exp_1",), ("sesn_b",)] == plain(path, "SELECT DISTINCT session_id FROM v1_events ORDER BY 1")
    for file in cold_files(path):
        assert [("sesn_b",)] == plain(path, f"SELECT DISTINCT session_id FROM '{file}'")
    assert [] == plain(path, "SELECT * FROM session_index WHERE session_id IN ('sesn_a', 'sesn_c')")


def test_a_deletion_reaches_what_a_reader_holds_in_memory(
    log: MemoryJournal, warehouse: Warehouse, reader: Reader
) -> None:
    log.append("sesn_d", *a_session("sesn_d"))
    assert 4 == reader.query(SESSIONS).height
    log.entries = [entry for entry in log.entries if entry.session_id != "sesn_d"]
    delete_sessions(warehouse, ["sesn_d"], upto_position=10_000)
    assert 3 == reader.query(SESSIONS).height


def test_a_copy_under_way_does_not_bring_a_deleted_session_back(
    log: MemoryJournal, warehouse: Warehouse, reader: Reader
) -> None:
    log.append("sesn_d", *a_session("sesn_d"))
    upto = log.last_position()
    delete_sessions(warehouse, ["sesn_d"], upto_position=upto)
    warehouse.sync(log)
    assert 3 == reader.query(SESSIONS).height
    log.append("sesn_d", *a_session("sesn_d"))
    assert 4 == reader.query(SESSIONS).height
    warehouse.sync(log)
    assert 4 == reader.query(SESSIONS).height


def test_a_held_file_is_left_alone(log: MemoryJournal, path: Path) -> None:
    impatient = Warehouse.open(path, clock=FrozenClock())
    with held_elsewhere(path), pytest.raises(StoreBusy):
        delete_sessions(impatient, ["sesn_a"], upto_position=0)
