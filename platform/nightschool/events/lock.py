"""Who came in whose way while changing something shared, and how it was settled."""

from __future__ import annotations

from typing import Any, Literal

from nightschool.events.base import EventBase

__all__ = ["LockConflict", "MediationDecided", "MediationRequested"]


class LockConflict(EventBase):
    """A write was refused because the resource had changed since it was read; it is read again."""

    type: Literal["lock.conflict"] = "lock.conflict"
    resource: str
    task_id: str
    expected: int
    """The version that the write was decided on."""
    present: int
    """The version that was there by then."""
    conflicts: int
    """How many times this write has been refused."""


class MediationRequested(EventBase):
    """A write was refused so often that the orchestrator decides; others wait meanwhile."""

    type: Literal["mediation.requested"] = "mediation.requested"
    resource: str
    task_id: str
    present_version: int
    present: Any
    """What is there."""
    proposed: Any
    """What the task wants to write."""


class MediationDecided(EventBase):
    """The orchestrator decided with both versions in view; it is written next, unless another was first.

    Then, or when the process dies in between, it is decided anew.
    """

    type: Literal["mediation.decided"] = "mediation.decided"
    resource: str
    task_id: str
    version: int
    """The version that the decision becomes."""
    value: Any
    note: str
