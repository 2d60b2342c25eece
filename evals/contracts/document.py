"""A contract's outline and its Markdown: parts, sections, their numbers, and references between them.

Knows nothing about policies or the library. Sections refer to one another by key; numbers exist only once the
order is settled, and references are written then.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

__all__ = ["Part", "Rendered", "Section", "count_words", "mark", "render_document"]

_MARK: Final = re.compile("\x02([^\x03]+)\x03")


def mark(key: str) -> str:
    """Return a reference that becomes ``Section 7.2`` once sections have numbers."""
    return f"\x02{key}\x03"


def count_words(text: str) -> int:
    """Count words as white space parts them."""
    return len(text.split())


@dataclass(slots=True)
class Section:
    """A numbered section; it grows while the contract is put together."""

    key: str
    heading: str
    paragraphs: list[str]

    @property
    def words(self) -> int:
        """The words of its body."""
        return sum(map(count_words, self.paragraphs))

    @property
    def size(self) -> int:
        """The words it adds to the document: its body, and its heading with mark and number."""
        return self.words + count_words(self.heading) + 2


@dataclass(slots=True, kw_only=True)
class Part:
    """A titled group of sections."""

    title: str
    sections: list[Section] = field(default_factory=list)
    schedule: bool = False
    """Whether it stands behind the agreement as a numbered schedule."""
    keeps_title: bool = False
    """Whether it keeps its title even with a single section."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """The finished text and the number of every section by key."""

    text: str
    numbers: Mapping[str, str]


def render_document(title: str, parts: Sequence[Part], aliases: Mapping[str, str]) -> Rendered:
    """Number the sections in order and write the Markdown.

    Args:
        title: the contract's title.
        parts: its parts in order.
        aliases: further keys of sections, for references to what a section contains.
    """
    lines = [f"# {title}"]
    numbers: dict[str, str] = {}
    for heading, section in _numbered(parts, numbers):
        lines.append(heading)
        lines.extend(section.paragraphs if section else ())
    numbers.update({alias: numbers[key] for alias, key in aliases.items()})
    text = _MARK.sub(lambda match: f"Section {numbers[match[1]]}", "\n\n".join(lines))
    return Rendered(text=f"{text}\n", numbers=numbers)


def _numbered(parts: Sequence[Part], numbers: dict[str, str]) -> Iterator[tuple[str, Section | None]]:
    schedules = 0
    for first, part in enumerate(parts, start=1):
        schedules += part.schedule
        title = f"Schedule {schedules}: {part.title}" if part.schedule else part.title
        if len(part.sections) == 1 and not part.schedule and not part.keeps_title:
            numbers[part.sections[0].key] = str(first)
            yield f"## {first} {part.sections[0].heading}", part.sections[0]
            continue
        yield f"## {first} {title}", None
        for second, section in enumerate(part.sections, start=1):
            numbers[section.key] = f"{first}.{second}"
            yield f"### {first}.{second} {section.heading}", section
