"""A memory store: texts at paths, every version kept, changed only on top of what was read.

The store's log (`memstore_...`) says what happened; the texts lie beside it under their hashes, so that one
can be removed for good without rewriting the log. Blocking; async callers go through a worker thread. Knows
nothing about what memories mean.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from nightschool.core.clock import Clock
from nightschool.core.errors import InvalidInput, NotFound, StaleWriter, VersionConflict
from nightschool.core.ids import IdSource
from nightschool.events.base import EventBase
from nightschool.events.memory import (
    MemoryCreated,
    MemoryDeleted,
    MemoryModified,
    MemoryMovedToCold,
    MemoryRedacted,
    MemoryStoreCreated,
)
from nightschool.journal.journal import Journal
from nightschool.memory.memory import (
    ATTRIBUTES,
    MAX_MEMORIES,
    Attributes,
    Memory,
    check_path,
    check_text,
)
from nightschool.memory.texts import Texts
from nightschool.memory.versions import MemoryVersion, StoreState, fold_store, hash_of

__all__ = ["MemoryStore"]

_TRIES: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryStore:
    """One store, by its id."""

    journal: Journal
    clock: Clock
    ids: IdSource
    store_id: str

    def create(self, name: str, *, tenant: str = "") -> None:
        """Begin the store; does nothing when it exists."""
        if not self.journal.epoch(self.store_id):
            created = MemoryStoreCreated(id=f"{self.store_id}.created", name=name, tenant=tenant)
            self._append([created], epoch=1)

    @property
    def exists(self) -> bool:
        """Whether it was created."""
        return self.journal.epoch(self.store_id) > 0

    @property
    def texts(self) -> Texts:
        """The texts, by hash; shared by all stores of the journal."""
        return Texts(journal=self.journal, clock=self.clock)

    @property
    def version(self) -> int:
        """How many events its log has; 0 when there is no such store."""
        return len(self.journal.read(self.store_id))

    def state(self, *, version: int | None = None) -> StoreState:
        """Return what the store holds, or held at a version; what was redacted since is gone from that too.

        Raises:
            NotFound: there is no such store.
        """
        entries = self.journal.read(self.store_id, limit=version)
        if not entries:
            raise NotFound(f"there is no memory store {self.store_id}", store_id=self.store_id)
        return fold_store((entry.event for entry in entries), self.texts.all())

    def memories(self) -> dict[str, Memory]:
        """Return all memories by path, hidden ones too."""
        return self.state().memories

    def memory(self, path: str) -> Memory:
        """Return one memory.

        Raises:
            NotFound: there is none at that path.
        """
        found = self.memories().get(path)
        if found is None:
            raise NotFound(f"there is no memory at {path} in {self.store_id}", path=path)
        return found

    def history(self, path: str) -> Sequence[MemoryVersion]:
        """Return all versions that a path ever had, oldest first; empty for an unknown one."""
        return self.state().versions.get(path, ())

    def hash(self) -> str:
        """Return one hash over all that the store says; equal stores have equal hashes."""
        return hash_of(self.memories().values())

    def write(
        self,
        path: str,
        text: str,
        attributes: Attributes,
        *,
        expected_sha256: str | None = None,
        actor: str = "api",
    ) -> Memory:
        """Write a memory as a new version.

        Args:
            path: where.
            text: what it says.
            attributes: what is known about it.
            expected_sha256: the text it was decided on; "" when there must be none; None to write regardless.
            actor: who writes: api, user, session or dream.

        Raises:
            InvalidInput: the path or text cannot be used, or the store is full.
            VersionConflict: the memory is not what was expected; nothing was written.
        """
        check_path(path)
        check_text(path, text)
        sha256 = self.texts.put(text)

        def decide(state: StoreState) -> list[EventBase]:
            present = state.memories.get(path)
            _require(path, present, expected_sha256)
            if present is None and len(state.memories) >= MAX_MEMORIES:
                raise InvalidInput(
                    f"{self.store_id} holds {MAX_MEMORIES:,} memories, which is the most a store may hold;"
                    " delete some, or use another store"
                )
            kind = MemoryCreated if present is None else MemoryModified
            return [
                kind(
                    id=self.ids.new("event"),
                    path=path,
                    content_sha256=sha256,
                    content_bytes=len(text.encode()),
                    attributes=ATTRIBUTES.dump_python(attributes, mode="json", exclude_defaults=True),
                    actor=actor,
                )
            ]

        return self._change(decide).memories[path]

    def annotate(
        self, path: str, attributes: Attributes, *, expected_sha256: str | None = None, actor: str = "api"
    ) -> None:
        """Change what is known about a memory, as a new version of the same text, be it cold or redacted.

        Raises:
            NotFound: there is none at that path.
            VersionConflict: it is not what was expected.
        """

        def decide(state: StoreState) -> list[EventBase]:
            if path not in state.memories:
                raise NotFound(f"there is no memory at {path} in {self.store_id}", path=path)
            present = state.memories[path]
            _require(path, present, expected_sha256)
            return [
                MemoryModified(
                    id=self.ids.new("event"),
                    path=path,
                    content_sha256=present.sha256,
                    content_bytes=len(present.text.encode()),
                    attributes=ATTRIBUTES.dump_python(attributes, mode="json", exclude_defaults=True),
                    actor=actor,
                )
            ]

        self._change(decide)

    def delete(self, path: str, *, expected_sha256: str | None = None, actor: str = "api") -> None:
        """Take a memory out of the store; its versions stay.

        Raises:
            NotFound: there is none at that path.
            VersionConflict: it is not what was expected.
        """

        def decide(state: StoreState) -> list[EventBase]:
            if path not in state.memories:
                raise NotFound(f"there is no memory at {path} in {self.store_id}", path=path)
            _require(path, state.memories[path], expected_sha256)
            return [MemoryDeleted(id=self.ids.new("event"), path=path, actor=actor)]

        self._change(decide)

    def redact(self, sha256: str, *, actor: str = "api", reason: str = "") -> list[str]:
        """Remove a text from everywhere memories are kept; return the paths that said it.

        That there was one stays on record. Sessions it was recalled into keep it in their own log.
        """
        state = self.state()
        paths = [path for path, all_of in state.versions.items() if any(v.sha256 == sha256 for v in all_of)]
        if not paths:
            raise NotFound(f"no version in {self.store_id} has the hash {sha256}", sha256=sha256)
        self.texts.remove(sha256)
        event = MemoryRedacted(id=self.ids.new("event"), content_sha256=sha256, actor=actor, reason=reason)
        self._change(lambda _: [event])
        return paths

    def note(self, events: Sequence[MemoryMovedToCold | MemoryRedacted | MemoryDeleted]) -> None:
        """Put on record what became of texts, and of memories that went with theirs. Twice is once."""
        self._change(lambda _: events)

    def _change(self, decide: Callable[[StoreState], Iterable[EventBase]]) -> StoreState:
        """Decide on the present state and append, again when somebody else was faster."""
        for _ in range(_TRIES):
            epoch = self._take_over()
            events = list(decide(self.state()))
            try:
                self._append(events, epoch=epoch)
            except StaleWriter:
                continue
            return self.state()
        raise VersionConflict(f"{self.store_id} is changed by others all the time; try again")

    def _take_over(self) -> int:
        if not self.exists:
            raise NotFound(f"there is no memory store {self.store_id}", store_id=self.store_id)
        return self.journal.raise_epoch(self.store_id)

    def _append(self, events: Sequence[EventBase], *, epoch: int) -> None:
        now: datetime = self.clock.now()
        stamped = [event.model_copy(update={"processed_at": event.processed_at or now}) for event in events]
        self.journal.append(self.store_id, stamped, epoch=epoch)


def _require(path: str, present: Memory | None, expected: str | None) -> None:
    if expected is None or expected == ("" if present is None else present.sha256):
        return
    now = "there is one" if present is not None and not expected else "it says something else by now"
    if present is None:
        now = "there is none"
    raise VersionConflict(
        f"memory {path} was to be written on top of another text, but {now}; read it, decide again,"
        " then write",
        path=path,
        expected=expected,
        present=None if present is None else present.sha256,
    )
