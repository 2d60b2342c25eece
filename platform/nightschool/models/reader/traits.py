"""What the wording of a sentence shows apart from its topic: who gains, what ties it, whether it operates.

General legal English only. Knows nothing about any policy or document; the parties' names are given.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from re import Pattern
from typing import Final

from nightschool.models.reader import wording

__all__ = ["STANCES", "Parties", "Traits", "traits_of"]

STANCES: Final = (
    "consent", "jointly", "favour", "negated", "owner", "tacit", "exclusive", "restricted", "refusal",
)  # fmt: skip
"""The ways in which two sentences on one topic can take different sides."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parties:
    """The two sides, by the names they go under."""

    ours: str
    theirs: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """One sentence's wording."""

    stance: tuple[float, ...]
    """One number per `STANCES`, -1 to 1."""
    subject: int
    """1 if our party is named first, -1 if the other, 0 if neither."""
    is_past: bool
    is_illustrative: bool
    is_inward: bool
    is_defining: bool
    is_unlimited: bool
    is_at_once: bool


@lru_cache(maxsize=65536)
def traits_of(text: str, parties: Parties) -> Traits:
    """Return what the wording of a sentence shows."""
    # What a sentence opens by denying is said the other way round in the rest of it.
    sign = -1.0 if wording.DENYING.search(text) else 1.0
    return Traits(
        stance=(
            _consent(text),
            _balance(wording.TOGETHER, wording.ALONE, text),
            sign * _favour(text, parties),
            min(1.0, len(wording.NEGATION.findall(text)) / 2),
            sign * _owner(text, parties),
            sign * _balance_with_veto(wording.TACIT, wording.NOT_TACIT, text),
            sign * _balance_with_veto(wording.EXCLUSIVE, wording.NOT_EXCLUSIVE, text),
            _balance(wording.RESTRICTED, wording.UNRESTRICTED, text),
            _refusal(text),
        ),
        subject=_first(text, parties),
        is_past=bool(wording.PAST.search(text)) and not wording.PRESENT.search(text),
        is_illustrative=bool(wording.ILLUSTRATIVE.search(text)),
        is_inward=bool(wording.INWARD.search(text)),
        is_defining=bool(wording.DEFINING.search(text)),
        is_unlimited=bool(wording.UNLIMITED.search(text)),
        is_at_once=bool(wording.AT_ONCE.search(text)),
    )


def _first(text: str, parties: Parties) -> int:
    ours, theirs = _find(text, parties.ours), _find(text, parties.theirs)
    return 0 if ours == theirs else 1 if ours < theirs else -1


def _find(text: str, name: str) -> int:
    place = text.find(name) if name else -1
    return len(text) if place < 0 else place


def _consent(text: str) -> float:
    """Return 1 where something needs a yes, -1 where it needs none or has it already."""
    if wording.FREED.search(text) or wording.GRANTED.search(text):
        return -1.0
    return 1.0 if wording.CONSENT.search(text) else 0.0


def _balance(positive: Pattern[str], negative: Pattern[str], text: str) -> float:
    return float(bool(positive.search(text))) - float(bool(negative.search(text)))


def _balance_with_veto(positive: Pattern[str], negative: Pattern[str], text: str) -> float:
    """Return -1 when the negative form is there: it is spelled with the words of the positive one."""
    return -1.0 if negative.search(text) else float(bool(positive.search(text)))


def _refusal(text: str) -> float:
    """Return 1 where somebody may refuse, -1 where refusing is ruled out."""
    found = wording.REFUSING.search(text)
    return 0.0 if found is None else -1.0 if found["no"] else 1.0


def _favour(text: str, parties: Parties) -> float:
    """Return who gains: rights of ours and duties of theirs count for us, the reverse against."""
    total, count = 0.0, 0
    for verb in wording.VERBS.finditer(text):
        actor = _nearest(text[: verb.start()], parties)
        if actor == 0:
            continue
        gains = bool(verb["right"] or verb["spared"])
        if verb["right"] and wording.NOT_NEXT.match(text[verb.end() :]):
            gains = False
        total += actor if gains else -actor
        count += 1
    for verb in wording.HAS_NO.finditer(text):
        total -= _nearest(text[: verb.start()], parties)
        count += 1
    return total / count if count else 0.0


def _nearest(before: str, parties: Parties) -> int:
    """Return whose name stands last before a verb: 1 ours, -1 theirs, 0 nobody's."""
    ours = before.rfind(parties.ours) if parties.ours else -1
    theirs = before.rfind(parties.theirs) if parties.theirs else -1
    if ours == theirs:
        return 0
    return 1 if ours > theirs else -1


def _owner(text: str, parties: Parties) -> float:
    """Return whose property, place or law a sentence speaks of first."""
    ours, theirs = _owned_at(text, parties.ours), _owned_at(text, parties.theirs)
    return 0.0 if ours == theirs else 1.0 if ours < theirs else -1.0


def _owned_at(text: str, name: str) -> int:
    found = wording.owning(name).search(text) if name else None
    return len(text) if found is None else found.start()
