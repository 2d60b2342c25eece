"""From a dream's result to what sessions recall: a step of its own, checked first, taken back in one move.

Knows nothing about how dreams come to their results. Moving a name is all that adoption does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from nightschool.core.clock import Clock
from nightschool.core.errors import InvalidInput, NotFound, VersionConflict
from nightschool.core.ids import IdSource, derived_id
from nightschool.dreaming.drift import DriftLimits, avoidance, drift_checks
from nightschool.dreaming.redact import has_secret
from nightschool.dreaming.shortcuts import new_shortcuts
from nightschool.events.base import EventBase
from nightschool.events.dream import (
    DreamAdopted,
    DreamCompleted,
    DreamCreated,
    DreamFailed,
    DreamRejected,
    DreamRolledBack,
    DreamTried,
)
from nightschool.journal.journal import Journal
from nightschool.memory.edit import Edit, edits_between
from nightschool.memory.heads import Head, Heads
from nightschool.memory.index import Embedder
from nightschool.memory.memory import Memory
from nightschool.memory.store import MemoryStore

__all__ = ["Adoption", "Dreamt", "regression_checks", "safety_checks", "trial_checks"]

_MORE_AVOIDANCE: Final = 0.1
"""By how much the share of memories that advise to do less may grow in one dream."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dreamt:
    """A dream as its log tells it."""

    dream_id: str
    created: DreamCreated
    completed: DreamCompleted | None
    verdict: EventBase | None
    """The last of adopted, rejected, rolled back; None while nobody decided."""
    tried: DreamTried | None = None
    """What came of the last trial of its store on a suite; None when there was none."""
    failure: DreamFailed | None = None
    """Why it last ended without a result; a dream done again may have one later."""

    @property
    def status(self) -> str:
        """Return where it stands, in a word."""
        if self.verdict is not None:
            return self.verdict.type.partition(".")[2]
        if self.completed is not None:
            return self.completed.status
        return "running" if self.failure is None else "failed"


def safety_checks(before: Mapping[str, Memory], after: Mapping[str, Memory], tenant: str) -> list[str]:
    """Return what speaks against a store being recalled from; empty when nothing does."""
    recalled = [memory for memory in after.values() if memory.is_recallable]
    found = [
        f"{memory.path} comes from a tool and would be recalled"
        for memory in recalled
        if memory.attributes.taint
    ]
    found += [f"{memory.path} looks like a secret" for memory in recalled if has_secret(memory.text)]
    found += [
        f"{memory.path} belongs to another tenant"
        for memory in recalled
        if memory.attributes.tenant != tenant
    ]
    more = avoidance(after) - avoidance(before)
    if before and more > _MORE_AVOIDANCE:
        found.append(f"the share of memories that advise to avoid or hand over grew by {more:.0%}")
    return found + new_shortcuts(before, after)


def regression_checks(before: Mapping[str, Memory], after: Mapping[str, Memory]) -> list[str]:
    """Return the memories that helped when they were used and would be lost without a successor."""
    lost = []
    for path, memory in before.items():
        proved = sum(each.weight if each.passed else -each.weight for each in memory.attributes.outcomes)
        now = after.get(path)
        replaced = now is not None and bool(now.attributes.superseded_by)
        if memory.is_recallable and proved > 0 and not replaced and (now is None or not now.is_recallable):
            lost.append(f"{path} helped when it was used and would no longer be recalled")
    return lost


