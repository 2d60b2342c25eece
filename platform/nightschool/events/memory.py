"""What becomes of memories. Written to the store's own log (`memstore_...`), recalls to the session's.

Texts are not in these events, only their hashes: the log is never rewritten, and a text must be removable.
"""

from __future__ import annotations

from typing import Literal

from nightschool.events.base import EventBase, JsonObject, Wire

__all__ = [
    "MemoryCreated",
    "MemoryDeleted",
    "MemoryModified",
    "MemoryMovedToCold",
    "MemoryRecalled",
    "MemoryRedacted",
    "MemoryStoreCreated",
    "RecalledMemory",
]


class MemoryStoreCreated(EventBase):
    """A store begins, empty or as what a dream made of another one."""

    type: Literal["memory_store.created"] = "memory_store.created"
    name: str
    """What people call it; the store adopted under this name is the one that sessions recall from."""
    dream_id: str | None = None
    input_store_id: str | None = None
    """The store the dream read; it is never changed."""
    tenant: str = ""


class _MemoryChange(EventBase):
    """What the changes of a memory have in common."""

    path: str
    content_sha256: str
    content_bytes: int
    attributes: JsonObject
    """Kind, tier, state, confidence, and where it comes from: sessions, events, label source, taint."""
    actor: str
    """Who wrote it: api, user, session or dream."""
    dream_id: str | None = None


class MemoryCreated(_MemoryChange):
    """A memory is written to a path that had none."""

    type: Literal["memory.created"] = "memory.created"


class MemoryModified(_MemoryChange):
    """A memory's text or what is known about it changes; earlier versions stay."""

    type: Literal["memory.modified"] = "memory.modified"


class MemoryDeleted(EventBase):
    """A memory is no longer part of the store; its versions stay."""

    type: Literal["memory.deleted"] = "memory.deleted"
    path: str
    actor: str
    dream_id: str | None = None


class MemoryRedacted(EventBase):
    """A text was removed from everywhere it was kept; that there was one stays on record."""

    type: Literal["memory.redacted"] = "memory.redacted"
    content_sha256: str
    actor: str
    reason: str = ""


class MemoryMovedToCold(EventBase):
    """A text that no session recalls any more moves to a file; what the store says stays the same."""

    type: Literal["memory.moved_to_cold"] = "memory.moved_to_cold"
    path: str
    content_sha256: str


class RecalledMemory(Wire):
    """One memory that was put into a session."""

    path: str
    content_sha256: str
    store_id: str = ""


class MemoryRecalled(EventBase):
    """Memories were looked for at a session's start; those found became part of its prompt, as quotations."""

    type: Literal["memory.recalled"] = "memory.recalled"
    memories: tuple[RecalledMemory, ...]
    """Those put in; empty when none was near enough."""
    candidates: tuple[JsonObject, ...] = ()
    """Every candidate: its factors (likeness, confidence, recency ...), score, and why it was left out."""
    query_sha256: str = ""
    tokens: int = 0
    """Tokens they add to the prompt."""
