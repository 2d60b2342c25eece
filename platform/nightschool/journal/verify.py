"""Whether what is in the journal is what was written: sequences, hashes, columns against bodies.

`examine` is pure; `verify` feeds it from a journal, which may be written to meanwhile. Knows nothing about
repairing: a damaged row is named, never touched.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from nightschool.core.errors import StoreCorrupt
from nightschool.journal.chain import START, digest, link
from nightschool.journal.journal import Journal

__all__ = ["Problem", "Row", "Verification", "examine", "verify"]

_NAMED_PROBLEMS: Final = 100


class Row(NamedTuple):
    """An event as it lies in the file."""

    position: int
    session_id: str
    seq: int
    epoch: int
    recorded_at: int
    event_id: str
    type: str
    body: str
    hash: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Something that is not as it was written."""

    what: str
    """What is wrong, in a sentence."""
    session_id: str | None = None
    """In which session; None when the file as a whole is meant."""
    seq: int | None = None
    """At which event of it."""
    position: int | None = None
    """Where in the log."""
    event_id: str | None = None
    """Which event the row says it is."""

    def __str__(self) -> str:
        """Return one line for people."""
        if self.session_id is None:
            return self.what
        return f"session {self.session_id}, event {self.seq} (position {self.position}): {self.what}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """What a look at everything found."""

    sessions: int
    """Sessions with events."""
    events: int
    """Events looked at."""
    problems: tuple[Problem, ...]
    """The first of what is wrong; empty when all is well."""
    problem_count: int
    """How much is wrong in all."""
    last_seq: Mapping[str, int]
    """Each session's last sequence number, to compare with a copy."""

    @property
    def is_sound(self) -> bool:
        """Whether nothing is wrong."""
        return self.problem_count == 0


def verify(journal: Journal) -> Verification:
    """Look at every event of a journal, as it is at this moment.

    Raises:
        StoreError: the file cannot be read at all; damage inside it is reported, not raised.
    """
    last_seq: dict[str, int] = {}
    problems: list[Problem] = []
    events = count = 0

    def note(problem: Problem) -> None:
        nonlocal count
        count += 1
        if len(problems) < _NAMED_PROBLEMS:
            problems.append(problem)

    try:
        for position, seq, event_id in journal.select("orphans", {}):
            note(Problem(what=f"event {event_id} (position {position}, seq {seq}) belongs to no session"))
        for row, found in examine(Row(*values) for values in journal.stream("all_events")):
            events += 1
            last_seq[row.session_id] = row.seq
            for problem in found:
                note(problem)
    except StoreCorrupt as error:
        note(Problem(what=error.message))
    return Verification(
        sessions=len(last_seq),
        events=events,
        problems=tuple(problems),
        problem_count=count,
        last_seq=MappingProxyType(last_seq),
    )


def examine(rows: Iterable[Row]) -> Iterator[tuple[Row, list[Problem]]]:
    """Yield each row with what is wrong with it; ``rows`` come in the order of sessions and seq."""
    for _, session in groupby(rows, key=lambda row: row.session_id):
        before, seq = START, 0
        for row in session:
            whats = [*_gap(row, seq), *_content(row, before)]
            yield row, [_problem(row, what) for what in whats]
            before, seq = row.hash, row.seq


def _gap(row: Row, seq: int) -> Iterator[str]:
    if row.seq != seq + 1:
        missing = f"event {seq + 1} is" if row.seq == seq + 2 else f"events {seq + 1} to {row.seq - 1} are"
        yield f"{missing} missing before it"


def _content(row: Row, before: bytes) -> Iterator[str]:
    expected = link(
        before,
        digest(row.body),
        session_id=row.session_id,
        seq=row.seq,
        epoch=row.epoch,
        recorded_at=row.recorded_at,
    )
    if row.hash != expected:
        yield "its hash does not fit: it, or the event before it, was changed after it was written"
    fields = _fields(row.body)
    if fields is None:
        yield "its body is not a JSON object"
        return
    for column, value in (("id", row.event_id), ("type", row.type)):
        if fields.get(column) != value:
            yield f"its body says {column} {fields.get(column)!r}, its row says {value!r}"


def _fields(body: str) -> dict[str, Any] | None:
    try:
        fields = json.loads(body)
    except ValueError:
        return None
    return fields if isinstance(fields, dict) else None


def _problem(row: Row, what: str) -> Problem:
    return Problem(
        what=what, session_id=row.session_id, seq=row.seq, position=row.position, event_id=row.event_id
    )
