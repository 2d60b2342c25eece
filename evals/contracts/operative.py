"""The operative clauses of a contract: its truth put into words.

Knows nothing about filler or numbering. For each policy that the contract speaks to, one wording is chosen;
what stands elsewhere (a definition, an entry in a schedule) is handed back apart, to be placed far away.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from .document import Section, mark
from .library import ClauseType, Stance, Via, Wording
from .templates import Template
from .truth import Position, Truth
from .voice import Voice

__all__ = ["MIN_SECTION_WORDS", "Clauses", "accompany", "clause_key", "entry_key", "write_clauses"]

MIN_SECTION_WORDS: Final = 60
"""A shorter section gets another paragraph."""

_COMPANION_ODDS: Final = 0.45
_BEFORE_ODDS: Final = 0.3


@dataclass(slots=True)
class Clauses:
    """What the truth of one contract came to in words."""

    sections: list[tuple[str, Section]] = field(default_factory=list)
    """The clauses' sections, each with the part it belongs to."""
    terms: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Defined terms that decide: the term to its definition and its policy."""
    entries: dict[str, str] = field(default_factory=dict)
    """What clauses refer to, by policy."""


def clause_key(policy: str) -> str:
    """The key of the section that holds a policy's clause."""
    return f"clause/{policy}"


def entry_key(policy: str) -> str:
    """The key of the section that holds the entry a policy's clause refers to."""
    return f"entry/{policy}"


def write_clauses(
    truths: Sequence[Truth], clause_types: Mapping[str, ClauseType], voice: Voice, *, terse: bool
) -> Clauses:
    """Put a truth into words.

    Args:
        truths: the position on each policy.
        clause_types: the library's clauses by policy.
        voice: how this contract speaks.
        terse: whether sections say no more than they must, as in a short contract.
    """
    clauses = Clauses()
    for truth in truths:
        if truth.via is not None:
            _write_clause(truth, clause_types[truth.policy], voice, clauses, terse=terse)
    return clauses


def _write_clause(
    truth: Truth, clause_type: ClauseType, voice: Voice, clauses: Clauses, *, terse: bool
) -> None:
    stance = Stance.RISKY if truth.position is Position.VIOLATION else Stance.SAFE
    wording = voice.rng.choice(clause_type.wordings[stance, truth.via or Via.DIRECT])
    given = {"ref": mark(entry_key(truth.policy)), "back": mark(clause_key(truth.policy))}
    if limits := clause_type.limits[stance]:
        quantity = voice.rng.choice(limits)
        clause = voice.say(wording.clause, {**given, "limit": quantity})
        support = voice.say(wording.support, {**given, "limit": quantity}) if wording.support else ""
    else:
        clause = voice.say(wording.clause, given)
        support = voice.say(wording.support, given) if wording.support else ""
    _place_support(truth, wording, support, clauses)
    heading = voice.rng.choice(clause_type.headings)
    section = Section(clause_key(truth.policy), heading, [clause])
    accompany(section, clause_type.companions, voice, terse=terse)
    clauses.sections.append((voice.rng.choice(clause_type.parts), section))


def _place_support(truth: Truth, wording: Wording, support: str, clauses: Clauses) -> None:
    if truth.via is Via.DEFINITION and wording.term:
        clauses.terms[wording.term] = (support, truth.policy)
    elif truth.via is Via.CROSS_REFERENCE:
        clauses.entries[truth.policy] = support


def accompany(section: Section, companions: Sequence[Template], voice: Voice, *, terse: bool) -> None:
    """Add neutral paragraphs before and after: enough to make a section, and sometimes more.

    Args:
        section: what is to be accompanied.
        companions: paragraphs to choose from, each at most once.
        voice: how the contract speaks.
        terse: whether enough is enough.
    """
    for companion in voice.rng.sample(companions, len(companions)):
        wanted = section.words < MIN_SECTION_WORDS or (not terse and voice.rng.random() < _COMPANION_ODDS)
        if not wanted:
            return
        place = 0 if voice.rng.random() < _BEFORE_ODDS else len(section.paragraphs)
        section.paragraphs.insert(place, voice.say(companion))
