"""What is copied, once, whatever happens in between."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import duckdb
import pytest

from nightschool.core.clock import FrozenClock
from nightschool.core.errors import StoreCorrupt, StoreError, StoreFull, StoreUnwritable
from nightschool.warehouse import store
from nightschool.warehouse.reader import open_warehouse
from nightschool.warehouse.store import SyncStatus, Warehouse
from tests.integration.warehouse.memory_journal import MemoryJournal, a_session
from tests.integration.warehouse.other_process import held_elsewhere


def asked(path: Path, sql: str) -> list[tuple[object, ...]]:
    with duckdb.connect(str(path), read_only=True) as connection:
        return connection.execute(sql).fetchall()


def stored_places(path: Path) -> list[tuple[object, ...]]:
    return asked(path, "SELECT position, session_id, seq, event_id FROM v1_events ORDER BY position")


def test_everything_is_copied_with_its_place(
    journal: MemoryJournal, warehouse: Warehouse, path: Path
) -> None:
    journal.append("sesn_a", *a_session("sesn_a"))
    outcome = warehouse.sync(journal)
    assert (SyncStatus.CURRENT, 7, journal.last_position()) == (
        outcome.status,
        outcome.events,
        outcome.watermark,
    )
    assert [(entry.position, entry.session_id, entry.seq) for entry in journal.entries] == [
        row[:3] for row in stored_places(path)
    ]


def test_twice_is_once(journal: MemoryJournal, warehouse: Warehouse, path: Path, clock: FrozenClock) -> None:
    journal.append("sesn_a", *a_session("sesn_a"))
    warehouse.sync(journal)
    before = stored_places(path)
    assert 0 == warehouse.sync(journal).events
    assert 0 == Warehouse.open(path, clock=clock).sync(journal).events
    assert before == stored_places(path)


def test_two_writers_that_take_turns_copy_each_event_once(
    journal: MemoryJournal, warehouse: Warehouse, path: Path, clock: FrozenClock
) -> None:
    """The second one's idea of the watermark is out of date each time."""
    other = Warehouse.open(path, clock=clock)
    for number in range(4):
        journal.append(f"sesn_{number}", *a_session(f"sesn_{number}"))
        (warehouse if number % 2 else other).sync(journal)
    assert [entry.position for entry in journal.entries] == [row[0] for row in stored_places(path)]


def test_later_events_inherit_what_their_session_belongs_to(
    journal: MemoryJournal, warehouse: Warehouse, path: Path
) -> None:
    first, *later = a_session("sesn_a", arm="orchestrated")
    journal.append("sesn_a", first)
    warehouse.sync(journal)
    journal.append("sesn_a", *later)
    warehouse.sync(journal)
    rows = asked(path, "SELECT DISTINCT experiment_id, trial_id, arm FROM v1_events")
    assert [("exp_1", "trial_sesn_a", "orchestrated")] == rows
    acting = asked(path, "SELECT DISTINCT role FROM v1_events WHERE agent_id = 'reviewer' ORDER BY role")
    assert [("agent",), ("model",), ("tool",)] == acting


def test_an_event_of_a_newer_version_is_kept_whole(
    journal: MemoryJournal, warehouse: Warehouse, path: Path
) -> None:
    journal.append("sesn_a", '{"type":"future.thing","id":"sevt_x","depth":{"a":[1,{"b":"c"}]}}')
    warehouse.sync(journal)
    assert [("future", "c")] == asked(path, "SELECT role, event ->> '$.depth.a[1].b' FROM v1_events")


def test_text_that_duckdb_cannot_read_as_json_does_not_stop_the_copy(
    journal: MemoryJournal, warehouse: Warehouse, path: Path
) -> None:
    """A lone surrogate is JSON for Python and not for DuckDB."""
    body = '{"type":"future.thing","id":"sevt_x","words":"\\ud800"}'
    journal.append("sesn_a", body, *a_session("sesn_a"))
    warehouse.sync(journal)
    assert [(body,)] == asked(path, "SELECT event ->> '$.unreadable' FROM v1_events WHERE seq = 1")


def test_a_journal_entry_that_is_no_event_is_named(journal: MemoryJournal, warehouse: Warehouse) -> None:
    journal.append("sesn_a", "[]")
    with pytest.raises(StoreCorrupt, match="journal position 2 is not an event"):
        warehouse.sync(journal)


class FailingClock(FrozenClock):
    """Breaks off a batch between its rows and its receipt, where the time is asked for."""

    broken = False

    def now(self) -> datetime:
        if self.broken:
            raise duckdb.IOException("IO Error: No space left on device")
        return super().now()


