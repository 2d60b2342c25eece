"""One stored event with its place in the log. Knows nothing about SQL."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from nightschool.core.errors import Malformed
from nightschool.events.union import Event, parse_event

__all__ = ["Entry"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """An event as the journal keeps it."""

    position: int
    """Place among the events of all sessions; grows with every commit, never given out twice."""
    session_id: str
    """The session it belongs to."""
    seq: int
    """Place in its session: 1, 2, 3 ... without gaps."""
    epoch: int
    """Which writer of the session appended it."""
    recorded_at: datetime
    """When it was written to disk (UTC)."""
    event_id: str
    """The event's own id."""
    type: str
    """The event's type."""
    body: str
    """The event's JSON, byte for byte as stored."""
    _parsed: Event | None = field(default=None, compare=False, repr=False)

    @property
    def event(self) -> Event:
        """The event itself, parsed when first asked for.

        Raises:
            Malformed: the stored JSON does not fit its type.
        """
        if self._parsed is not None:
            return self._parsed
        event = self._parse()
        # A cache, not a change: parsing everything that is merely copied would halve the copy's speed.
        object.__setattr__(self, "_parsed", event)
        return event

    def _parse(self) -> Event:
        try:
            return parse_event(self.body)
        except Malformed as error:
            raise Malformed(
                f"session {self.session_id}, event {self.seq} ({self.event_id}): {error.message}. Run "
                "`nightschool verify` to see whether it was changed on disk.",
                session_id=self.session_id,
                seq=self.seq,
                event_id=self.event_id,
            ) from error
