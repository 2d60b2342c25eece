"""Decoys: paragraphs that look like a clause of the playbook and do not bind the Customer.

Knows nothing about numbering. History, illustrations, promises in our favour, terms of others: an honest
reader who reads to the full stop is not misled. A long contract holds more of them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from .document import Section
from .filler import Deck
from .library import ClauseType, Decoy, Library, Stance
from .operative import accompany
from .quantities import Quantity
from .templates import Template
from .truth import Position, Truth
from .voice import Voice

__all__ = ["DrawnDecoy", "decoy_count", "draw_decoys"]

_SECTION_PAGES: Final = 9
"""In a shorter contract no decoy has a section of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnDecoy:
    """A decoy in words."""

    policy: str
    text: str
    section: Section | None
    """Its own section; without one it is to be put among other paragraphs."""
    part: str
    background: bool
    supports: bool
    """Whether it is evidence that the contract meets the policy."""


def decoy_count(pages: int) -> int:
    """How many decoys a contract of this length holds: 4 in 5 pages, 10 in 20, 49 in 200."""
    return round(1 + 0.9 * math.pow(pages, 0.75))


def draw_decoys(truths: Sequence[Truth], held: Library, voice: Voice, pages: int) -> list[DrawnDecoy]:
    """Draw the decoys of one contract.

    Args:
        truths: its truth; a decoy that would itself be a good clause needs a contract that has one.
        held: what can be said.
        voice: how the contract speaks.
        pages: its length.
    """
    eligible = [
        (truth, decoy)
        for truth in truths
        for decoy in held.clause_types[truth.policy].decoys
        if truth.position is Position.COMPLIANT or not decoy.only_with_compliant
    ]
    deck = Deck(eligible, voice.rng)
    return [_draw(*deck.deal(), held, voice, number, pages) for number in range(decoy_count(pages))]


def _draw(truth: Truth, decoy: Decoy, held: Library, voice: Voice, number: int, pages: int) -> DrawnDecoy:
    clause_type = held.clause_types[truth.policy]
    text = voice.say(decoy.text, _quantities(clause_type, voice))
    part = voice.rng.choice(clause_type.parts)
    section = None
    if decoy.heading and pages >= _SECTION_PAGES:
        section = Section(f"decoy/{number}", decoy.heading, [text])
        accompany(section, _company(truth, part, held), voice, terse=False)
    return DrawnDecoy(
        policy=truth.policy,
        text=text,
        section=section,
        part=part,
        background=decoy.background,
        supports=decoy.only_with_compliant,
    )


def _company(truth: Truth, part: str, held: Library) -> Sequence[Template]:
    """Return paragraphs to stand beside a decoy.

    Where the contract has no such clause, they are of other subjects: what usually surrounds the clause could
    be taken for a rudiment of it.
    """
    if truth.via is not None:
        return held.clause_types[truth.policy].companions
    return [paragraph for topic in held.topics if topic.part == part for paragraph in topic.paragraphs]


def _quantities(clause_type: ClauseType, voice: Voice) -> dict[str, str | Quantity]:
    return {
        stance.value: voice.rng.choice(clause_type.limits[stance])
        for stance in Stance
        if clause_type.limits[stance]
    }
