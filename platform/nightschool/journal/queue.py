"""Work queues between processes: leases, fencing tokens, priorities, dead letters.

    put ─► ready ─► leased ─► done
             ▲         │
             ├─────────┤  failed, released, or the lease ran out
             │         ▼
          revive ◄── dead      failed for good, or too often

Delivery is at least once: a worker that dies loses its lease and another gets the item. Each lease has a
higher token than all before it, so whoever receives a worker's results can refuse those of an older one.
Knows nothing about what the payloads mean. Blocking; async callers go through a worker thread.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from functools import partial
from typing import Any, Final

from nightschool.core.clock import Clock
from nightschool.core.errors import InvalidInput, LeaseLost, NotFound
from nightschool.journal.instant import from_microseconds, to_microseconds
from nightschool.journal.journal import Journal
from nightschool.journal.statements import sql

__all__ = ["Item", "ItemState", "Lease", "Queue", "counts_by_queue"]

_PRIORITIES: Final = range(10)


class ItemState(StrEnum):
    """ready -> leased -> done; leased -> ready or dead on failure; dead -> ready when revived."""

    READY = "ready"
    """Waits for a worker, perhaps not before a certain time."""
    LEASED = "leased"
    """A worker has it, until its lease runs out."""
    DONE = "done"
    """Finished; kept so that its key is not taken twice."""
    DEAD = "dead"
    """Failed for good; waits for a person or program to revive it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A piece of work as it stands."""

    key: str
    """Its name in the queue."""
    payload: Mapping[str, Any]
    """What to do."""
    priority: int
    """0 to 9; 9 goes first."""
    state: ItemState
    """Where it is."""
    attempts: int
    """Leases given since it was put in or revived."""
    token: int
    """The highest token given out for it."""
    worker: str | None
    """Who has or last had the lease."""
    reason: str | None
    """Why the last attempt failed."""
    due_at: datetime
    """Ready from then on, or leased until then."""
    put_at: datetime
    """When it was put in."""
    changed_at: datetime
    """When it last changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """The right to work on an item until ``until``."""

    queue: str
    key: str
    payload: Mapping[str, Any]
    """What to do."""
    priority: int
    attempt: int
    """1 the first time."""
    token: int
    """Higher than every earlier lease's of this item: pass it on with what the work writes elsewhere."""
    worker: str
    until: datetime
    """After this another worker may take the item."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """One queue by name; any number of processes put and take at once."""

    journal: Journal
    clock: Clock
    name: str
    max_attempts: int = 3
    """So many leases end without success, and the item is dead."""

    def put(
        self, key: str, payload: Mapping[str, Any], *, priority: int = 5, delay_seconds: float = 0.0
    ) -> bool:
        """Add an item; return False when the queue has one with that key, in whatever state.

        Raises:
            InvalidInput: the priority is not 0 to 9, or the payload is not JSON.
        """
        if priority not in _PRIORITIES:
            raise InvalidInput(
                f"queue {self.name}: priority {priority} of {key} is not in 0..9 (9 goes first)."
            )
        try:
            text = json.dumps(dict(payload), allow_nan=False)
        except (TypeError, ValueError) as error:
            raise InvalidInput(f"queue {self.name}: the payload of {key} is not JSON: {error}") from error
        due_at = to_microseconds(self.clock.now() + timedelta(seconds=delay_seconds))
        return self._change("queue_put", key=key, payload=text, priority=priority, due_at=due_at) > 0

    def take(self, worker: str, *, lease_seconds: float = 60.0) -> Lease | None:
        """Lease the next item that is due: highest priority first, then oldest; None when there is none.

        Items whose lease ran out are taken again, or buried when that was their last attempt.
        """
        until = to_microseconds(self.clock.now() + timedelta(seconds=lease_seconds))
        row = self.journal.transact(partial(self._take, worker, until))
        if row is None:
            return None
        key, payload, priority, attempt, token, due_at = row
        return Lease(
            queue=self.name,
            key=key,
            payload=json.loads(payload),
            priority=priority,
            attempt=attempt,
            token=token,
            worker=worker,
            until=from_microseconds(due_at),
        )

    def renew(self, lease: Lease, *, lease_seconds: float = 60.0) -> datetime:
        """Keep an item longer and return until when. A lease that ran out unnoticed is good again.

        Raises:
            LeaseLost: another worker has it, or had it.
        """
        until = to_microseconds(self.clock.now() + timedelta(seconds=lease_seconds))
        return from_microseconds(self._settle("queue_renew", lease, until=until))

    def complete(self, lease: Lease) -> None:
        """Mark the item done. Doing so twice is doing it once.

        Raises:
            LeaseLost: another worker has it, or had it; what was done must not count.
        """
        self._settle("queue_complete", lease)

    def fail(
        self, lease: Lease, reason: str, *, retry_in_seconds: float = 0.0, final: bool = False
    ) -> ItemState:
        """Give the item back for another attempt, or bury it when it was the last or ``final``.

        Raises:
            LeaseLost: another worker has it, or had it.
        """
        due_at = to_microseconds(self.clock.now() + timedelta(seconds=retry_in_seconds))
        return ItemState(self._settle("queue_fail", lease, due_at=due_at, reason=reason, final=final))

    def release(self, lease: Lease) -> None:
        """Give the item back untried, as when the worker is asked to stop; the attempt does not count.

        Raises:
            LeaseLost: another worker has it, or had it.
        """
        self._settle("queue_release", lease)

    def revive(self, key: str) -> None:
        """Make a dead item ready, with all attempts before it.

        Raises:
            NotFound: there is no dead item with that key.
        """
        if self.journal.transact(partial(self._first, "queue_revive", self._values(key=key))) is None:
            raise NotFound(f"queue {self.name} has no dead item {key}.", queue=self.name, key=key)

    def item(self, key: str) -> Item | None:
        """Return an item as it stands."""
        rows = self.journal.select("queue_item", {"queue": self.name, "key": key})
        return _item(rows[0]) if rows else None

    def items(self, state: ItemState, *, limit: int = 100) -> list[Item]:
        """Return items in a state, in the order they would be taken; dead letters with ``ItemState.DEAD``."""
        values = {"queue": self.name, "state": str(state), "limit": limit}
        return [_item(row) for row in self.journal.select("queue_items", values)]

    def counts(self) -> dict[ItemState, int]:
        """Return how many items are in each state."""
        counted = dict(self.journal.select("queue_counts", {"queue": self.name}))
        return {state: counted.get(str(state), 0) for state in ItemState}

    def forget_done(self, *, before: datetime) -> int:
        """Remove items done before a moment and return how many; their keys may be put in again."""
        return self._change("queue_forget", before=to_microseconds(before))

    def _take(self, worker: str, until: int, connection: sqlite3.Connection) -> tuple[Any, ...] | None:
        values = self._values(worker=worker, until=until)
        connection.execute(sql("queue_bury_expired"), values)
        connection.execute(sql("queue_free_expired"), values)
        return self._first("queue_take", values, connection)

    def _settle(self, statement: str, lease: Lease, **values: Any) -> Any:
        values = self._values(key=lease.key, token=lease.token, **values)
        row = self.journal.transact(partial(self._first, statement, values))
        if row is None:
            raise _lost(lease, self.item(lease.key))
        return row[0]

    def _change(self, statement: str, **values: Any) -> int:
        values = self._values(**values)
        return self.journal.transact(lambda connection: connection.execute(sql(statement), values).rowcount)

    def _first(
        self, statement: str, values: Mapping[str, Any], connection: sqlite3.Connection
    ) -> tuple[Any, ...] | None:
        rows: list[tuple[Any, ...]] = connection.execute(sql(statement), values).fetchall()
        return rows[0] if rows else None

    def _values(self, **values: Any) -> dict[str, Any]:
        now = to_microseconds(self.clock.now())
        return {"queue": self.name, "now": now, "max_attempts": self.max_attempts, **values}


def counts_by_queue(journal: Journal) -> dict[str, dict[ItemState, int]]:
    """Return how many items of every queue are in each state; queues that never held anything are unknown."""
    counted: dict[str, dict[ItemState, int]] = {}
    for name, state, number in journal.select("queues_counts", {}):
        counted.setdefault(name, dict.fromkeys(ItemState, 0))[ItemState(state)] = number
    return counted


def _item(row: tuple[Any, ...]) -> Item:
    key, payload, priority, state, attempts, token, worker, reason, due_at, put_at, changed_at = row
    return Item(
        key=key,
        payload=json.loads(payload),
        priority=priority,
        state=ItemState(state),
        attempts=attempts,
        token=token,
        worker=worker,
        reason=reason,
        due_at=from_microseconds(due_at),
        put_at=from_microseconds(put_at),
        changed_at=from_microseconds(changed_at),
    )


def _lost(lease: Lease, item: Item | None) -> LeaseLost:
    now = "it is gone" if item is None else f"it is {item.state} with token {item.token}"
    by = f", last held by {item.worker}" if item is not None and item.worker else ""
    return LeaseLost(
        f"queue {lease.queue}: the lease of {lease.worker} on {lease.key} (token {lease.token}) is over: "
        f"{now}{by}. Drop the result and take the next item.",
        queue=lease.queue,
        key=lease.key,
        token=lease.token,
    )
