"""Whether the warehouse is the journal's copy: every event, byte for byte, and every receipt.

Knows nothing about repairing: what differs is named, never touched. A warehouse that differs can be moved
away; the next sync makes a new one from the journal.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final, NamedTuple

from pydantic_core import from_json

from nightschool.warehouse.batch import JournalTail, LogEntry
from nightschool.warehouse.reader import Reader, open_warehouse
from nightschool.warehouse.schema import named_query

__all__ = ["Comparison", "compare"]

_NAMED_PROBLEMS: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What a look at both found."""

    events: int
    """Events that were compared."""
    waiting: int
    """Events of the journal that the next sync will copy; nothing is wrong with that."""
    problems: tuple[str, ...]
    """The first of what is wrong, a sentence each; empty when all is well."""
    problem_count: int
    """How much is wrong in all."""

    @property
    def is_sound(self) -> bool:
        """Whether nothing is wrong."""
        return self.problem_count == 0


class _Copy(NamedTuple):
    """An event with its place, as it lies in either store."""

    position: int
    session_id: str
    seq: int
    epoch: int
    recorded_at: datetime
    body: str


class _Receipt(NamedTuple):
    """What a committed batch said that it holds."""

    first: int
    last: int
    events: int
    digest: str


def compare(path: Path, journal: JournalTail, *, wait_seconds: float = 10.0) -> Comparison:
    """Compare a warehouse with the journal it was copied from; both may be written to meanwhile.

    Raises:
        NotFound: there is no warehouse.
        StoreBusy: somebody held the file for longer than ``wait_seconds``.
        StoreCorrupt: the file is not a sound database at all.
    """
    problems: list[str] = []
    count = events = upto = 0
    with open_warehouse(path, wait_seconds=wait_seconds) as reader:
        for row in reader.query(named_query("receipts", schema="stored.main")).iter_rows():
            receipt = _Receipt(*row)
            copies = _copies(reader, receipt)
            found = list(_examine(receipt, copies, _entries(journal, receipt)))
            problems += found[: _NAMED_PROBLEMS - len(problems)]
            count, events, upto = count + len(found), events + len(copies), receipt.last
    waiting = sum(1 for _ in _stretch(journal, upto, journal.last_position()))
    return Comparison(events=events, waiting=waiting, problems=tuple(problems), problem_count=count)


def _copies(reader: Reader, receipt: _Receipt) -> dict[int, _Copy]:
    rows = reader.query(named_query("copies"), {"first": receipt.first, "last": receipt.last}).iter_rows()
    return {row[0]: _Copy._make((*row[:-1], _original(row[-1]))) for row in rows}


def _original(stored: str) -> str:
    """Return the text that was copied, also where DuckDB could not read it as JSON."""
    if '"unreadable"' not in stored:
        return stored
    fields = from_json(stored)
    return str(fields["unreadable"]) if set(fields) == {"type", "id", "unreadable"} else stored


def _entries(journal: JournalTail, receipt: _Receipt) -> dict[int, _Copy]:
    entries = _stretch(journal, receipt.first - 1, receipt.last)
    return {entry.position: _copy(entry) for entry in entries}


def _copy(entry: LogEntry) -> _Copy:
    return _Copy(entry.position, entry.session_id, entry.seq, entry.epoch, entry.recorded_at, entry.body)


def _stretch(journal: JournalTail, after: int, last: int) -> Iterator[LogEntry]:
    """Yield the journal's entries after one position up to another."""
    while after < last:
        entries: Sequence[LogEntry] = journal.tail(after, 10_000)
        if not entries:
            return
        yield from (entry for entry in entries if entry.position <= last)
        after = entries[-1].position


def _examine(receipt: _Receipt, copies: Mapping[int, _Copy], originals: Mapping[int, _Copy]) -> Iterator[str]:
    """Yield what is wrong with one batch: pure."""
    if len(copies) == receipt.events and _digest(copies) != receipt.digest:
        yield f"positions {receipt.first} to {receipt.last}: the warehouse's text is not what was copied"
    if len(originals) == receipt.events and _digest(originals) != receipt.digest:
        yield f"positions {receipt.first} to {receipt.last}: the journal's text is not what was copied"
    for position in sorted(copies.keys() | originals.keys()):
        copy, original = copies.get(position), originals.get(position)
        if copy != original:
            yield f"position {position}: {_difference(copy, original)}"


def _digest(events: Mapping[int, _Copy]) -> str:
    digest = hashlib.sha256()
    for position in sorted(events):
        digest.update(events[position].body.encode() + b"\n")
    return digest.hexdigest()


def _difference(copy: _Copy | None, original: _Copy | None) -> str:
    if copy is None:
        return "is in the journal and not in the warehouse"
    if original is None:
        return f"is in the warehouse and not in the journal (session {copy.session_id}, event {copy.seq})"
    differing = [name for name, a, b in zip(_Copy._fields, copy, original, strict=True) if a != b]
    return f"{', '.join(differing)} differ (session {original.session_id}, event {original.seq})"
