"""One run of a plan as it goes on: the board, what is not yet on disk, and who is at work."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, TypeVar

from nightschool.core.clock import Clock
from nightschool.core.ids import derived_id
from nightschool.events.base import EventBase
from nightschool.events.plan import PoolResized
from nightschool.orchestration.board import Board
from nightschool.orchestration.conflicts import Conflicts
from nightschool.orchestration.experience import Experience
from nightschool.orchestration.plan_log import PlanLog
from nightschool.orchestration.pools import Pool, idle_too_long, wanted_size

__all__ = ["Members", "PlanRun"]

_Kind = TypeVar("_Kind", bound=EventBase)


@dataclass(slots=True)
class Members:
    """The pool's members by number: who is idle since when, who is at work."""

    pool: Pool
    limit: int
    size: int = 0
    idle_since: dict[int, float] = field(default_factory=dict)
    at_work: set[int] = field(default_factory=set)
    _numbers: int = 0

    @property
    def room(self) -> int:
        """How many more could be put to work, members not yet started included."""
        most = min(self.pool.static + self.pool.dynamic, self.limit)
        return most - len(self.at_work)

    def grow(self, waiting: int, now: float) -> int:
        """Start the members that are wanted and return how many."""
        wanted = wanted_size(self.pool, at_work=len(self.at_work), waiting=waiting, limit=self.limit)
        added = max(wanted - self.size, 0)
        for _ in range(added):
            self._numbers += 1
            self.idle_since[self._numbers] = now
        self.size += added
        return added

    def shrink(self, now: float, *, keep: int) -> tuple[int, float | None]:
        """Release who was idle too long, but leave so many; return how many, and when to look again."""
        spare = max(len(self.idle_since) - keep, 0)
        due, later = idle_too_long(self.pool, idle_since=self.idle_since, size=self.size, now=now)
        due = due[:spare]
        for member in due:
            del self.idle_since[member]
        self.size -= len(due)
        return len(due), later

    def take(self) -> int:
        """Put an idle member to work: the one that was busy last, so that others may be released."""
        member = max(self.idle_since, key=lambda each: (self.idle_since[each], -each))
        del self.idle_since[member]
        self.at_work.add(member)
        return member

    def give_back(self, member: int, now: float) -> None:
        """Let a member be idle."""
        self.at_work.discard(member)
        self.idle_since[member] = now


@dataclass(slots=True)
class PlanRun:
    """What a scheduler keeps while it runs a plan; all of it follows from the log."""

    board: Board
    log: PlanLog
    clock: Clock
    members: Members
    learnt: Experience
    apart: Conflicts
    """Who must not be at work together."""
    given: int = 0
    """Tasks given out."""
    asked: set[str] = field(default_factory=set)
    """Escalations under way."""
    agents_at_work: Counter[str] = field(default_factory=Counter)
    resizes: int = 0
    """How often the pool changed."""
    events: list[EventBase] = field(default_factory=list)
    """What the log held at the beginning, and what was noted since."""
    _unsaved: list[EventBase] = field(default_factory=list)

    def note(self, kind: type[_Kind], *identity: str | int, **fields: Any) -> None:
        """Let something happen: on the board at once, in the log with the next `save`."""
        plan_id = self.board.plan.id
        event_id = derived_id("event", self.log.scope, plan_id, kind.__name__, *identity)
        facts = {"id": event_id, "processed_at": self.clock.now(), "plan_id": plan_id}
        event = kind.model_validate(facts | fields)
        self.events.append(event)
        self._unsaved.append(event)
        self.board.take(event)
        task_id = fields.get("task_id")
        if task_id is not None:
            self.learnt.take(event, self.board.plan.task(task_id).type)

    async def save(self) -> None:
        """Return when everything that happened is on disk; nothing may be done before."""
        if self._unsaved:
            events, self._unsaved = self._unsaved, []
            await self.log.append(events)

    def resize(self, waiting: int) -> float | None:
        """Start and release members as the load asks; return when to look again (seconds)."""
        now = self.clock.monotonic()
        started = self.members.grow(waiting, now)
        # Whoever is needed now was not idle too long.
        released, later = self.members.shrink(now, keep=waiting)
        if started or released:
            self.resizes += 1
            identity = (self.given, self.resizes)
            self.note(
                PoolResized,
                *identity,
                size=self.members.size,
                started=started,
                released=released,
                waiting=waiting,
            )
        return later
