"""What a store's events add up to: its memories, and every version each of them had. Pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from nightschool.events.base import EventBase
from nightschool.events.memory import (
    MemoryCreated,
    MemoryDeleted,
    MemoryModified,
    MemoryRedacted,
    MemoryStoreCreated,
)
from nightschool.memory.memory import ATTRIBUTES, Memory, parse_attributes

__all__ = ["MemoryVersion", "StoreState", "fold_store", "hash_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryVersion:
    """One change of one path, forever as it was; only a redacted text is gone."""

    event_id: str
    path: str
    operation: str
    """created, modified or deleted."""
    number: int
    sha256: str
    text: str | None
    """None for a deletion, and where the text was redacted."""
    at: datetime | None
    actor: str
    dream_id: str | None
    memory: Memory | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreState:
    """A store at one moment."""

    name: str
    tenant: str
    dream_id: str | None
    input_store_id: str | None
    memories: dict[str, Memory]
    versions: dict[str, tuple[MemoryVersion, ...]]


def fold_store(events: Iterable[EventBase], texts: Mapping[str, str]) -> StoreState:
    """Return what a store's events, in order, add up to.

    Args:
        events: of one store.
        texts: every text that is still kept, by hash.
    """
    created = MemoryStoreCreated(id="", name="")
    versions: dict[str, list[MemoryVersion]] = {}
    memories: dict[str, Memory] = {}
    for event in events:
        match event:
            case MemoryStoreCreated():
                created = event
            case MemoryCreated() | MemoryModified():
                memory = _memory(event, texts, 1 + len(versions.get(event.path, ())))
                memories[event.path] = memory
                versions.setdefault(event.path, []).append(_written(event, memory))
            case MemoryDeleted():
                memories.pop(event.path, None)
                versions.setdefault(event.path, []).append(_deleted(event, len(versions[event.path]) + 1))
            case MemoryRedacted() | _:
                continue
    return StoreState(
        name=created.name,
        tenant=created.tenant,
        dream_id=created.dream_id,
        input_store_id=created.input_store_id,
        memories=memories,
        versions={path: tuple(all_of) for path, all_of in versions.items()},
    )


def _memory(event: MemoryCreated | MemoryModified, texts: Mapping[str, str], number: int) -> Memory:
    text = texts.get(event.content_sha256)
    return Memory(
        path=event.path,
        text=text or "",
        attributes=parse_attributes(event.attributes),
        sha256=event.content_sha256,
        version=number,
        dream_id=event.dream_id,
        is_redacted=text is None,
    )


def _written(event: MemoryCreated | MemoryModified, memory: Memory) -> MemoryVersion:
    return MemoryVersion(
        event_id=event.id,
        path=event.path,
        operation=event.type.rpartition(".")[2],
        number=memory.version,
        sha256=event.content_sha256,
        text=None if memory.is_redacted else memory.text,
        at=event.processed_at,
        actor=event.actor,
        dream_id=event.dream_id,
        memory=memory,
    )


def _deleted(event: MemoryDeleted, number: int) -> MemoryVersion:
    return MemoryVersion(
        event_id=event.id,
        path=event.path,
        operation="deleted",
        number=number,
        sha256="",
        text=None,
        at=event.processed_at,
        actor=event.actor,
        dream_id=event.dream_id,
        memory=None,
    )


def hash_of(memories: Iterable[Memory]) -> str:
    """Return one hash over memories: their paths, texts and attributes, in any order."""
    lines = sorted(
        json.dumps(
            [
                each.path,
                each.sha256,
                ATTRIBUTES.dump_python(each.attributes, mode="json", exclude_defaults=True),
            ],
            sort_keys=True,
        )
        for each in memories
    )
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()
