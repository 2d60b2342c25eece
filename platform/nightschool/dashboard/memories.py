"""Memories as the page shows them: two stores set beside each other, and what one memory rests on.

Pure: frames and texts in, values out. Knows nothing about pages.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import polars as pl

from nightschool.memory.confidence import lower_bound
from nightschool.memory.edit import Edit
from nightschool.memory.memory import Evidence, Memory, parse_attributes

__all__ = [
    "Conflict",
    "Step",
    "Told",
    "conflicts_in",
    "counts_of",
    "labels_of",
    "memories_of",
    "said",
    "steps_of",
    "told_of",
]

_MOVED: Final = ("created", "modified", "purged")


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """Two memories that say something else about the same."""

    one: Memory
    other: Memory

    @property
    def is_open(self) -> bool:
        """Whether nothing has replaced either of them."""
        return not (self.one.attributes.superseded_by or self.other.attributes.superseded_by)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """How sure a memory was once one more session was counted."""

    number: int
    """Sessions counted, this one too."""
    confidence: float
    evidence: Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One memory as one version of its store told it."""

    at: datetime
    store_id: str
    what: str
    actor: str
    state: str
    confidence: float
    sessions: int
    content_sha256: str


def memories_of(rows: pl.DataFrame, texts: Mapping[str, str]) -> dict[str, Memory]:
    """Return the memories of ``questions.sql: store_memories`` by path.

    Args:
        rows: the memories.
        texts: every text that is still kept, by hash.

    Raises:
        Malformed: what is known about one cannot be read.
    """
    return {row["path"]: _memory(row, texts.get(row["content_sha256"])) for row in rows.iter_rows(named=True)}


def _memory(row: Mapping[str, Any], text: str | None) -> Memory:
    return Memory(
        path=row["path"],
        text=text or "",
        attributes=parse_attributes(json.loads(row["attributes"] or "{}")),
        sha256=row["content_sha256"],
        version=row["versions"],
        dream_id=row["dream_id"],
        is_redacted=text is None,
    )


def said(memory: Memory) -> str:
    """Return what a memory says, or why that is not known."""
    return "(its text was removed, or is not in this folder)" if memory.is_redacted else memory.text


def counts_of(changes: Iterable[Edit]) -> dict[str, int]:
    """Return how many changes there are of each kind, the plain ones first."""
    counts = Counter(change.what for change in changes)
    order = [*_MOVED, *sorted(set(counts) - set(_MOVED))]
    return {what: counts[what] for what in order if counts[what]}


def conflicts_in(memories: Mapping[str, Memory]) -> list[Conflict]:
    """Return each pair that disagrees, once; those nobody has decided in front."""
    pairs = {
        tuple(sorted((path, other)))
        for path, memory in memories.items()
        for other in memory.attributes.conflicts_with
        if other in memories and other != path
    }
    found = [Conflict(one=memories[one], other=memories[other]) for one, other in sorted(pairs)]
    return sorted(found, key=lambda each: not each.is_open)


def steps_of(memory: Memory) -> list[Step]:
    """Return how sure a memory became, session by session in order of time.

    Sessions of unknown time come first, by their ids; where the last step ends does not depend on the order.
    """
    known = memory.attributes
    ordered = sorted((*known.evidence, *known.outcomes), key=lambda each: (each.at, each.session_id))
    passed = failed = 0.0
    steps = []
    for number, each in enumerate(ordered, start=1):
        passed += each.weight if each.passed else 0.0
        failed += 0.0 if each.passed else each.weight
        steps.append(Step(number=number, confidence=lower_bound(passed, failed), evidence=each))
    return steps


def told_of(rows: pl.DataFrame) -> list[Told]:
    """Return the rows of ``questions.sql: memory_history``, oldest first."""
    return [_told(row) for row in rows.reverse().iter_rows(named=True)]


def _told(row: Mapping[str, Any]) -> Told:
    what = row["type"].rpartition(".")[2]
    known = parse_attributes(json.loads(row["attributes"] or "{}"))
    return Told(
        at=row["at"],
        store_id=row["store_id"],
        what=what,
        actor=row["actor"] or "",
        state="deleted" if what == "deleted" else str(known.state),
        confidence=known.confidence,
        sessions=len(known.sessions),
        content_sha256=row["content_sha256"] or "",
    )


def labels_of(evidence: Sequence[Evidence]) -> dict[str, tuple[int, int]]:
    """Return for each source of labels how many sessions passed and failed by it."""
    found: dict[str, tuple[int, int]] = {}
    for each in evidence:
        passed, failed = found.get(each.label, (0, 0))
        found[each.label] = (passed + each.passed, failed + (not each.passed))
    return dict(sorted(found.items()))
