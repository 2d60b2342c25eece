"""A rubric in anybody's Markdown, as the API takes it: whatever its headings are become its dimensions.

    # Quarterly forecast
    ## Revenue projections (40%)
    1. Growth is derived from five years of history.
    ## Layout
    - One sheet for each statement.

A text without headings is one dimension, `quality`. Pure; knows nothing about the five default dimensions.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from nightschool.core.errors import Malformed
from nightschool.outcomes.rubric_parts import Dimension, Rubric

__all__ = ["parse_open_rubric"]

_TITLE: Final = re.compile(r"^#\s+(?:Rubric:\s*)?(?P<title>.+?)\s*$")
_HEADING: Final = re.compile(r"^#{2,6}\s+(?P<name>.+?)\s*#*\s*$")
_WEIGHT: Final = re.compile(
    r"\s*\((?:weight\s*:?\s*)?(?P<number>\d+(?:\.\d+)?)\s*(?P<percent>%?)\)$", re.IGNORECASE
)
_ITEM: Final = re.compile(r"^\s{0,3}(?:[-*+]|\d+[.)])\s+(?:\[[ x]\]\s+)?(?P<text>\S.*)$")
_NOT_IN_NAMES: Final = re.compile(r"[^\w]+")
_WHOLE: Final = "quality"


@dataclass(slots=True)
class _Part:
    name: str
    weight: float = 1.0
    prose: list[str] = field(default_factory=list)
    items: list[str] = field(default_factory=list)

    def add(self, line: str) -> None:
        item = _ITEM.match(line)
        if item:
            self.items.append(item["text"].strip())
        elif line.strip():
            # An indented line goes on with its item; any other is prose.
            if self.items and line.startswith((" ", "\t")):
                self.items[-1] += f" {line.strip()}"
            else:
                self.prose.append(line.strip())

    @property
    def is_empty(self) -> bool:
        return not (self.prose or self.items)


def parse_open_rubric(text: str, *, name: str = "rubric") -> Rubric:
    """Read a rubric.

    Args:
        text: any Markdown; headings beneath the title are dimensions, list items their criteria. A heading
            may end in its weight, ``(0.4)`` or ``(40%)``.
        name: what to call it where it has no title.

    Raises:
        Malformed: there is nothing to judge by, or no weight above 0.
    """
    lines = text.splitlines()
    title = next((match["title"] for line in lines if (match := _TITLE.match(line))), name)
    parts = [part for part in _parts(lines) if not part.is_empty]
    if not parts or not any(part.weight for part in parts):
        raise Malformed(f"{name}: a rubric needs something to judge by, with a weight above 0", path=name)
    return Rubric(
        title=title,
        dimensions=tuple(_distinct(parts)),
        text_hash=hashlib.sha256(text.encode("utf-8")).hexdigest(),
    )


def _parts(lines: Iterable[str]) -> Iterator[_Part]:
    """Yield what stands under each heading; what stands before the first is about the whole."""
    part, found = _Part(_WHOLE), False
    for line in lines:
        heading = _HEADING.match(line)
        if heading is None:
            if not _TITLE.match(line):
                part.add(line)
            continue
        if found or part.items:
            yield part
        part, found = _named(heading["name"]), True
    yield part


def _named(heading: str) -> _Part:
    weight = _WEIGHT.search(heading)
    if weight is None:
        return _Part(_slug(heading))
    number = float(weight["number"]) / (100 if weight["percent"] else 1)
    return _Part(_slug(heading[: weight.start()]), number)


def _slug(heading: str) -> str:
    return _NOT_IN_NAMES.sub("-", heading.casefold()).strip("-") or _WHOLE


def _distinct(parts: Iterable[_Part]) -> Iterator[Dimension]:
    """Give each dimension a name of its own: the second of a name is numbered."""
    seen: dict[str, int] = {}
    for part in parts:
        seen[part.name] = seen.get(part.name, 0) + 1
        dimension = Dimension(
            name=part.name, weight=part.weight, question=" ".join(part.prose), criteria=tuple(part.items)
        )
        yield dimension if seen[part.name] == 1 else replace(dimension, name=f"{part.name}-{seen[part.name]}")
