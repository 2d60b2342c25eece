"""Which texts of memories lie in the journal, which in cold storage, and which are gone for good.

Moving a text changes nothing that a store says, neither its versions nor its hash; purging takes the memory
out as well. Each step leaves a text in one place at least, and doing all of it again ends in the same, so
that it can be killed anywhere. Knows nothing about how memories come to be cold (`lifecycle`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final, TypeAlias

from nightschool.core.clock import Clock
from nightschool.core.ids import IdSource, derived_id
from nightschool.dreaming.lifecycle import Lifetimes, aged
from nightschool.events.memory import MemoryDeleted, MemoryMovedToCold, MemoryRedacted
from nightschool.journal.journal import Journal
from nightschool.memory.cold import ColdText
from nightschool.memory.heads import DEFAULT_NAME, Heads
from nightschool.memory.memory import Attributes, State
from nightschool.memory.store import MemoryStore
from nightschool.memory.texts import Texts
from nightschool.memory.versions import StoreState, fold_store

__all__ = ["Moved", "Place", "Saying", "Standing", "place_of", "store_cold"]

_ACTOR: Final = "lifecycle"

_Noted: TypeAlias = tuple[str, MemoryMovedToCold | MemoryRedacted | MemoryDeleted]
"""A store, and what its log is to say."""


class Place(StrEnum):
    """Where a text belongs."""

    JOURNAL = "journal"
    COLD = "cold"
    GONE = "gone"


class Standing(StrEnum):
    """What a store is to those who recall."""

    HEAD = "head"
    """A name stands for it."""
    NEXT = "next"
    """Made from such a one; it may be adopted yet."""
    PAST = "past"


@dataclass(frozen=True, slots=True, kw_only=True)
class Saying:
    """One version of one memory, which says a text."""

    sha256: str
    store_id: str
    event_id: str
    path: str
    attributes: Attributes
    standing: Standing
    """That of its store; past for a version that another one took the place of."""
    at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """What a step did, in texts."""

    to_cold: int = 0
    back: int = 0
    purged: int = 0


def place_of(sayings: Sequence[Saying], now: datetime, lifetimes: Lifetimes) -> Place:
    """Return where a text belongs, from all that ever said it, the earliest first. Pure.

    What sessions may recall from decides; where nothing of that says it any longer, the last that did.
    """
    heads = [each for each in sayings if each.standing is Standing.HEAD]
    deciding = [each for each in sayings if each.standing is not Standing.PAST] or [sayings[-1]]
    if any(each.attributes.state is not State.COLD for each in heads):
        return Place.JOURNAL
    if all(aged(each.attributes, now, lifetimes) is None for each in deciding):
        return Place.GONE
    is_cold = all(each.attributes.state is State.COLD for each in heads or deciding)
    return Place.COLD if is_cold else Place.JOURNAL


def store_cold(journal: Journal, *, clock: Clock, ids: IdSource, lifetimes: Lifetimes) -> Moved:
    """Move texts of cold memories out of the journal, needed ones back, and purge those whose time is over.

    A text is purged from cold storage only: one that somebody is about to say again is in the journal.

    Raises:
        StoreBusy: somebody else is at it for too long.
        StoreCorrupt: cold storage is not what was written; nothing was changed.
        StoreUnwritable: cold storage cannot be written; nothing was moved.
    """
    sayings = _sayings(journal, clock)
    texts = Texts(journal=journal, clock=clock)
    if not texts.cold.path.exists() and all(
        each.attributes.state is not State.COLD for all_of in sayings.values() for each in all_of
    ):
        return Moved()
    with texts.cold.held():
        live, cold = texts.live(), texts.cold.rows()
        places = {sha256: place_of(all_of, clock.now(), lifetimes) for sha256, all_of in sayings.items()}
        leaving = [sha256 for sha256 in live if places.get(sha256, Place.JOURNAL) is not Place.JOURNAL]
        back = [sha256 for sha256 in cold if places.get(sha256) is Place.JOURNAL]
        purged = [sha256 for sha256 in cold if places.get(sha256) is Place.GONE and sha256 not in live]
        texts.put_all(cold[sha256].text for sha256 in back)
        why = f"it was in cold storage for {lifetimes.cold_days} days"
        _note(journal, clock, ids, _purges(sayings, purged, why))
        after = {sha256: row for sha256, row in cold.items() if sha256 not in {*back, *purged}}
        after |= {
            sha256: _row(sayings[sha256], live[sha256], clock.now())
            for sha256 in leaving
            if sha256 not in cold
        }
        if after != cold:
            texts.cold.replace(after.values())
        _note(journal, clock, ids, _moves(sayings, leaving))
        for sha256 in leaving:
            texts.remove_live(sha256)
    return Moved(to_cold=len(leaving), back=len(back), purged=len(purged))


def _moves(sayings: Mapping[str, Sequence[Saying]], hashes: Collection[str]) -> Iterable[_Noted]:
    for said in (_last(sayings[sha256]) for sha256 in sorted(hashes)):
        yield (
            said.store_id,
            MemoryMovedToCold(id=_id_of(said, "cold"), path=said.path, content_sha256=said.sha256),
        )


def _purges(
    sayings: Mapping[str, Sequence[Saying]], hashes: Collection[str], reason: str
) -> Iterable[_Noted]:
    """The text is gone from every version, the memory from what is recalled from: it can be learnt anew."""
    for sha256 in sorted(hashes):
        last = _last(sayings[sha256])
        redacted = MemoryRedacted(
            id=_id_of(last, "purged"), content_sha256=sha256, actor=_ACTOR, reason=reason
        )
        yield last.store_id, redacted
        for said in sayings[sha256]:
            if said.standing is Standing.HEAD:
                deleted = MemoryDeleted(id=_id_of(said, "deleted"), path=said.path, actor=_ACTOR)
                yield said.store_id, deleted


def _note(journal: Journal, clock: Clock, ids: IdSource, noted: Iterable[_Noted]) -> None:
    by_store: dict[str, list[MemoryMovedToCold | MemoryRedacted | MemoryDeleted]] = defaultdict(list)
    for store_id, event in noted:
        by_store[store_id].append(event)
    for store_id, events in sorted(by_store.items()):
        MemoryStore(journal=journal, clock=clock, ids=ids, store_id=store_id).note(events)


def _id_of(said: Saying, what: str) -> str:
    return derived_id("event", said.event_id, said.sha256, what)


def _last(sayings: Sequence[Saying]) -> Saying:
    """Return the one that is recalled from, or else the last."""
    return next((each for each in sayings if each.standing is Standing.HEAD), sayings[-1])


def _row(sayings: Sequence[Saying], text: str, now: datetime) -> ColdText:
    said = _last(sayings)
    return ColdText(sha256=said.sha256, text=text, path=said.path, store_id=said.store_id, moved_at=now)


def _sayings(journal: Journal, clock: Clock) -> dict[str, list[Saying]]:
    """Return everything that any store ever said, by the text's hash, the earliest first."""
    stores = {
        store_id: fold_store((entry.event for entry in journal.read(store_id)), {})
        for store_id in journal.sessions(prefix="memstore_")
    }
    heads = Heads(journal=journal, clock=clock)
    names = {DEFAULT_NAME, *heads.names(), *(state.name for state in stores.values())}
    current = {heads.get(name).store_id for name in names}
    found = [said for store_id, state in stores.items() for said in _said_in(store_id, state, current)]
    by_text: dict[str, list[Saying]] = defaultdict(list)
    for said in sorted(found, key=lambda each: each.at):
        by_text[said.sha256].append(said)
    return by_text


def _said_in(store_id: str, state: StoreState, current: Collection[str]) -> Iterable[Saying]:
    standing = Standing.PAST
    if store_id in current:
        standing = Standing.HEAD
    elif state.input_store_id in current:
        standing = Standing.NEXT
    for path, versions in state.versions.items():
        for version in versions:
            if version.memory is not None:
                is_last = version is versions[-1]
                yield Saying(
                    sha256=version.sha256,
                    store_id=store_id,
                    event_id=version.event_id,
                    path=path,
                    attributes=version.memory.attributes,
                    standing=standing if is_last else Standing.PAST,
                    at=version.at.isoformat() if version.at else "",
                )
