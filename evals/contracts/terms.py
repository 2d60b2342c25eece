"""The defined terms of a contract: which it needs, what they mean, and the sections they stand in.

Knows nothing about policies. A short contract defines the terms it uses; a long one defines them all.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from .document import Section, count_words
from .library import Definition
from .voice import Voice

__all__ = ["definition_sections", "term_key", "used_definitions"]

_SECTION_WORDS: Final = 300


def term_key(term: str) -> str:
    """The key of the section that defines a term."""
    return f"term/{term}"


def used_definitions(definitions: Sequence[Definition], text: str, voice: Voice) -> dict[str, str]:
    """Return the definitions of the terms that a text uses, and of those that these definitions use.

    Args:
        definitions: the library's.
        text: the contract so far.
        voice: how it speaks.
    """
    left = {definition.term: definition for definition in definitions}
    found: dict[str, str] = {}
    while used := [term for term in left if _uses(text, term)]:
        said = {term: voice.say(voice.rng.choice(left.pop(term).means)) for term in used}
        found.update(said)
        text = " ".join(said.values())
    return found


def _uses(text: str, term: str) -> bool:
    return term in text and re.search(rf"\b{re.escape(term)}(?:s|es)?\b", text) is not None


def definition_sections(meanings: Mapping[str, str]) -> tuple[list[Section], dict[str, str]]:
    """Arrange definitions by alphabet in sections of readable length.

    Args:
        meanings: each term with the text that follows it.

    Returns:
        The sections, and for each term's key the key of its section.
    """
    words = {term: count_words(meaning) + count_words(term) for term, meaning in meanings.items()}
    count = max(1, round(sum(words.values()) / _SECTION_WORDS))
    groups: list[list[str]] = [[] for _ in range(count)]
    passed = 0
    for term in sorted(meanings, key=str.lower):
        groups[passed * count // sum(words.values())].append(term)
        passed += words[term]
    groups = [group for group in groups if group]
    sections, homes = [], {}
    for number, terms in enumerate(groups, start=1):
        key = f"definitions/{number}"
        paragraphs = [f'"{term}" {meanings[term]}' for term in terms]
        sections.append(Section(key, _heading(terms, single=len(groups) == 1), paragraphs))
        homes.update({term_key(term): key for term in terms})
    return sections, homes


def _heading(terms: Sequence[str], *, single: bool) -> str:
    if single or not terms:
        return "Defined terms"
    return f"Defined terms: {terms[0]} to {terms[-1]}" if len(terms) > 1 else f"Defined terms: {terms[0]}"
