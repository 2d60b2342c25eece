"""Whether the warehouse is what the journal says: damage is named, whichever side it is on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import duckdb
import pytest

from nightschool.core.clock import FrozenClock
from nightschool.core.errors import NotFound
from nightschool.warehouse import store
from nightschool.warehouse.retention import archive, delete_sessions
from nightschool.warehouse.store import Warehouse
from nightschool.warehouse.verify import compare
from tests.integration.warehouse.memory_journal import START, MemoryJournal, a_session


@pytest.fixture
def log(journal: MemoryJournal, warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch) -> MemoryJournal:
    """Two sessions in batches of five, and one event that DuckDB does not read as JSON."""
    monkeypatch.setattr(store, "ROW_GROUP", 5)
    journal.append("sesn_a", *a_session("sesn_a"))
    journal.append("sesn_b", *a_session("sesn_b"), '{"type":"odd.text","id":"sevt_odd","t":"\\ud800"}')
    warehouse.sync(journal)
    return journal


def tamper(path: Path, sql: str) -> None:
    with duckdb.connect(str(path)) as connection:
        connection.execute(sql)


def test_an_honest_copy_is_sound(log: MemoryJournal, path: Path) -> None:
    found = compare(path, log)
    assert (True, 15, 0) == (found.is_sound, found.events, found.waiting)


def test_what_is_not_copied_yet_waits(log: MemoryJournal, path: Path) -> None:
    log.append("sesn_c", *a_session("sesn_c"))
    found = compare(path, log)
    assert (True, 7) == (found.is_sound, found.waiting)


@pytest.mark.parametrize(
    ("sql", "complaints"),
    [
        (
            "UPDATE events SET event = replace(event, 'read_section', 'read_all') WHERE position = 11",
            ["positions 2 to 14: the warehouse's text is not what was copied", "position 11: body differ"],
        ),
        ("UPDATE events SET seq = 9 WHERE position = 11", ["position 11: seq differ"]),
        (
            "UPDATE events SET recorded_at = recorded_at + INTERVAL 1 second WHERE position = 11",
            ["position 11: recorded_at differ"],
        ),
        (
            "DELETE FROM events WHERE position = 11",
            ["position 11: is in the journal and not in the warehouse"],
        ),
        (
            "INSERT INTO events BY NAME SELECT * REPLACE (12 AS position) FROM events WHERE position = 11",
            ["position 12: is in the warehouse and not in the journal (session sesn_a, event 4)"],
        ),
    ],
)
def test_damage_to_the_warehouse_is_named(
    log: MemoryJournal, path: Path, sql: str, complaints: list[str]
) -> None:
    tamper(path, sql)
    found = compare(path, log)
    assert len(complaints) == found.problem_count
    assert all(said.startswith(expected) for said, expected in zip(found.problems, complaints, strict=True))


def _change_text(journal: MemoryJournal) -> None:
    journal.entries[3] = replace(journal.entries[3], body='{"type":"a.b","id":"x"}')


def _lose(journal: MemoryJournal) -> None:
    del journal.entries[3]


def _move(journal: MemoryJournal) -> None:
    entry = journal.entries[3]
    journal.entries[3] = replace(entry, recorded_at=entry.recorded_at + timedelta(seconds=1))


@pytest.mark.parametrize(
    ("damage", "complaint"),
    [
        (_change_text, "the journal's text is not what was copied"),
        (_lose, "is in the warehouse and not in the journal"),
        (_move, "recorded_at differ"),
    ],
)
def test_damage_to_the_journal_is_named(
    log: MemoryJournal, path: Path, damage: Callable[[MemoryJournal], None], complaint: str
) -> None:
    damage(log)
    found = compare(path, log)
    assert not found.is_sound
    assert complaint in found.problems[0]


def test_cold_sessions_are_compared_too_and_deleted_ones_are_missed_nowhere(
    log: MemoryJournal, warehouse: Warehouse, path: Path
) -> None:
    archive(warehouse, before=START + timedelta(days=1))
    assert 15 == compare(path, log).events
    log.entries = [entry for entry in log.entries if entry.session_id != "sesn_a"]
    assert 7 == compare(path, log).problem_count
    delete_sessions(warehouse, ["sesn_a"], upto_position=log.last_position())
    found = compare(path, log)
    assert (True, 8) == (found.is_sound, found.events)


def test_only_the_first_problems_are_named_and_all_are_counted(path: Path, clock: FrozenClock) -> None:
    journal = MemoryJournal()
    journal.append("sesn_a", *a_session("sesn_a", turns=40))
    Warehouse.open(path, clock=clock).sync(journal)
    tamper(path, "UPDATE events SET epoch = 7")
    found = compare(path, journal)
    assert (163, 100) == (found.problem_count, len(found.problems))


def test_without_a_warehouse_there_is_nothing_to_compare(journal: MemoryJournal, path: Path) -> None:
    with pytest.raises(NotFound):
        compare(path, journal)