def test_a_failure_inside_a_batch_leaves_nothing_of_it(journal: MemoryJournal, path: Path) -> None:
    clock = FailingClock()
    warehouse = Warehouse.open(path, clock=clock)
    journal.append("sesn_a", *a_session("sesn_a"))
    warehouse.sync(journal)
    journal.append("sesn_b", *a_session("sesn_b"))
    clock.broken = True
    with pytest.raises(StoreFull, match="full"):
        warehouse.sync(journal)
    assert 7 == len(stored_places(path))
    clock.broken = False
    assert 7 == warehouse.sync(journal).events
    assert 14 == len(stored_places(path))


def test_batches_end_with_row_groups_and_lose_nothing(
    journal: MemoryJournal, warehouse: Warehouse, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "ROW_GROUP", 10)
    journal.append("sesn_a", *a_session("sesn_a", turns=20))
    assert 83 == warehouse.sync(journal).events
    sizes = asked(path, "SELECT events FROM sync_batches ORDER BY first_position")
    assert [(10,)] * 8 + [(3,)] == sizes
    assert 83 == len(stored_places(path))


def test_a_batch_ends_early_where_texts_are_long(
    journal: MemoryJournal, warehouse: Warehouse, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "_PAGE", 4)
    monkeypatch.setattr(store, "_BATCH_CHARACTERS", 1)
    journal.append("sesn_a", *a_session("sesn_a"))
    assert 7 == warehouse.sync(journal).events
    assert [(4,), (3,)] == asked(path, "SELECT events FROM sync_batches ORDER BY first_position")


def test_somebody_reading_makes_the_sync_give_way(
    journal: MemoryJournal, warehouse: Warehouse, path: Path
) -> None:
    journal.append("sesn_a", *a_session("sesn_a"))
    warehouse.sync(journal)
    journal.append("sesn_b", *a_session("sesn_b"))
    with held_elsewhere(path):
        outcome = warehouse.sync(journal)
    assert (SyncStatus.BUSY, 0) == (outcome.status, outcome.events)
    assert 7 == warehouse.sync(journal).events


def test_a_reader_in_the_same_process_makes_the_sync_give_way_too(
    journal: MemoryJournal, warehouse: Warehouse, path: Path
) -> None:
    warehouse.sync(journal)
    journal.append("sesn_a", *a_session("sesn_a"))
    with duckdb.connect(str(path), read_only=True):
        assert SyncStatus.BUSY == warehouse.sync(journal).status


def test_a_file_that_is_no_warehouse_is_named_and_left_alone(
    journal: MemoryJournal, warehouse: Warehouse, path: Path
) -> None:
    path.write_text("this is not a database, and long enough to look like one" * 100)
    with pytest.raises(StoreCorrupt, match=r"nightschool\.duckdb is not a sound warehouse"):
        warehouse.sync(journal)
    assert path.read_text().startswith("this is not")


def test_a_warehouse_of_a_newer_version_is_not_touched(
    journal: MemoryJournal, warehouse: Warehouse, path: Path, clock: FrozenClock
) -> None:
    warehouse.sync(journal)
    with duckdb.connect(str(path)) as connection:
        connection.execute("INSERT INTO schema_history VALUES (9999, 'future', NULL, now())")
    with pytest.raises(StoreError, match="upgrade"):
        Warehouse.open(path, clock=clock).sync(journal)


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreUnwritable, match="cannot be made"):
        Warehouse.open(tmp_path / "file" / "data" / "nightschool.duckdb")


def test_a_plain_duckdb_sees_the_views(journal: MemoryJournal, warehouse: Warehouse, path: Path) -> None:
    journal.append("sesn_a", *a_session("sesn_a"))
    warehouse.sync(journal)
    with duckdb.connect() as connection:
        connection.execute(f"ATTACH '{path}' AS anything (READ_ONLY)")
        assert [("reviewer", "idle")] == connection.execute(
            "SELECT agent, status FROM anything.v1_sessions"
        ).fetchall()


@pytest.mark.parametrize("headers", [0, 9, 4096, 8192])
def test_a_file_whose_making_was_broken_off_is_made_again(
    headers: int, journal: MemoryJournal, warehouse: Warehouse, path: Path
) -> None:
    """A kill or a full disk between DuckDB's three headers leaves a file that nobody could ever open."""
    journal.append("sesn_a", *a_session("sesn_a"))
    duckdb.connect(str(path)).close()
    path.write_bytes(path.read_bytes()[:headers])
    with open_warehouse(path, journal=journal) as reader:
        unread = reader.query("SELECT count(*) AS n FROM v1_events")["n"][0]
    warehouse.sync(journal)

    assert 7 == unread
    assert 7 == len(stored_places(path))
