"""Numbered sections as they appear in tool results and messages. Knows nothing about how they are judged."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

__all__ = ["OutlineEntry", "Section", "parse_outline", "parse_sections", "references"]

_NUMBER: Final = r"\d+(?:\.\d+)*[a-z]?|(?:Schedule|Annex|Appendix|Exhibit)\s+[A-Z0-9]+"
_HEADING: Final = re.compile(rf"^#{{1,6}}\s+(?P<number>{_NUMBER})\.?(?:\s+(?P<title>.*?))?\s*$", re.MULTILINE)
_OUTLINE: Final = re.compile(
    r"^(?P<number>[^|\n]+?)\s*\|\s*(?P<title>[^|\n]*?)\s*\|\s*(?P<words>\d+) words", re.MULTILINE
)
_REFERENCE: Final = re.compile(
    r"\b(?:(?:Sections?|Clauses?|Articles?|Paragraphs?)\s+(?P<first>\d+(?:\.\d+)*)"
    r"(?:\s*(?:and|or|to|,)\s*(?P<second>\d+(?:\.\d+)*))?|(?P<annex>(?:Schedule|Annex|Appendix|Exhibit)\s+[A-Z0-9]\b))"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A section that stands in the context."""

    number: str
    title: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OutlineEntry:
    """A section known by its heading only."""

    number: str
    title: str
    words: int


def parse_outline(text: str) -> tuple[OutlineEntry, ...]:
    """Return the lines `number | heading | N words` of an outline, in order."""
    return tuple(
        OutlineEntry(number=match["number"].strip(), title=match["title"], words=int(match["words"]))
        for match in _OUTLINE.finditer(text)
    )


def parse_sections(text: str) -> Iterator[Section]:
    """Yield the sections written out in a text under headings such as `## 7.2 Limitation of liability`."""
    heads = list(_HEADING.finditer(text))
    ends = [*(head.start() for head in heads[1:]), len(text)]
    for head, end in zip(heads, ends, strict=False):
        yield Section(number=head["number"], title=head["title"] or "", text=text[head.end() : end].strip())


def references(text: str) -> tuple[str, ...]:
    """Return the numbers of the sections a text refers to, in order, each once."""
    found: dict[str, None] = {}
    for match in _REFERENCE.finditer(text):
        for number in (match["first"], match["second"], match["annex"]):
            if number:
                found[" ".join(number.split())] = None
    return tuple(found)
