"""What must hold of a journal and of its warehouse, whatever happened to the processes that wrote them."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from nightschool.core.clock import SystemClock
from nightschool.journal.check import check
from nightschool.journal.entry import Entry
from nightschool.journal.journal import Journal
from nightschool.journal.verify import verify
from nightschool.warehouse.reader import open_warehouse
from nightschool.warehouse.store import SyncStatus, Warehouse

__all__ = ["Folder", "assert_warehouse_is_journal", "catch_up", "everything", "stored_of"]

_ALL = 10_000_000
_COPIES = """
SELECT position, session_id, seq, epoch, epoch_us(recorded_at) AS recorded, event_id, type, event AS body
FROM v1_events
ORDER BY position
"""


class Folder(NamedTuple):
    """A data folder."""

    path: Path

    @property
    def journal(self) -> Path:
        """The journal's file."""
        return self.path / "journal.sqlite"

    @property
    def warehouse(self) -> Path:
        """The warehouse's file."""
        return self.path / "nightschool.duckdb"


def everything(folder: Folder) -> list[Entry]:
    """Return the whole journal, once it has been found sound."""
    journal = Journal.open(folder.journal, clock=SystemClock())
    found = verify(journal)
    entries = journal.tail(0, _ALL)
    journal.close()
    assert (True, ()) == (found.is_sound, found.problems)
    damage = [finding for finding in check(folder.journal) if finding.name == "journal integrity"]
    assert [True] == [finding.ok for finding in damage]
    return entries


def catch_up(folder: Folder) -> None:
    """Sync as the next process would; whatever was left behind, it must reach the journal's end."""
    journal = Journal.open(folder.journal, clock=SystemClock(), read_only=True)
    outcome = Warehouse.open(folder.warehouse).sync(journal)
    last = journal.last_position()
    journal.close()
    assert (SyncStatus.CURRENT, last) == (outcome.status, outcome.watermark)


def assert_warehouse_is_journal(folder: Folder, entries: list[Entry]) -> None:
    """Every event is in the warehouse once, at its place, with all it says; and receipts answer for all."""
    with open_warehouse(folder.warehouse) as reader:
        copies = reader.query(_COPIES)
    assert [stored_of(entry) for entry in entries] == copies.drop("body").rows()
    assert [entry.body for entry in entries] == copies["body"].to_list()


def stored_of(entry: Entry) -> tuple[int, str, int, int, int, str, str]:
    """Return an entry's columns."""
    recorded = round(entry.recorded_at.timestamp() * 1_000_000)
    return (entry.position, entry.session_id, entry.seq, entry.epoch, recorded, entry.event_id, entry.type)
