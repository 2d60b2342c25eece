"""A session from elsewhere, and how it enters the log.

Knows nothing about formats: each importer beside this file turns its own into `ImportedSession`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from nightschool.core.errors import NightschoolError
from nightschool.events.union import Event
from nightschool.journal.append import Append, Placed, prepare

__all__ = ["EventSink", "ImportOutcome", "ImportedSession", "write", "write_streamed"]

_MOST_SESSIONS: Final = 64
_MOST_EVENTS: Final = 1_000
"""Written together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedSession:
    """A whole session. Its ids follow from its content: the same transcript is always the same session."""

    session_id: str
    events: tuple[Event, ...]
    """The first is `session.created`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOutcome:
    """What an import found and did."""

    sessions: int
    """Sessions in the transcript."""
    added: int
    """Those that were not in the log, or not whole."""
    session_ids: tuple[str, ...]
    """All of them, in the transcript's order."""


class EventSink(Protocol):
    """Where sessions are kept. Appending an event again changes nothing."""

    def append_all(self, appends: Sequence[Append], /) -> Sequence[Placed | NightschoolError]:
        """Add events to the ends of sessions in one go; each all or none, without those it has already."""

    def epoch(self, session_id: str) -> int:
        """Return the session's epoch; 0 when there is no such session."""

    def last_position(self) -> int:
        """Return how far the log has grown."""


def write(sessions: Iterable[ImportedSession], sink: EventSink) -> ImportOutcome:
    """Put sessions into the log, each whole or not at all, each once however often this is done.

    The transcript is read to its end before the first session is written: one that breaks its format
    leaves nothing behind. An import that was killed is completed by doing it again.

    Raises:
        Malformed: the transcript does not follow its format.
        StoreError: the log could not take a session; those before it are kept.
    """
    found = list(sessions)
    added = _written(found, sink)
    return ImportOutcome(
        sessions=len(found), added=added, session_ids=tuple(session.session_id for session in found)
    )


def write_streamed(read: Callable[[], Iterable[ImportedSession]], sink: EventSink) -> ImportOutcome:
    """Put sessions into the log as `write` does, without holding more than a few of them in memory.

    The transcript is read twice: to its end first, so that one that breaks its format leaves nothing behind.

    Args:
        read: begins reading the transcript anew each time it is called.
        sink: where sessions are kept.

    Raises:
        Malformed: the transcript does not follow its format.
        StoreError: the log could not take a session; those before it are kept.
    """
    session_ids = tuple(session.session_id for session in read())
    added = _written(read(), sink)
    return ImportOutcome(sessions=len(session_ids), added=added, session_ids=session_ids)


def _written(sessions: Iterable[ImportedSession], sink: EventSink) -> int:
    """Write sessions, some at a time so that they share a wait for the disk; return how many were new."""
    return sum(_write_some(some, sink) for some in _batches(sessions))


def _batches(sessions: Iterable[ImportedSession]) -> Iterator[list[ImportedSession]]:
    batch: list[ImportedSession] = []
    for session in sessions:
        batch.append(session)
        if len(batch) == _MOST_SESSIONS or sum(len(each.events) for each in batch) > _MOST_EVENTS:
            yield batch
            batch = []
    if batch:
        yield batch


def _write_some(sessions: Sequence[ImportedSession], sink: EventSink) -> int:
    before = sink.last_position()
    outcomes = sink.append_all(
        [
            prepare(each.session_id, each.events, epoch=max(1, sink.epoch(each.session_id)))
            for each in sessions
        ]
    )
    for outcome in outcomes:
        if isinstance(outcome, NightschoolError):
            raise outcome
    return sum(_is_new(outcome, before) for outcome in outcomes if isinstance(outcome, Placed))


def _is_new(placed: Placed, before: int) -> bool:
    """Return whether any of the events was not in the log before."""
    return placed.found is None or any(entry.position > before for entry in placed.found)
