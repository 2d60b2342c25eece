"""What a part of a document leans on elsewhere in it: defined terms and cross references. Pure.

Knows nothing about what the document is about; it reads only the conventions of drafted text:
`"Term" means ...`, and `Section 14.2`, `Clause 9`, `Schedule B`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Final

from nightschool.sandbox.documents import Document, Section

__all__ = ["definitions", "definitions_used", "referenced_sections"]

_DEFINITION: Final = re.compile(
    r"[\"“](?P<term>[A-Z][^\"”]{1,60})[\"”]\s+(?:\([^)]*\)\s+)?"
    r"(?:means|shall mean|has the meaning|refers to)\b[^\n]*"
)
_REFERENCE: Final = re.compile(
    r"\b(?:Sections?|Clauses?|Articles?|paragraphs?)\s+"
    r"((?:\d+(?:\.\d+)*(?:,\s*|\s+and\s+|\s+or\s+)?)+)"
)
_SCHEDULE: Final = re.compile(r"\b(?:Schedule|Annex)\s+[A-Z0-9]+\b")
_NUMBER: Final = re.compile(r"\d+(?:\.\d+)*")


def definitions(document: Document) -> dict[str, str]:
    """Return each defined term with the sentence that defines it, in document order."""
    found: dict[str, str] = {}
    for section in document.sections:
        for match in _DEFINITION.finditer(section.text):
            found.setdefault(match["term"], match[0].strip())
    return found


def definitions_used(defined: dict[str, str], sections: Iterable[Section]) -> dict[str, str]:
    """Return the definitions of terms that these sections use without giving them.

    What such a definition itself leans on comes along.
    """
    text = "\n".join(section.text for section in sections)
    used: dict[str, str] = {}
    frontier = text
    while True:
        new = {
            term: meaning
            for term, meaning in defined.items()
            if term not in used and meaning not in text and re.search(rf"\b{re.escape(term)}\b", frontier)
        }
        if not new:
            return {term: defined[term] for term in defined if term in used}
        used |= new
        frontier = "\n".join(new.values())


def _numbers_in(text: str) -> list[str]:
    numbers = [number for match in _REFERENCE.finditer(text) for number in _NUMBER.findall(match[1])]
    return numbers + [match[0] for match in _SCHEDULE.finditer(text)]


def referenced_sections(document: Document, sections: Collection[Section]) -> list[Section]:
    """Return the sections that these refer to by number and that are not among them, in document order."""
    inside = {section.number for section in sections}
    wanted = {number for section in sections for number in _numbers_in(section.text)} - inside
    return [section for section in document.sections if section.number in wanted]
