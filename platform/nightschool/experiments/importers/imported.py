"""A session from elsewhere, and how it enters the log.

Knows nothing about formats: each importer beside this file turns its own into `ImportedSession`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from nightschool.events.union import Event

__all__ = ["EventSink", "ImportOutcome", "ImportedSession", "write", "write_streamed"]


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

    def append(self, session_id: str, events: Sequence[Event], *, epoch: int) -> Sequence[object]:
        """Add events to the end of a session, all or none; those it has already are passed over."""

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
    added = sum(_write_one(session, sink) for session in found)
    return ImportOutcome(
        sessions=len(found), added=added, session_ids=tuple(session.session_id for session in found)
    )


def write_streamed(read: Callable[[], Iterable[ImportedSession]], sink: EventSink) -> ImportOutcome:
    """Put sessions into the log as `write` does, without holding more than one of them in memory.

    The transcript is read twice: to its end first, so that one that breaks its format leaves nothing behind.

    Args:
        read: begins reading the transcript anew each time it is called.
        sink: where sessions are kept.

    Raises:
        Malformed: the transcript does not follow its format.
        StoreError: the log could not take a session; those before it are kept.
    """
    session_ids = tuple(session.session_id for session in read())
    added = sum(_write_one(session, sink) for session in read())
    return ImportOutcome(sessions=len(session_ids), added=added, session_ids=session_ids)


def _write_one(session: ImportedSession, sink: EventSink) -> bool:
    before = sink.last_position()
    sink.append(session.session_id, session.events, epoch=max(1, sink.epoch(session.session_id)))
    return sink.last_position() > before