def trial_checks(dream_id: str, tried: DreamTried | None, suite: str) -> list[str]:
    """Return what a trial on a suite says against a dream; one that is asked for and missing speaks too."""
    if tried is None or (suite and tried.suite != suite):
        missing = f"it was not tried on the suite {suite!r}: `nightschool dream try {dream_id}`"
        return [missing] if suite else []
    told = f"on the suite {tried.suite!r} (experiment {tried.experiment_id})"
    found = [f"{shortcut}, {told}" for shortcut in tried.shortcuts]
    if tried.result in {"regression", "invalid"}:
        found.append(f"the gate says {tried.result} {told}: {tried.reason}")
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Adoption:
    """Decides about the dreams of one journal."""

    journal: Journal
    clock: Clock
    ids: IdSource
    embedder: Embedder | None = None
    """What tells how far a store moved; None: that canary is not watched."""
    limits: DriftLimits = field(default_factory=DriftLimits)
    suite: str = ""
    """A suite that a dream's store has to be tried on before it is adopted; empty for none."""

    def dreams(self) -> list[Dreamt]:
        """Return all dreams, oldest first."""
        return [self.dreamt(dream_id) for dream_id in self.journal.sessions(prefix="drm_")]

    def dreamt(self, dream_id: str) -> Dreamt:
        """Return one dream.

        Raises:
            NotFound: there is none of that id.
        """
        events = [entry.event for entry in self.journal.read(dream_id)]
        if not events or not isinstance(events[0], DreamCreated):
            raise NotFound(
                f"there is no dream {dream_id}; `nightschool dream list` names them", dream_id=dream_id
            )
        completed = next((each for each in events if isinstance(each, DreamCompleted)), None)
        decided = [
            each for each in events if isinstance(each, DreamAdopted | DreamRejected | DreamRolledBack)
        ]
        return Dreamt(
            dream_id=dream_id,
            created=events[0],
            completed=completed,
            verdict=decided[-1] if decided else None,
            tried=next((each for each in reversed(events) if isinstance(each, DreamTried)), None),
            failure=next((each for each in reversed(events) if isinstance(each, DreamFailed)), None),
        )

    def diff(self, dream_id: str) -> list[Edit]:
        """Return what a dream's store changes."""
        return edits_between(*self.stores(dream_id))

    def objections(self, dream_id: str) -> list[str]:
        """Return what speaks against adopting a dream."""
        dream = self.dreamt(dream_id)
        before, after = self.stores(dream_id)
        found = [*safety_checks(before, after, dream.created.tenant), *regression_checks(before, after)]
        found += drift_checks(before, after, self.limits, self.embedder)
        if dream.completed is not None and dream.completed.status == "held":
            share = float(dream.completed.findings.get("archived_share", 0.0))
            found.append(f"{share:.0%} of the memories recalled so far would be recalled no longer")
        return found + trial_checks(dream_id, dream.tried, self.suite)

    def note_trial(self, dream_id: str, **found: Any) -> DreamTried:
        """Write down what came of trying a dream's store on a suite."""
        event = DreamTried(id=self.ids.new("event"), **found)
        self._note(dream_id, event)
        return event

    def adopt(self, dream_id: str, *, approved: bool = False, approved_by: str = "user") -> Head:
        """Let sessions recall from a dream's store.

        Args:
            dream_id: the dream.
            approved: adopt in spite of objections.
            approved_by: user or auto.

        Raises:
            InvalidInput: it is not completed, changed nothing, was decided already, or is objected to.
            VersionConflict: the name stands for another store by now; dream again.
        """
        dream = self.dreamt(dream_id)
        completed = self.undecided(dream)
        objections = self.objections(dream_id)
        if objections and not approved:
            raise InvalidInput(
                f"dream {dream_id} is held: {'; '.join(objections)}. Look at it with `nightschool dream diff"
                f" {dream_id}`, then adopt it with --approve or reject it.",
                objections=objections,
            )
        heads = Heads(journal=self.journal, clock=self.clock)
        head = heads.get(dream.created.store)
        if head.store_id != completed.output_store_id:  # a kill between moving and noting leaves it moved
            if head.store_id != dream.created.input_store_id:
                raise VersionConflict(
                    f"since dream {dream_id} the store {head.name!r} was changed by another adoption;"
                    " dream again"
                )
            head = heads.move(head, completed.output_store_id)
        self._note(
            dream_id,
            DreamAdopted(
                id=self.ids.new("event"),
                store=head.name,
                output_store_id=head.store_id,
                approved_by=approved_by,
            ),
        )
        return head

    def adopt_unless_objected(self, dream_id: str) -> bool:
        """Adopt a dream that nobody decided about and nothing speaks against; return whether it was."""
        dream = self.dreamt(dream_id)
        if dream.status != "completed" or self.objections(dream_id):
            return False
        self.adopt(dream_id, approved_by="auto")
        return True

    def reject(self, dream_id: str, reason: str = "") -> None:
        """Note that a dream's result is not wanted.

        Raises:
            InvalidInput: it was decided already.
        """
        self.undecided(self.dreamt(dream_id))
        self._note(dream_id, DreamRejected(id=self.ids.new("event"), reason=reason))

    def roll_back(self, name: str) -> Head:
        """Let a name stand for the store before its last adoption.

        Raises:
            InvalidInput: there was none.
        """
        heads = Heads(journal=self.journal, clock=self.clock)
        head = heads.get(name)
        # Noted first: a kill in between leaves a move to be done again, not a second store to be lost.
        for dream in self.dreams() if head.previous else ():
            if dream.completed is not None and dream.completed.output_store_id == head.store_id:
                event = DreamRolledBack(
                    id=derived_id("event", dream.dream_id, "rolled_back", head.version),
                    store=name,
                    restored_store_id=head.previous[-1],
                )
                self._note(dream.dream_id, event)
        return heads.move_back(head)

    def undecided(self, dream: Dreamt) -> DreamCompleted:
        """Return what a dream came to that nobody has decided about yet.

        Raises:
            InvalidInput: it is not finished, changed nothing, or was decided already.
        """
        if dream.completed is None:
            raise InvalidInput(f"dream {dream.dream_id} is not finished; `nightschool dream` finishes it")
        if dream.completed.status == "completed_no_change":
            raise InvalidInput(f"dream {dream.dream_id} changed nothing; there is nothing to decide")
        if dream.verdict is not None:
            raise InvalidInput(f"dream {dream.dream_id} was decided already: {dream.status}")
        return dream.completed

    def stores(self, dream_id: str) -> tuple[dict[str, Memory], dict[str, Memory]]:
        """Return what the store that a dream read holds, and what the one it wrote holds."""
        dream = self.dreamt(dream_id)
        output = dream.created.input_store_id if dream.completed is None else dream.completed.output_store_id
        return self._memories(dream.created.input_store_id), self._memories(output)

    def _memories(self, store_id: str) -> dict[str, Memory]:
        store = MemoryStore(journal=self.journal, clock=self.clock, ids=self.ids, store_id=store_id)
        return store.memories() if store.exists else {}

    def _note(self, dream_id: str, event: EventBase) -> None:
        stamped = event.model_copy(update={"processed_at": self.clock.now()})
        self.journal.append(dream_id, [stamped], epoch=max(1, self.journal.epoch(dream_id)))
