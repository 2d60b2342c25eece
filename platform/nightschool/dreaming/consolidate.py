"""From a store and the proposals of a dream to the store as it would be: edits, never a rewrite. Pure.

A memory is a function of the episodes behind it, so reading some sessions now and others later ends where
reading all of them at once ends.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from nightschool.dreaming.lifecycle import Lifetimes, aged
from nightschool.dreaming.proposal import Proposal
from nightschool.memory.edit import Edit, edits_between
from nightschool.memory.memory import Attributes, Evidence, Kind, Memory, State, sha256_of

__all__ = ["Plan", "consolidate", "difference"]

_BY_HAND = "by hand"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The store as it would be, and how it gets there."""

    memories: dict[str, Memory]
    edits: tuple[Edit, ...]
    gates: dict[str, int] = field(default_factory=dict)
    """Why proposals are not recalled, with how many."""
    recalled_before: int = 0
    """Memories that sessions recall as the store is."""

    @property
    def counts(self) -> dict[str, int]:
        """Return the edits by kind."""
        return dict(sorted(Counter(edit.what for edit in self.edits).items()))

    @property
    def archived_share(self) -> float:
        """Return the share of the memories recalled so far that would be recalled no longer."""
        lost = [
            edit
            for edit in self.edits
            if edit.before is not None
            and edit.before.is_recallable
            and (edit.after is None or not edit.after.is_recallable)
            and not (edit.after is not None and edit.after.attributes.is_merged)
        ]
        return len(lost) / self.recalled_before if self.recalled_before else 0.0


def consolidate(
    present: Mapping[str, Memory],
    proposals: Iterable[Proposal],
    outcomes: Mapping[str, tuple[Evidence, ...]],
    *,
    now: datetime,
    lifetimes: Lifetimes,
) -> Plan:
    """Return the plan that turns a store's memories into what the proposals say.

    Args:
        present: the store's memories by path.
        proposals: all that the episodes show, old ones too.
        outcomes: how sessions ended that used a memory, by its path.
        now: the dream's time.
        lifetimes: how long memories live.
    """
    wanted = {each.path: each for each in proposals}
    after: dict[str, Memory] = {}
    for path in sorted({*present, *wanted}):
        memory = _next(present.get(path), wanted.get(path), outcomes.get(path, ()))
        known = aged(memory.attributes, now, lifetimes)
        if known is not None:
            after[path] = replace(memory, attributes=known)
    return Plan(
        memories=after,
        edits=tuple(edits_between(present, after)),
        gates=_gates(wanted.values()),
        recalled_before=sum(memory.is_recallable for memory in present.values()),
    )


def _next(before: Memory | None, proposal: Proposal | None, outcomes: tuple[Evidence, ...]) -> Memory:
    if proposal is None:
        assert before is not None  # noqa: S101  # the path came from one of the two
        return replace(before, attributes=_unsupported(replace(before.attributes, outcomes=outcomes)))
    known = replace(proposal.attributes, outcomes=outcomes)
    if before is not None:
        known = _kept(before.attributes, known)
    return Memory(
        path=proposal.path,
        text=proposal.text if before is None or not before.is_redacted else "",
        attributes=known,
        sha256=sha256_of(proposal.text),
        version=1 if before is None else before.version,
        is_redacted=before is not None and before.is_redacted,
    )


def _kept(before: Attributes, proposed: Attributes) -> Attributes:
    """Keep what a person decided, and an expiry date that was later."""
    known = replace(proposed, expires_at=before.expires_at)
    if before.reason.endswith(_BY_HAND):
        return replace(known, state=before.state, reason=before.reason)
    return known


def _unsupported(known: Attributes) -> Attributes:
    """A memory made by a dream that no episode supports any longer is archived; what people wrote stays."""
    if known.kind is Kind.NOTE or known.state is not State.ACTIVE or known.reason.endswith(_BY_HAND):
        return known
    return replace(known, state=State.ARCHIVED, reason="no session supports it any longer")


def _gates(proposals: Iterable[Proposal]) -> dict[str, int]:
    held = (each.attributes for each in proposals if each.attributes.state is not State.ACTIVE)
    return dict(sorted(Counter(f"{each.kind}: {each.reason}" for each in held).items()))


def difference(one: Mapping[str, Memory], other: Mapping[str, Memory]) -> list[str]:
    """Return the paths that only one of two stores lets sessions recall, or with another text."""
    first = {path: memory.sha256 for path, memory in one.items() if memory.is_recallable}
    second = {path: memory.sha256 for path, memory in other.items() if memory.is_recallable}
    return sorted(path for path in {*first, *second} if first.get(path) != second.get(path))
