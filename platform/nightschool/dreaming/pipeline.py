"""A dream from start to end: read, learn, write a new store. Killed anywhere, it ends as if it had not been.

Every id follows from what the dream reads, so doing it again finds its own first start: the time that
counts is the one written down then. The input store is only read; nothing recalls from the output before it
is adopted.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal

from nightschool.core.clock import Clock
from nightschool.core.errors import NightschoolError, StoreError
from nightschool.core.ids import IdSource, derived_id
from nightschool.dreaming.consolidate import Plan, consolidate
from nightschool.dreaming.episode import Episode
from nightschool.dreaming.lifecycle import Lifetimes, aged, outcomes_of
from nightschool.dreaming.mine import Findings, mine
from nightschool.dreaming.proposal import Proposal, proposals_of
from nightschool.dreaming.remembered import statement_memories
from nightschool.dreaming.rules import Rules
from nightschool.dreaming.select import read_episodes, select
from nightschool.dreaming.shelf import Shelf
from nightschool.dreaming.wording import Wording, reworded, wordings_of
from nightschool.dreaming.wording_step import WordingStep, Writer
from nightschool.events.base import EventBase
from nightschool.events.dream import DreamCompleted, DreamCreated, DreamFailed, DreamWorded
from nightschool.events.memory import MemoryCreated, MemoryStoreCreated
from nightschool.journal.journal import Journal
from nightschool.memory.heads import Heads
from nightschool.memory.memory import ATTRIBUTES, MAX_MEMORIES, Memory, State
from nightschool.memory.store import MemoryStore
from nightschool.memory.texts import Texts
from nightschool.memory.versions import hash_of

__all__ = ["DreamResult", "Dreamer", "Mode", "learn"]

Mode = Literal["incremental", "rebuild"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DreamResult:
    """What a dream came to."""

    dream_id: str
    completed: DreamCompleted
    findings: Findings
    plan: Plan
    worded: DreamWorded | None = None
    """What a model put into words, and what of that was dropped; None when none was asked."""
    is_earlier: bool = False
    """Nothing has come in since that dream: this is what it came to, not another dream of the same."""


def learn(
    present: dict[str, Memory],
    episodes: Sequence[Episode],
    rules: Rules,
    *,
    now: datetime,
    lifetimes: Lifetimes,
    word: Callable[[Sequence[Proposal]], Sequence[Wording]] = lambda _: (),
) -> tuple[Findings, Plan]:
    """Return what episodes show and the store as it would be; pure but for ``word``.

    Args:
        present: the store's memories by path.
        episodes: all that is known.
        rules: what has to be shown.
        now: the dream's time.
        lifetimes: how long memories live.
        word: puts findings into other words; what earlier dreams put into words is kept by itself.
    """
    findings = mine(episodes, rules)
    plain = [*proposals_of(findings, rules), *statement_memories(findings.episodes, rules)]
    proposals = reworded(plain, [*wordings_of(present), *word(plain)])
    outcomes = outcomes_of(findings.episodes)
    return findings, consolidate(present, proposals, outcomes, now=now, lifetimes=lifetimes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dreamer:
    """Dreams for one store."""

    journal: Journal
    clock: Clock
    ids: IdSource
    rules: Rules
    name: str
    tenant: str = ""
    lifetimes: Lifetimes = field(default_factory=Lifetimes)
    writer: Writer | None = None
    """Puts findings into words; None: they say themselves."""

    def dream(
        self,
        *,
        mode: Mode = "incremental",
        session_ids: Sequence[str] = (),
        source: str | None = None,
    ) -> DreamResult:
        """Read what is new (all of it in a rebuild), and write the store that follows from it.

        Args:
            mode: ``incremental`` reads sessions since the last dream, ``rebuild`` the whole log.
            session_ids: only these sessions are new.
            source: only sessions from here.

        Raises:
            NotFound: a named session does not exist.
            StoreError: the log could not take the result; doing it again goes on from there.
            ModelError: the model that words findings could not be asked; likewise.
        """
        shelf = Shelf(journal=self.journal, clock=self.clock, name=self.name)
        created, is_earlier = self._begin(shelf, mode, session_ids, source)
        try:
            result = self._dream(shelf, created, created.mode, named=bool(session_ids), source=source)
        except NightschoolError as error:
            self._note_failure(created, error)
            raise
        return replace(result, is_earlier=is_earlier)

    def _dream(
        self, shelf: Shelf, created: DreamCreated, mode: Mode, *, named: bool, source: str | None
    ) -> DreamResult:
        shelf_episodes = shelf.episodes() if mode == "incremental" else []
        episodes = self._read(created, source)
        shelf.put(episodes)
        fresh = {episode.session_id for episode in episodes}
        known = [*episodes, *(each for each in shelf_episodes if each.session_id not in fresh)]
        if mode == "rebuild":
            shelf.forget([each.session_id for each in shelf.episodes() if each.session_id not in fresh])
        now = created.processed_at or self.clock.now()
        present = self._input(created.input_store_id)
        step = WordingStep(
            journal=self.journal, clock=self.clock, dream_id=_dream_of(created), tenant=self.tenant
        )
        findings, plan = learn(
            present,
            known,
            self.rules,
            now=now,
            lifetimes=self.lifetimes,
            word=lambda found: () if self.writer is None else step.take(self.writer, found, present),
        )
        completed = self._finish(created, findings, plan, len(episodes))
        if not named and source is None:
            shelf.advance(created.watermark)
        return DreamResult(
            dream_id=_dream_of(created),
            completed=completed,
            findings=findings,
            plan=plan,
            worded=step.told(),
        )

    def _note_failure(self, created: DreamCreated, error: NightschoolError) -> None:
        """Write down why a dream ended without a result; where the store itself failed, that cannot be."""
        dream_id = _dream_of(created)
        failed = DreamFailed(
            id=self.ids.new("event"),
            processed_at=self.clock.now(),
            error={"type": error.code, "message": error.message},
        )
        with contextlib.suppress(StoreError):
            self.journal.append(dream_id, [failed], epoch=max(1, self.journal.epoch(dream_id)))

    def _begin(
        self, shelf: Shelf, mode: Mode, session_ids: Sequence[str], source: str | None
    ) -> tuple[DreamCreated, bool]:
        """Return the dream's beginning, and whether it is that of one that ended before."""
        after = 0 if mode == "rebuild" or session_ids or source else shelf.watermark()
        selection = select(self.journal, after=after, session_ids=session_ids)
        head = Heads(journal=self.journal, clock=self.clock).get(self.name)
        known = {each.session_id for each in shelf.episodes()} if mode == "rebuild" else ()
        sessions = sorted({*selection.session_ids} | {each for each in known if self.journal.epoch(each)})
        present = self._input(head.store_id)
        over = _over(present, self.clock.now(), self.lifetimes)
        read = (head.store_id, hash_of(present.values()), *over)
        if mode == "incremental" and source is None and not sessions:
            earlier = self._earlier(read)
            if earlier is not None:
                return earlier, True
        dream_id = self._id_of((*read, mode, source or ""), sessions)
        created = DreamCreated(
            id=f"{dream_id}.created",
            processed_at=self.clock.now(),
            store=self.name,
            input_store_id=head.store_id,
            rules=self.rules.name,
            mode=mode,
            session_ids=tuple(sessions),
            watermark=selection.watermark,
            tenant=self.tenant,
        )
        (entry, *_) = self.journal.append(dream_id, [created], epoch=max(1, self.journal.epoch(dream_id)))
        assert isinstance(entry.event, DreamCreated)  # noqa: S101  # the first of that id, perhaps an older one
        return entry.event, False

    def _id_of(self, basis: Sequence[str], sessions: Sequence[str]) -> str:
        words = () if self.writer is None else (f"worded by {self.writer.model}",)
        parts = [self.name, *basis, *words, self.tenant, repr(self.rules), *sessions]
        return derived_id("dream", hashlib.sha256("\x1f".join(parts).encode()).hexdigest())

    def _earlier(self, read: Sequence[str]) -> DreamCreated | None:
        """Return the latest dream that ended and read the same store in the same condition, or None."""
        found = []
        for dream_id in self.journal.sessions(prefix="drm_"):
            events = [
                entry.event
                for entry in self.journal.read(dream_id, types=["dream.created", "dream.completed"])
            ]
            created = events[0] if len(events) > 1 else None
            if not isinstance(created, DreamCreated) or not created.session_ids:
                continue
            if self._id_of((*read, created.mode, ""), created.session_ids) == dream_id:
                found.append(created)
        return max(found, key=lambda each: each.watermark, default=None)

    def _read(self, created: DreamCreated, source: str | None) -> list[Episode]:
        texts = Texts(journal=self.journal, clock=self.clock)
        left = [each for each in created.session_ids if self.journal.epoch(each)]
        if not left:
            return []
        selection = select(self.journal, session_ids=left)
        return list(
            read_episodes(
                self.journal, selection, source=source, tenant=self.tenant, memory_text=texts.all().get
            )
        )

    def _input(self, store_id: str) -> dict[str, Memory]:
        store = MemoryStore(journal=self.journal, clock=self.clock, ids=self.ids, store_id=store_id)
        return store.memories() if store.exists else {}

    def _finish(self, created: DreamCreated, findings: Findings, plan: Plan, read: int) -> DreamCompleted:
        dream_id = _dream_of(created)
        output = created.input_store_id
        kept = _within_limit(plan.memories)
        if plan.edits:
            output = derived_id("memory_store", dream_id)
            self._write(created, output, kept)
        completed = DreamCompleted(
            id=f"{dream_id}.completed",
            processed_at=self.clock.now(),
            status=_status(plan, self.rules),
            output_store_id=output,
            store_hash=hash_of(kept.values()),
            counts={**plan.counts, "episodes": read, "memories": len(kept)},
            gates=plan.gates,
            alarms=self._alarms(plan, read, dropped=len(plan.memories) - len(kept)),
            findings={
                "sessions": len(findings.episodes),
                "results": findings.results,
                "labels": findings.labels,
                "disputed": len(findings.disputed),
                "excluded": len(findings.excluded),
                "archived_share": round(plan.archived_share, 4),
            },
        )
        (entry, *_) = self.journal.append(dream_id, [completed], epoch=max(1, self.journal.epoch(dream_id)))
        assert isinstance(entry.event, DreamCompleted)  # noqa: S101  # the first of that id
        return entry.event

    def _write(self, created: DreamCreated, output: str, memories: dict[str, Memory]) -> None:
        """Write the output store, in one append: it is there whole or not at all."""
        dream_id = _dream_of(created)
        texts = Texts(journal=self.journal, clock=self.clock)
        kept = texts.all()
        texts.put_all(
            memory.text
            for _, memory in sorted(memories.items())
            if not memory.is_redacted
            and not (memory.attributes.state is State.COLD and memory.sha256 in kept)
        )
        events: list[EventBase] = [
            MemoryStoreCreated(
                id=f"{output}.created",
                processed_at=created.processed_at,
                name=self.name,
                dream_id=dream_id,
                input_store_id=created.input_store_id,
                tenant=self.tenant,
            )
        ]
        events += [
            MemoryCreated(
                id=derived_id("event", output, path),
                processed_at=created.processed_at,
                path=path,
                content_sha256=memory.sha256,
                content_bytes=len(memory.text.encode()),
                attributes=ATTRIBUTES.dump_python(memory.attributes, mode="json", exclude_defaults=True),
                actor="dream",
                dream_id=dream_id,
            )
            for path, memory in sorted(memories.items())
        ]
        self.journal.append(output, events, epoch=max(1, self.journal.epoch(output)))

    def _alarms(self, plan: Plan, read: int, *, dropped: int) -> tuple[str, ...]:
        alarms = []
        if read and not plan.edits and self._last_changed_nothing():
            alarms.append("new sessions changed nothing, twice running: look at the gates")
        if dropped:
            alarms.append(f"the store is full: {dropped} memories that are not recalled were left out")
        return tuple(alarms)

    def _last_changed_nothing(self) -> bool:
        found = [
            entry.event
            for dream_id in self.journal.sessions(prefix="drm_")
            for entry in self.journal.read(dream_id, types=["dream.created", "dream.completed"])
        ]
        ours = {
            each.id.partition(".")[0]
            for each in found
            if isinstance(each, DreamCreated) and each.store == self.name
        }
        done = [
            each for each in found if isinstance(each, DreamCompleted) and each.id.partition(".")[0] in ours
        ]
        last = max(done, key=lambda each: str(each.processed_at), default=None)
        return (
            last is not None and last.status == "completed_no_change" and last.counts.get("episodes", 0) > 0
        )


def _dream_of(created: DreamCreated) -> str:
    return created.id.partition(".")[0]


def _over(memories: Mapping[str, Memory], now: datetime, lifetimes: Lifetimes) -> list[str]:
    """Return the paths of memories whose time is over, each with what becomes of it."""
    aged_now = {path: aged(memory.attributes, now, lifetimes) for path, memory in sorted(memories.items())}
    return [
        f"{path} {'purged' if known is None else known.state}"
        for path, known in aged_now.items()
        if known is None or known.state is not memories[path].attributes.state
    ]


def _status(plan: Plan, rules: Rules) -> Literal["completed", "completed_no_change", "held"]:
    if not plan.edits:
        return "completed_no_change"
    return "held" if plan.archived_share > rules.max_archived_share else "completed"


def _within_limit(memories: dict[str, Memory]) -> dict[str, Memory]:
    """Return memories without the least of those that nobody recalls, when there are too many."""
    if len(memories) <= MAX_MEMORIES:
        return memories
    ranked = sorted(
        memories.values(),
        key=lambda each: (each.attributes.state is not State.ACTIVE, -each.attributes.confidence, each.path),
    )
    return {memory.path: memory for memory in ranked[:MAX_MEMORIES]}
