"""What a sentence leans on: defined terms and other sections, as far as they stand in view.

Knows nothing about policies.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from nightschool.models.reader.quantities import amounts
from nightschool.models.reader.sections import Section, references

__all__ = ["Lookup", "find_definitions", "make_lookup", "with_amounts"]

_DEFINITION: Final = re.compile(
    r"[\"“](?P<term>[A-Z][^\"”\n]{1,60})[\"”]\s*(?:\([^)\n]*\)\s*)?"
    r"(?:means|shall mean|is defined as|refers to|is|are|has the meaning|stands for)\b[^\n]*"
)
_WRAPPED: Final = re.compile(r"(?<!\n)\n(?!\s*\n)(?![\"“])")
_DEPTH: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Lookup:
    """Defined terms and sections in view."""

    definitions: Mapping[str, str] = field(default_factory=dict)
    sections: Mapping[str, Section] = field(default_factory=dict)

    def meanings(self, text: str) -> list[str]:
        """Return the definitions a text uses, and those these use in turn."""
        found: dict[str, str] = {}
        frontier = text
        for _ in range(_DEPTH):
            new = {
                term: meaning
                for term, meaning in self.definitions.items()
                if term not in found and term in frontier and meaning != text
            }
            found |= new
            frontier = " ".join(new.values())
        return list(found.values())

    def cited(self, text: str, *, own_number: str) -> list[Section]:
        """Return the sections in view that a text refers to."""
        return [
            self.sections[number]
            for number in references(text)
            if number in self.sections and number != own_number
        ]


@lru_cache(maxsize=8192)
def find_definitions(text: str) -> tuple[tuple[str, str], ...]:
    """Return each defined term of a text with the words that define it."""
    unwrapped = _WRAPPED.sub(" ", text)
    return tuple((match["term"], match[0].strip()) for match in _DEFINITION.finditer(unwrapped))


def make_lookup(
    sections: Iterable[Section], *, given: str = "", noted: Iterable[tuple[str, str]] = ()
) -> Lookup:
    """Return a lookup over everything in view.

    Args:
        sections: sections whose text is in view.
        given: definitions that came with the task, as text.
        noted: definitions kept from earlier work.
    """
    in_view = list(sections)
    definitions = dict(noted)
    for text in (given, *(section.text for section in in_view)):
        definitions |= dict(find_definitions(text))
    return Lookup(definitions=definitions, sections={section.number: section for section in in_view})


def with_amounts(definitions: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Return the definitions a quantity may hang on."""
    return tuple((term, meaning) for term, meaning in definitions.items() if amounts(meaning))
