"""Memories for one document: recalled by its sections, put into the prompts of its review, noted in the log.

For the document as a whole, or for each task of a plan by that task's own sections. Knows nothing about how
work is routed: a review carries what it was given, and whichever agents work on it get that.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from nightschool.bootstrap import Workspace
from nightschool.core.errors import NotFound
from nightschool.core.ids import derived_id
from nightschool.events.memory import MemoryRecalled, RecalledMemory
from nightschool.experiments.arms import Arm
from nightschool.experiments.design import FrozenStore
from nightschool.memory.heads import Heads
from nightschool.memory.index import Embedder
from nightschool.memory.recall import Query, Recaller, RecallRules, Recollection
from nightschool.memory.render import render
from nightschool.memory.store import MemoryStore
from nightschool.memory.versions import hash_of
from nightschool.orchestration.review import Given, Review
from nightschool.sandbox.documents import Document, Section

_STORE_IDS = "memstore_"

__all__ = ["Remembered", "changed_stores", "freeze", "given", "recall_for", "remembered"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """The memories of an arm, as they were when its experiment was declared."""

    recaller: Recaller
    store_id: str
    now: datetime
    """Recency and expiry are told by it, so that a trial done again recalls the same."""

    def given_to(self, review: Review) -> Review:
        """Return the review with what is recalled for its document, or with what recalls for each task."""
        if review.setup.recalls_by_task:
            return replace(review, task_memory=_ByTask(remembered=self, document=review.document))
        recalled = _recall(self.recaller, review.document.sections, self.now)
        return given(review, recalled, store_id=self.store_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class _ByTask:
    """Recalls for the sections of one task; an instance is a `TaskMemory`."""

    remembered: Remembered
    document: Document

    def for_task(self, session_id: str, sections: Collection[str]) -> Given:
        own = [section for section in self.document.sections if section.number in sections]
        recalled = _recall(self.remembered.recaller, own, self.remembered.now)
        return _given(session_id, recalled, self.remembered.store_id)


def given(review: Review, recalled: Recollection, *, store_id: str = "") -> Review:
    """Return a review that was given memories: quoted in its agents' prompts, noted in its root session.

    The note is what a later dream judges the memories by.
    """
    memories, notes = _given(review.root_session_id, recalled, store_id)
    return replace(review, memories=memories, notes=notes)


def _given(session_id: str, recalled: Recollection, store_id: str) -> Given:
    noted = MemoryRecalled(
        id=derived_id("event", session_id, "recalled"),
        memories=tuple(
            RecalledMemory(path=each.memory.path, content_sha256=each.memory.sha256, store_id=store_id)
            for each in recalled.chosen
        ),
        candidates=tuple(each.as_facts() for each in recalled.considered),
        tokens=recalled.tokens,
    )
    return Given(memories=render(each.memory for each in recalled.chosen), notes=(noted,))


def recall_for(
    workspace: Workspace, store_name: str, document: Document, embedder: Embedder, top_k: int | None = None
) -> Recollection:
    """Return what a store has to say about a document now.

    Raises:
        NotFound: there is no such store yet.
    """
    memories = _store(workspace, store_name).memories()
    recaller = Recaller.over(memories, embedder, _rules(top_k))
    return _recall(recaller, document.sections, workspace.clock.now())


def freeze(workspace: Workspace, arm: Arm) -> FrozenStore | None:
    """Return which version of its store an arm recalls from; None for an arm without memory.

    Raises:
        NotFound: there is no such store yet.
    """
    if arm.memory is None:
        return None
    try:
        store = _store(workspace, arm.memory)
    except NotFound as error:
        raise NotFound(f"arm `{arm.name}`: {error.message}", store=arm.memory) from error
    version = store.version
    memories = store.state(version=version).memories
    return FrozenStore(
        store=arm.memory,
        store_id=store.store_id,
        version=version,
        sha256=hash_of(memories.values()),
        memories=sum(memory.is_recallable for memory in memories.values()),
        top_k=arm.top_k,
    )


def remembered(workspace: Workspace, frozen: FrozenStore, embedder: Embedder, now: datetime) -> Remembered:
    """Return what an arm recalls from: the version that was declared, whatever was written since.

    Raises:
        NotFound: there is no such store.
    """
    memories = _by_id(workspace, frozen.store_id).state(version=frozen.version).memories
    recaller = Recaller.over(memories, embedder, _rules(frozen.top_k))
    return Remembered(recaller=recaller, store_id=frozen.store_id, now=now)


def changed_stores(workspace: Workspace, declared: Mapping[str, FrozenStore]) -> list[str]:
    """Say which arms' memories can no longer be read as they were declared."""
    return [
        f"the memories of arm `{arm}` are not what they were: one was redacted, or the store is gone"
        for arm, frozen in declared.items()
        if not _is_intact(_by_id(workspace, frozen.store_id), frozen)
    ]


def _is_intact(store: MemoryStore, frozen: FrozenStore) -> bool:
    if not store.exists:
        return False
    memories = store.state(version=frozen.version).memories.values()
    recallable = sum(memory.is_recallable for memory in memories)
    return (hash_of(memories), recallable) == (frozen.sha256, frozen.memories)


def _recall(recaller: Recaller, sections: Iterable[Section], now: datetime) -> Recollection:
    queries = [Query(text=section.text) for section in sections if section.text.strip()]
    return recaller.recall_for_parts(queries, now=now)


def _rules(top_k: int | None) -> RecallRules:
    return RecallRules() if top_k is None else RecallRules(base_count=top_k, max_count=top_k)


def _store(workspace: Workspace, name: str) -> MemoryStore:
    """Return the store that a name stands for now, or the one with that id."""
    heads = Heads(journal=workspace.journal, clock=workspace.clock)
    is_id = name.startswith(_STORE_IDS)
    store = _by_id(workspace, name if is_id else heads.get(name).store_id)
    if not store.exists:
        raise NotFound(
            f"there is no memory store {name!r} yet; `nightschool dream` makes one, `memory write` too"
        )
    return store


def _by_id(workspace: Workspace, store_id: str) -> MemoryStore:
    return MemoryStore(journal=workspace.journal, clock=workspace.clock, ids=workspace.ids, store_id=store_id)
