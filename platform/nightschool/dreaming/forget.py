"""A deleted session leaves nothing behind: neither its episode nor what was learnt from it alone.

Knows nothing about the session's own events: whoever deletes a session deletes those.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from nightschool.core.clock import Clock
from nightschool.core.ids import IdSource
from nightschool.dreaming.shelf import Shelf
from nightschool.journal.journal import Journal
from nightschool.memory.heads import DEFAULT_NAME, Heads
from nightschool.memory.memory import Attributes, Kind, Memory
from nightschool.memory.store import MemoryStore

__all__ = ["Forgotten", "forget_sessions"]

_ACTOR = "deletion"


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """What went with the sessions."""

    episodes: int
    removed: int
    """Memories that went back to these sessions only; their texts are gone from every version."""
    weakened: int
    """Memories that lost some of their evidence."""


def forget_sessions(
    journal: Journal, session_ids: Collection[str], *, clock: Clock, ids: IdSource
) -> Forgotten:
    """Remove all that was learnt from sessions, in every store, recalled from or not. Twice is once."""
    gone = frozenset(session_ids)
    removed = weakened = 0
    names = {DEFAULT_NAME, *Heads(journal=journal, clock=clock).names()}
    for store_id in journal.sessions(prefix="memstore_"):
        store = MemoryStore(journal=journal, clock=clock, ids=ids, store_id=store_id)
        names.add(store.state().name)
        for memory in store.memories().values():
            if memory.attributes.sessions & gone:
                removed, weakened = _forget(store, memory, gone, removed, weakened)
    episodes = sum(Shelf(journal=journal, clock=clock, name=name).forget(gone) for name in sorted(names))
    return Forgotten(episodes=episodes, removed=removed, weakened=weakened)


def _forget(
    store: MemoryStore, memory: Memory, gone: frozenset[str], removed: int, weakened: int
) -> tuple[int, int]:
    left = _without(memory.attributes, gone)
    if left.evidence or left.kind is Kind.NOTE:
        store.write(memory.path, memory.text, left, expected_sha256=memory.sha256, actor=_ACTOR)
        return removed, weakened + 1
    hashes = {version.sha256 for version in store.history(memory.path) if version.text is not None}
    store.delete(memory.path, actor=_ACTOR)
    for sha256 in sorted(hashes):
        store.redact(sha256, actor=_ACTOR, reason="the sessions it came from were deleted")
    return removed + 1, weakened


def _without(known: Attributes, gone: frozenset[str]) -> Attributes:
    return replace(
        known,
        evidence=tuple(each for each in known.evidence if each.session_id not in gone),
        outcomes=tuple(each for each in known.outcomes if each.session_id not in gone),
    )
