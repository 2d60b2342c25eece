"""How many agents are kept ready: pure decisions about a pool's size.

A static pool is warm from the start, for work that must not wait. A dynamic pool grows with the load and
lets go of who has been idle for a while. Both may be had at once; together they stay below the width.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["Pool", "idle_too_long", "wanted_size"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """What is kept ready."""

    static: int = 0
    """Members warm from the beginning to the end."""
    dynamic: int = 20
    """Further members that may be started on demand."""
    ttl_seconds: float = 30.0
    """How long a dynamic member may be idle before it is released."""


def wanted_size(pool: Pool, *, at_work: int, waiting: int, limit: int) -> int:
    """Return how many members there should be.

    Args:
        pool: what may be kept.
        at_work: members at work.
        waiting: tasks that could start now.
        limit: the most agents at work at once.
    """
    most = min(pool.static + pool.dynamic, limit)
    return min(max(pool.static, at_work + waiting), most)


def idle_too_long(
    pool: Pool, *, idle_since: Mapping[int, float], size: int, now: float
) -> tuple[list[int], float | None]:
    """Return the members to release now, and in how many seconds the next may be due (None: none will).

    Args:
        pool: what is kept at least.
        idle_since: idle member to the moment it became idle, in seconds.
        size: all members.
        now: this moment.
    """
    spare = max(size - pool.static, 0)
    oldest = sorted(idle_since, key=lambda member: (idle_since[member], member))[:spare]
    due = [member for member in oldest if now - idle_since[member] >= pool.ttl_seconds]
    left = [idle_since[member] for member in oldest if member not in due]
    return due, max(min(left) + pool.ttl_seconds - now, 0.0) if left else None
