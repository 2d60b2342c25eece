"""A deleted session leaves nothing behind: neither its episode nor what was learnt from it alone.

Knows nothing about the session's own events: whoever deletes a session deletes those.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from nightschool.core.clock import Clock
from nightschool.core.ids import IdSource
from nightschool.dreaming.shelf import Shelf
from nightschool.journal.journal import Journal
from nightschool.memory.heads import DEFAULT_NAME, Heads
from nightschool.memory.memory import Attributes, Kind
from nightschool.memory.store import MemoryStore
from nightschool.memory.versions import StoreState

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
    stores = [
        MemoryStore(journal=journal, clock=clock, ids=ids, store_id=store_id)
        for store_id in journal.sessions(prefix="memstore_")
    ]
    states = [store.state() for store in stores]
    names = {DEFAULT_NAME, *Heads(journal=journal, clock=clock).names(), *(each.name for each in states)}
    left = _left(states, gone)
    found = [_forget(store, state, gone, left) for store, state in zip(stores, states, strict=True)]
    return Forgotten(
        episodes=sum(Shelf(journal=journal, clock=clock, name=name).forget(gone) for name in sorted(names)),
        removed=sum(removed for removed, _ in found),
        weakened=sum(weakened for _, weakened in found),
    )


def _left(states: Iterable[StoreState], gone: frozenset[str]) -> set[str]:
    """Return the hashes of texts that a memory says which goes back to something else as well."""
    return {
        memory.sha256
        for state in states
        for memory in state.memories.values()
        if not memory.attributes.sessions & gone or _is_supported(_without(memory.attributes, gone))
    }


def _forget(store: MemoryStore, state: StoreState, gone: frozenset[str], left: set[str]) -> tuple[int, int]:
    """Return how many memories of one store are gone, and how many lost some of their evidence."""
    removed = weakened = 0
    for memory in state.memories.values():
        if not memory.attributes.sessions & gone:
            continue
        known = _without(memory.attributes, gone)
        if _is_supported(known):
            store.annotate(memory.path, known, expected_sha256=memory.sha256, actor=_ACTOR)
            weakened += 1
            continue
        # The text first: after a kill in between, the memory is still there to be found again.
        said = {each.sha256 for each in state.versions[memory.path] if each.text is not None}
        for sha256 in sorted(said - left):
            store.redact(sha256, actor=_ACTOR, reason="the sessions it came from were deleted")
        store.delete(memory.path, actor=_ACTOR)
        removed += 1
    return removed, weakened


def _is_supported(known: Attributes) -> bool:
    return bool(known.evidence) or known.kind is Kind.NOTE


def _without(known: Attributes, gone: frozenset[str]) -> Attributes:
    return replace(
        known,
        evidence=tuple(each for each in known.evidence if each.session_id not in gone),
        outcomes=tuple(each for each in known.outcomes if each.session_id not in gone),
    )
