"""A warehouse that an earlier version left is brought up to date with everything that is in it."""

from __future__ import annotations

from pathlib import Path

from nightschool.warehouse.file import opened
from nightschool.warehouse.reader import Reader
from nightschool.warehouse.store import Warehouse
from tests.integration.warehouse.memory_journal import MemoryJournal, a_session

WITHOUT_INPUT = """
DROP VIEW IF EXISTS v1_events;
ALTER TABLE events DROP COLUMN input;
DELETE FROM schema_history WHERE number IN (0, 4);
"""


def test_what_tools_were_given_before_has_its_column_afterwards(
    journal: MemoryJournal, path: Path, reader: Reader
) -> None:
    journal.append("sesn_a", *a_session("sesn_a"))
    Warehouse.open(path).sync(journal)
    with opened(path) as connection:
        connection.execute(WITHOUT_INPUT)

    Warehouse.open(path).sync(journal)

    found = reader.query("SELECT input ->> '$.number' AS number FROM v1_events WHERE input IS NOT NULL")
    assert ["7.2"] == found["number"].to_list()
