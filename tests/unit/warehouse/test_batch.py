"""Entries as a frame."""

from __future__ import annotations

import hashlib

from nightschool.warehouse.batch import EVENT_COLUMNS, SESSION_COLUMNS, batch_of
from tests.integration.warehouse.memory_journal import MemoryJournal, a_session


def test_a_batch_has_a_row_per_entry_and_one_per_session_begun() -> None:
    journal = MemoryJournal()
    journal.append("sesn_a", *a_session("sesn_a"))
    batch = batch_of(journal.entries)
    assert (7, 1) == (batch.events.num_rows, batch.sessions.num_rows)
    assert list(EVENT_COLUMNS) == batch.events.column_names
    assert list(SESSION_COLUMNS) == batch.sessions.column_names
    assert (2, journal.last_position()) == (batch.first_position, batch.last_position)


def test_a_session_said_to_begin_twice_begins_once() -> None:
    journal = MemoryJournal()
    first = a_session("sesn_a")[0]
    journal.append("sesn_a", first, first)
    assert 1 == batch_of(journal.entries).sessions.num_rows


def test_the_digest_is_of_the_exact_text() -> None:
    journal = MemoryJournal()
    journal.append("sesn_a", '{"type": "a.b", "id": "1"}', '{"type":"a.b","id":"2"}')
    text = '{"type": "a.b", "id": "1"}\n{"type":"a.b","id":"2"}\n'
    assert hashlib.sha256(text.encode()).hexdigest() == batch_of(journal.entries).digest


def test_an_events_own_fields_are_columns() -> None:
    journal = MemoryJournal()
    journal.append("exp_1", '{"type":"trial.started","id":"1","trial_id":"t","arm":"single","task_id":7}')
    row = batch_of(journal.entries).events.to_pylist()[0]
    assert ("t", "single", None, "experiment") == (row["trial_id"], row["arm"], row["task_id"], row["role"])
