"""Which memories a task is given, and why: every candidate with its factors. Pure but for the embedder.

First the gate, then the ranking: what is not near enough is never lifted by being sure or new, and when
nothing is near enough, nothing is recalled. Knows nothing about prompts; `render` says what goes into one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

import numpy as np

from nightschool.core.tokens import text_tokens
from nightschool.memory.action import action_of, is_opposed
from nightschool.memory.index import Embedder, MemoryIndex
from nightschool.memory.memory import Memory, Tier

__all__ = ["Candidate", "Query", "RecallRules", "Recaller", "Recollection"]

_LOOKED_AT: Final = 50
_ALIKE: Final = 0.97
"""Likeness above which two memories with the same numbers say the same."""
_DAY: Final = 86_400.0
_WORDS_PER_STEP: Final = 150
_SHORT_WORDS: Final = 6
_ROOM: Final = ("more than", "no room", "says the same")


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallRules:
    """How memories are ranked."""

    bounded: bool = True
    """True: gate first, then likeness with small factors. False: likeness x confidence x recency, no gate."""
    min_likeness: float = 0.35
    """The gate: cosine below which a memory does not concern the task."""
    half_life_days: float = 14.0
    """After so long, recency is a half."""
    bound: float = 0.1
    """How far confidence, recency and words may each move a memory's score in bounded mode."""
    base_count: int = 5
    """Memories for a task of ordinary size."""
    max_count: int = 10
    max_tokens: int = 1_200
    """Tokens all recalled memories may take together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """What memories are wanted for."""

    text: str
    task_type: str = ""
    """Memories of one type of task are for that type; empty: not known."""
    tenant: str = ""
    complexity: int | None = None
    """Number of parts the task has; None: told by the length of its text."""

    @property
    def action(self) -> str:
        """Return what the task wants done."""
        return action_of(self.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A memory that was considered."""

    memory: Memory
    likeness: float
    lexical: float
    confidence: float
    recency: float
    score: float
    left_out: str = ""
    """Why it was not recalled; empty when it was."""

    def as_facts(self) -> dict[str, object]:
        """Return what is logged about it."""
        return {
            "path": self.memory.path,
            "likeness": round(self.likeness, 4),
            "lexical": round(self.lexical, 4),
            "confidence": round(self.confidence, 4),
            "recency": round(self.recency, 4),
            "score": round(self.score, 4),
            "left_out": self.left_out,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Recollection:
    """What was recalled."""

    chosen: tuple[Candidate, ...] = ()
    considered: tuple[Candidate, ...] = ()
    """All candidates, best first, chosen ones too."""
    tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Recaller:
    """Recalls from a set of memories; built once, asked often."""

    memories: tuple[Memory, ...]
    index: MemoryIndex
    embedder: Embedder
    places: Mapping[str, int]
    """Path to the memory's place in the index."""
    rules: RecallRules = field(default_factory=RecallRules)

    @classmethod
    def over(
        cls, memories: Mapping[str, Memory], embedder: Embedder, rules: RecallRules | None = None
    ) -> Recaller:
        """Prepare the memories that may be recalled at all; hidden and redacted ones are not indexed."""
        usable = tuple(memory for _, memory in sorted(memories.items()) if memory.is_recallable)
        texts = [memory.text for memory in usable]
        index = MemoryIndex.build(texts, embedder.embed(texts))
        places = {memory.path: place for place, memory in enumerate(usable)}
        return cls(
            memories=usable, index=index, embedder=embedder, places=places, rules=rules or RecallRules()
        )

    def recall(self, query: Query, *, now: datetime) -> Recollection:
        """Return the memories for a task; none when none is near enough."""
        if not self.memories:
            return Recollection()
        vector = self.embedder.embed([query.text])[0]
        lexical = self.index.lexical(query.text)
        count = _LOOKED_AT if self.rules.bounded else len(self.memories)
        places, likeness = self.index.nearest(vector, count)
        near = dict(zip(places.tolist(), likeness.tolist(), strict=True))
        made = [
            self._candidate(self.memories[place], near[place], lexical.get(place, 0.0), query, now)
            for place in near
        ]
        ranked = sorted(made, key=lambda each: (-each.score, each.memory.path))[: 4 * _LOOKED_AT]
        return self._choose(ranked, query)

    def recall_for_parts(self, queries: Sequence[Query], *, now: datetime) -> Recollection:
        """Return the memories for a task of several parts: each part asks, and the best of all are chosen.

        A long text as one question is near to nothing in particular.
        """
        best: dict[str, Candidate] = {}
        for query in queries:
            for each in self.recall(query, now=now).considered:
                # What one part had no room for is open again; what the gate refused stays refused.
                kept = replace(each, left_out="" if each.left_out.startswith(_ROOM) else each.left_out)
                known = best.get(each.memory.path)
                if known is None or (bool(kept.left_out), -kept.score) < (bool(known.left_out), -known.score):
                    best[each.memory.path] = kept
        ranked = sorted(best.values(), key=lambda each: (-each.score, each.memory.path))
        whole = Query(text="", complexity=len(queries))
        return self._choose(ranked, whole)

    def _candidate(
        self, memory: Memory, likeness: float, lexical: float, query: Query, now: datetime
    ) -> Candidate:
        confidence = memory.attributes.confidence
        recency = _recency(memory, now, self.rules.half_life_days)
        if self.rules.bounded:
            score = likeness
            for factor in (confidence, recency, lexical):
                score *= 1 + self.rules.bound * (2 * factor - 1)
        else:
            score = likeness * confidence * recency
        return Candidate(
            memory=memory,
            likeness=likeness,
            lexical=lexical,
            confidence=confidence,
            recency=recency,
            score=score,
            left_out=self._objection(memory, likeness, query, now),
        )

    def _objection(self, memory: Memory, likeness: float, query: Query, now: datetime) -> str:
        known = memory.attributes
        if known.tenant != query.tenant:
            return "another tenant's"
        if known.expires_at and now.isoformat() >= known.expires_at:
            return "expired"
        if self.rules.bounded and likeness < self.rules.min_likeness:
            return "not near enough"
        if is_opposed(known.action, query.action):
            return f"about {known.action}, the task is to {query.action}"
        foreign = query.task_type and known.task_type and known.task_type != query.task_type
        if foreign and known.tier is Tier.EPISODIC:
            return "for another type of task"
        return ""

    def _choose(self, ranked: Sequence[Candidate], query: Query) -> Recollection:
        count = _count_for(query, self.rules)
        chosen: list[Candidate] = []
        told: list[Candidate] = []
        tokens = 0
        for each in ranked:
            reason = each.left_out or self._redundancy(each, chosen)
            size = text_tokens(each.memory.text)
            if not reason and len(chosen) >= count:
                reason = f"more than {count}"
            if not reason and tokens + size > self.rules.max_tokens:
                reason = "no room left"
            if not reason:
                chosen.append(each)
                tokens += size
            told.append(each if not reason else _left_out(each, reason))
        return Recollection(chosen=tuple(chosen), considered=tuple(told), tokens=tokens)

    def _redundancy(self, each: Candidate, chosen: Sequence[Candidate]) -> str:
        """Whether something chosen says the same: a number or a denial may be the only difference."""
        row = self.index.rows[self.places[each.memory.path]]
        for other in chosen:
            alike = float(np.dot(row, self.index.rows[self.places[other.memory.path]])) > _ALIKE
            if alike and _telling(each.memory.text) == _telling(other.memory.text):
                return f"says the same as {other.memory.path}"
        return ""


def _telling(text: str) -> frozenset[str]:
    words = text.casefold().split()
    return frozenset(
        word for word in words if any(c.isdigit() for c in word) or word in {"no", "not", "never"}
    )


def _left_out(each: Candidate, reason: str) -> Candidate:
    return replace(each, left_out=reason)


def _recency(memory: Memory, now: datetime, half_life_days: float) -> float:
    """Return 1 for today and a half after each half-life; 1 where nobody knows when."""
    last = memory.attributes.checked_at or memory.attributes.valid_at
    if not last:
        return 1.0
    days = max(0.0, (now - datetime.fromisoformat(last)).total_seconds() / _DAY)
    return float(0.5 ** (days / half_life_days))


def _count_for(query: Query, rules: RecallRules) -> int:
    words = len(query.text.split())
    if query.complexity is not None:
        more = query.complexity - 1
    else:
        more = -2 if words < _SHORT_WORDS else words // _WORDS_PER_STEP
    return max(1, min(rules.max_count, rules.base_count + more))
