"""What orchestration asks of a log, and two that do it: a session's, and one in memory."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from nightschool.events.base import EventBase
from nightschool.sessions.log import SessionLog, SessionWriter

__all__ = ["MemoryPlanLog", "PlanLog", "SessionPlanLog"]


class PlanLog(Protocol):
    """Where a plan's events are kept.

    Guaranteed: ``append`` returns when all of its events are safe, and stores all of them or none;
    ``read`` returns them in that order.
    """

    @property
    def scope(self) -> str:
        """What event ids derive from: no two logs have the same."""

    async def read(self, *, types: Collection[str] | None = None) -> Sequence[EventBase]:
        """Return all events so far, perhaps only those of some types."""

    async def append(self, events: Sequence[EventBase]) -> None:
        """Store events, all or none."""


@dataclass(frozen=True, slots=True)
class SessionPlanLog:
    """Keeps a plan's events in the orchestrator's session; one append is one commit."""

    log: SessionLog
    writer: SessionWriter

    @property
    def scope(self) -> str:
        """The session's id."""
        return self.writer.session_id

    async def read(self, *, types: Collection[str] | None = None) -> Sequence[EventBase]:
        """Return the session's events."""
        return await self.log.get_events(self.writer.session_id, types=types)

    async def append(self, events: Sequence[EventBase]) -> None:
        """Store events and return when they are on disk.

        Raises:
            StaleWriter: the session was woken elsewhere.
            StoreError: nothing was stored.
        """
        await self.writer.emit_event(*events)


@dataclass(slots=True)
class MemoryPlanLog:
    """Keeps events as long as the process lives: where a caller keeps a log of its own, and for tests."""

    scope: str = "memory"
    events: list[EventBase] = field(default_factory=list)

    async def read(self, *, types: Collection[str] | None = None) -> Sequence[EventBase]:
        """Return a copy of the events."""
        return [event for event in self.events if types is None or event.type in types]

    async def append(self, events: Sequence[EventBase]) -> None:
        """Keep the events."""
        self.events.extend(events)
