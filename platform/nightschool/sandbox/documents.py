"""A document as numbered sections, read from Markdown or from plain text with numbered headings.

Knows nothing about what the document is about, or who reads it.

    # Master Agreement                          the title
    ## 7 Liability                              section 7
    Neither party ...                           its text
    ### 7.2 Cap                                 section 7.2, a child of 7
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from nightschool.core.errors import InvalidInput, Malformed

__all__ = ["MAX_CHARACTERS", "Document", "Section", "parse_document"]

_MARKDOWN_HEADING: Final = re.compile(r"^#{1,6}\s+(.*\S)\s*$")
_NUMBERED: Final = re.compile(
    r"^(?:(?:Section|Clause|Article)\s+)?(\d+(?:\.\d+)*|Schedule\s+[A-Z0-9]+|Annex\s+[A-Z0-9]+)[.):]?\s+(\S.*)$"
)
MAX_CHARACTERS: Final = 5_000_000
"""The longest document that is accepted: about 1,800 pages."""
_PLAIN_HEADING_WORDS: Final = 12
"""A numbered line of plain text longer than this is a clause, not a heading."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One numbered section; its text excludes that of its children."""

    number: str
    title: str
    text: str

    @property
    def words(self) -> int:
        """How many words the text has."""
        return len(self.text.split())


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """Sections in reading order, each number once."""

    title: str
    sections: tuple[Section, ...]
    by_number: dict[str, Section] = field(compare=False, repr=False)

    @property
    def words(self) -> int:
        """How many words all the sections have."""
        return sum(section.words for section in self.sections)

    def find(self, number: str) -> Section | None:
        """Return the section with this number, or None."""
        return self.by_number.get(number.strip().rstrip("."))


@dataclass(frozen=True, slots=True)
class _Heading:
    line: int
    number: str | None
    title: str


def _plain_heading(line: str) -> tuple[str, str] | None:
    match = _NUMBERED.match(line)
    if (
        match is None
        or len(match[2].split()) > _PLAIN_HEADING_WORDS
        or match[2].rstrip().endswith((".", ";"))
    ):
        return None
    return match[1], match[2].strip()


def _headings(lines: list[str], *, markdown: bool) -> Iterator[_Heading]:
    for index, line in enumerate(lines):
        if markdown:
            heading = _MARKDOWN_HEADING.match(line)
            if heading is None:
                continue
            numbered = _NUMBERED.match(heading[1])
            yield _Heading(index, numbered[1] if numbered else None, numbered[2] if numbered else heading[1])
        elif (plain := _plain_heading(line.strip())) is not None:
            yield _Heading(index, *plain)


def _numbered(headings: list[_Heading]) -> list[_Heading]:
    """Give headings without a number one of their own, so that every section can be asked for."""
    if any(heading.number for heading in headings):
        return [heading for heading in headings if heading.number]
    return [_Heading(heading.line, str(n), heading.title) for n, heading in enumerate(headings, 1)]


def _check_unique(headings: list[_Heading], name: str) -> None:
    seen: dict[str, int] = {}
    for heading in headings:
        number = str(heading.number)
        if number in seen:
            raise Malformed(
                f"{name}, line {heading.line + 1}: section {number} was already given on line"
                f" {seen[number] + 1}; give every section a number of its own",
                path=name,
                line=heading.line + 1,
            )
        seen[number] = heading.line


def parse_document(text: str, *, name: str = "document") -> Document:
    """Split a document into its numbered sections.

    Args:
        text: Markdown with `#` headings, or plain text with lines such as `7.2 Limitation of liability`.
        name: what to call the document in errors, usually its file name.

    Raises:
        InvalidInput: the text is longer than `MAX_CHARACTERS`.
        Malformed: the text is empty, has no headings, or uses a section number twice.
    """
    if len(text) > MAX_CHARACTERS:
        raise InvalidInput(
            f"{name} has {len(text):,} characters; the most that is accepted is {MAX_CHARACTERS:,}."
            " Split it and review the parts.",
            path=name,
            limit=MAX_CHARACTERS,
        )
    lines = text.splitlines()
    markdown = any(_MARKDOWN_HEADING.match(line) for line in lines)
    headings = list(_headings(lines, markdown=markdown))
    title = headings[0].title if markdown and headings and headings[0].number is None else name
    numbered = _numbered(headings)
    if not numbered:
        raise Malformed(
            f"{name}: no section headings found; use Markdown headings (`## 7 Liability`)"
            " or numbered lines (`7.2 Limitation of liability`)",
            path=name,
        )
    _check_unique(numbered, name)
    ends = [heading.line for heading in numbered[1:]] + [len(lines)]
    sections = tuple(
        Section(
            number=str(heading.number),
            title=heading.title,
            text="\n".join(lines[heading.line + 1 : end]).strip(),
        )
        for heading, end in zip(numbered, ends, strict=True)
    )
    return Document(title=title, sections=sections, by_number={s.number: s for s in sections})
