"""When dreams are due: in an idle hour, each night, each week, when memories contradict or drift too much.

What is due is put into the journal's queue under a key that it has once, so that any number of schedulers
put it once and one worker does it. A dream waits while agents work. Knows nothing about what a dream does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final, Literal, cast

from nightschool.core.clock import Clock
from nightschool.dreaming.digest import text_hash
from nightschool.journal.journal import Journal
from nightschool.journal.queue import Lease, Queue
from nightschool.memory.memory import Kind, Memory, State

__all__ = ["Due", "Schedule", "Timetable", "contradiction_ratio", "due_at"]

_QUEUE: Final = "dreams"
_LEASE_SECONDS: Final = 3600.0
_RETRY_SECONDS: Final = 300.0
_FEWEST: Final = 5
"""Statements below which a ratio says nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Timetable:
    """When to dream."""

    idle_minutes: int = 15
    """Without an event for so long, agents are idle."""
    night_hour: int = 2
    """UTC hour from which on the night's dream is due."""
    rebuild_weekday: int = 6
    """Day of the weekly rebuild: 0 is Monday, 6 Sunday."""
    max_contradictions: float = 0.2
    """Share of statements in conflict from which on everything is read anew."""
    max_shift: float = 0.25
    """How far a dream may move what a store is about (1 - cosine of its centres), before all is read anew."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """One dream to be done, once."""

    key: str
    mode: Literal["incremental", "rebuild"]


def due_at(now: datetime, *, position: int, dreamt_position: int, timetable: Timetable) -> list[Due]:
    """Return what is due at a moment; what was done already has the same key and is not done again.

    Args:
        now: the moment (UTC).
        position: how far the log has grown.
        dreamt_position: up to where dreams have looked.
        timetable: when to dream.
    """
    found = []
    night = now - timedelta(hours=timetable.night_hour)
    year, week, _ = night.isocalendar()
    if night.weekday() == timetable.rebuild_weekday:
        found.append(Due(key=f"weekly/{year}-W{week:02}", mode="rebuild"))
    if position > dreamt_position:
        found.append(Due(key=f"nightly/{night:%Y-%m-%d}", mode="incremental"))
        found.append(Due(key=f"idle/{position}", mode="incremental"))
    return found


def contradiction_ratio(memories: Mapping[str, Memory]) -> float:
    """Return the share of people's statements that are in conflict with another; 0 for a handful."""
    said = [memory for memory in memories.values() if memory.attributes.kind is Kind.STATEMENT]
    torn = [
        memory
        for memory in said
        if memory.attributes.conflicts_with and memory.attributes.state is not State.ARCHIVED
    ]
    return len(torn) / len(said) if len(said) >= _FEWEST else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """Puts dreams into the queue of one store, and takes them when agents are idle."""

    journal: Journal
    clock: Clock
    name: str
    timetable: Timetable = field(default_factory=Timetable)

    @property
    def queue(self) -> Queue:
        """The journal's queue of dreams for this store."""
        return Queue(journal=self.journal, clock=self.clock, name=f"{_QUEUE}/{self.name}")

    def is_idle(self) -> bool:
        """Return whether no session has had an event for a while; dreams and stores do not count."""
        after = self.clock.now() - timedelta(minutes=self.timetable.idle_minutes)
        position = self.journal.last_position()
        page = self.journal.tail(max(0, position - 200), 200)
        return not any(entry.session_id.startswith("sesn_") and entry.recorded_at > after for entry in page)

    def put_due(self, *, dreamt_position: int) -> list[str]:
        """Put what is due into the queue; return the keys that are new in it."""
        due = due_at(
            self.clock.now(),
            position=self._sessions_position(),
            dreamt_position=dreamt_position,
            timetable=self.timetable,
        )
        return [each.key for each in due if self.queue.put(each.key, {"mode": each.mode})]

    def put_rebuild(self, memories: Mapping[str, Memory], dream_id: str, *, shift: float = 0.0) -> bool:
        """Ask for one rebuild when memories contradict one another too much, or are about something else.

        Args:
            memories: the store as a dream left it.
            dream_id: the dream.
            shift: how far it moved the store's centre: 1 - cosine.

        Returns:
            Whether a rebuild was asked for that was not asked for before.
        """
        if shift > self.timetable.max_shift:
            return self.queue.put(
                f"drift/{dream_id}", {"mode": "rebuild", "shift": shift, "dream_id": dream_id}
            )
        ratio = contradiction_ratio(memories)
        if ratio <= self.timetable.max_contradictions:
            return False
        torn = sorted(path for path, memory in memories.items() if memory.attributes.conflicts_with)
        key = f"contradictions/{text_hash(chr(10).join(torn))}"
        return self.queue.put(key, {"mode": "rebuild", "ratio": ratio, "dream_id": dream_id})

    def work(self, worker: str, dream: Callable[[Literal["incremental", "rebuild"]], None]) -> str | None:
        """Do the next dream that is due if agents are idle; return its key.

        A dream that dies is taken again by the next worker once its lease has run out.

        Raises:
            NightschoolError: the dream failed; it is tried again later, at most three times.
        """
        if not self.is_idle():
            return None
        lease = self.queue.take(worker, lease_seconds=_LEASE_SECONDS)
        if lease is None:
            return None
        try:
            dream(_mode(lease))
        except BaseException as error:
            self.queue.fail(lease, f"{type(error).__name__}: {error}", retry_in_seconds=_RETRY_SECONDS)
            raise
        self.queue.complete(lease)
        return lease.key

    def _sessions_position(self) -> int:
        """Return the position of the last event of a session; those of dreams do not count."""
        position = self.journal.last_position()
        while position > 0:
            page = self.journal.tail(max(0, position - 500), 500)
            ours = [each.position for each in page if each.session_id.startswith("sesn_")]
            if ours:
                return max(ours)
            position -= 500
        return 0


def _mode(lease: Lease) -> Literal["incremental", "rebuild"]:
    return cast("Literal['incremental', 'rebuild']", lease.payload["mode"])
