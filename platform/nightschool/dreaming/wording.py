"""Findings in other words: what a model may merge and rephrase, and what of it is dropped. Pure.

A model decides how something is said, never whether it holds: evidence, confidence and counts stay those of
the findings. What it says must quote events that support it, and may change neither a number nor a denial.
Knows nothing about how a model is asked.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from nightschool.dreaming.conflicts import numbers_and_denial
from nightschool.dreaming.proposal import Proposal
from nightschool.dreaming.redact import has_secret
from nightschool.dreaming.statements import content_words, is_instruction
from nightschool.memory.memory import MERGED, Attributes, Memory, State

__all__ = ["Checked", "Wording", "checked", "groups_of", "open_findings", "reworded", "wordings_of"]

_LONGEST: Final = 1_000
_SHARED_WORDS: Final = 0.5
"""Share of the words of an item that its findings must use too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """How a model says one finding, or several that say the same."""

    path: str
    """The finding that stands for all."""
    text: str
    merges: tuple[str, ...] = ()
    """Further findings that it says too."""
    basis: str
    """Hash of what the findings say by themselves: when one changes, the wording no longer holds."""
    model: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What of a model's answer may be used."""

    wordings: tuple[Wording, ...]
    dropped: dict[str, int]
    """Why items are not used, with how many."""


def open_findings(proposals: Iterable[Proposal], present: Mapping[str, Memory]) -> list[Proposal]:
    """Return the findings a model may be asked about; none where nothing is new since it was asked last."""
    proposals = list(proposals)
    # What was redacted is told to nobody, and what is not recalled needs no words.
    usable = [
        each
        for each in proposals
        if each.attributes.state is State.ACTIVE
        and not each.attributes.taint
        and (each.path not in present or not present[each.path].is_redacted)
    ]
    plain = {each.path: each for each in usable}
    held = {
        path
        for each in wordings_of(present)
        if _basis((each.path, *each.merges), plain) == each.basis
        for path in (each.path, *each.merges)
    }
    fresh = {group for path, group in groups_of(usable).items() if path not in held}
    return [each for each in usable if groups_of([each])[each.path] in fresh]


def groups_of(proposals: Iterable[Proposal]) -> dict[str, str]:
    """Return by path which findings may be merged at all: kind, type of task, act, scope and tenant agree."""
    return {each.path: "|".join(_belonging(each.attributes)) for each in proposals}


def _belonging(known: Attributes) -> tuple[str, ...]:
    return known.kind, known.tier, known.task_type, known.action, known.scope, known.tenant


def checked(items: Iterable[Mapping[str, Any]], proposals: Sequence[Proposal], model: str) -> Checked:
    """Return what of a model's answer holds up.

    Args:
        items: each with `findings` (paths), `text` and `events` (ids).
        proposals: the findings that the model was asked about.
        model: who answered.
    """
    known = {each.path: each for each in proposals}
    taken: set[str] = set()
    kept: list[Wording] = []
    dropped: Counter[str] = Counter()
    for item in items:
        paths, text = tuple(dict.fromkeys(item["findings"])), " ".join(str(item["text"]).split())
        objection = _objection(paths, text, frozenset(item["events"]), known, taken)
        if objection:
            dropped[objection] += 1
            continue
        taken.update(paths)
        first = min(paths, key=lambda path: (-known[path].attributes.confidence, path))
        kept.append(
            Wording(
                path=first,
                text=text,
                merges=tuple(sorted(set(paths) - {first})),
                basis=_basis(paths, known) or "",
                model=model,
            )
        )
    return Checked(wordings=tuple(kept), dropped=dict(sorted(dropped.items())))


def _objection(
    paths: Sequence[str],
    text: str,
    quoted: frozenset[str],
    known: Mapping[str, Proposal],
    taken: Collection[str],
) -> str:
    """Return why an item is dropped; empty when it may be used."""
    if not paths or any(path not in known for path in paths):
        return "it names a finding that was not asked about"
    if any(path in taken for path in paths):
        return "a finding was said already by another item"
    found = [known[path] for path in paths]
    if len(set(groups_of(found).values())) > 1 or _conflicting(found):
        return "it merges what does not belong together"
    return _misquotation(quoted, found) or _misstatement(text, [finding.text for finding in found])


def _misquotation(quoted: frozenset[str], found: Sequence[Proposal]) -> str:
    supporting = [{each.event_id for each in finding.attributes.evidence} for finding in found]
    if not quoted:
        return "it quotes no event"
    if not quoted <= set().union(*supporting):
        return "it quotes an event that does not support it"
    if not all(quoted & events for events in supporting):
        return "it quotes no event for a finding that it covers"
    return ""


def _conflicting(found: Sequence[Proposal]) -> bool:
    paths = {each.path for each in found}
    return any(paths & set(each.attributes.conflicts_with) for each in found)


def _misstatement(text: str, sources: Sequence[str]) -> str:
    if not text or len(text) > _LONGEST:
        return f"it is empty or longer than {_LONGEST:,} characters"
    if has_secret(text):
        return "it looks like a secret"
    if {numbers_and_denial(text)} != {numbers_and_denial(source) for source in sources}:
        return "it changes a number or a denial"
    if is_instruction(text) and not any(is_instruction(source) for source in sources):
        return "it tells to do what its findings do not"
    words = content_words(text)
    told = frozenset[str]().union(*(content_words(source) for source in sources))
    if len(words & told) < _SHARED_WORDS * len(words):
        return "it says what its findings do not say"
    return ""


def _basis(paths: Iterable[str], known: Mapping[str, Proposal]) -> str | None:
    """Return the hash of what findings say by themselves; None when one of them is not there."""
    paths = sorted(paths)
    if any(path not in known for path in paths):
        return None
    return hashlib.sha256("\x1f".join(known[path].text for path in paths).encode()).hexdigest()


def wordings_of(present: Mapping[str, Memory]) -> list[Wording]:
    """Return the wordings that a store's memories have, to be kept by later dreams."""
    return [
        Wording(
            path=path,
            text=memory.text,
            merges=memory.attributes.merges,
            basis=memory.attributes.worded_from,
            model=memory.attributes.worded_by,
        )
        for path, memory in sorted(present.items())
        if memory.attributes.worded_by and not memory.is_redacted
    ]


def reworded(proposals: Iterable[Proposal], wordings: Iterable[Wording]) -> list[Proposal]:
    """Return findings as they are worded; a later wording of the same one holds.

    A finding that was merged into another is archived and names it; both keep their own evidence.
    """
    after = {each.path: each for each in proposals}
    plain = {path: each for path, each in after.items() if each.attributes.state is State.ACTIVE}
    for wording in wordings:
        covered = (wording.path, *wording.merges)
        if _basis(covered, plain) != wording.basis or _conflicting([plain[path] for path in covered]):
            continue
        for path in wording.merges:
            known = plain[path].attributes
            after[path] = replace(
                plain[path],
                attributes=replace(
                    known,
                    state=State.ARCHIVED,
                    tags=tuple(sorted({*known.tags, MERGED})),
                    superseded_by=wording.path,
                    reason=f"{wording.path} says the same",
                ),
            )
        known = plain[wording.path].attributes
        after[wording.path] = replace(
            plain[wording.path],
            text=wording.text,
            attributes=replace(
                known, worded_by=wording.model, worded_from=wording.basis, merges=wording.merges
            ),
        )
    return list(after.values())
