"""The clause library and the filler, read from the YAML files beside this module.

Knows nothing about truth, drawing or documents: it holds what can be said, not what is said. Every text is
parsed when the library is loaded, so that a mistake in a file is found at once and named with its place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, TypeVar

import yaml

from nightschool.core.errors import Malformed

from .quantities import Quantity, parse_quantity
from .templates import Template, parse

__all__ = [
    "ClauseType",
    "Decoy",
    "Definition",
    "Library",
    "Stance",
    "Topic",
    "Via",
    "Wording",
    "library",
    "load",
]

T = TypeVar("T")

_FOLDER: Final = Path(__file__).parent
_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The same loader in C where PyYAML was built with it: twenty times as fast."""


class Stance(StrEnum):
    """Whether a wording is on our side of the policy."""

    SAFE = "safe"
    RISKY = "risky"


class Via(StrEnum):
    """Where the words stand that decide."""

    DIRECT = "direct"
    DEFINITION = "definition"
    CROSS_REFERENCE = "cross_reference"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """One way to write an operative clause."""

    clause: Template
    term: str | None = None
    """The defined term that decides, when it is decided by a definition."""
    support: Template | None = None
    """What stands elsewhere: the definition's text, or the entry that the clause refers to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoy:
    """A paragraph that looks like a clause of this type and does not bind the Customer."""

    text: Template
    heading: str | None
    """A heading of its own; without one the paragraph stands among others."""
    background: bool
    """Whether it is history and may stand in the recitals."""
    only_with_compliant: bool
    """Whether it would itself be a good clause, and so fits only a contract that has one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClauseType:
    """All that can be said under one policy."""

    policy: str
    parts: tuple[str, ...]
    headings: tuple[str, ...]
    limits: Mapping[Stance, tuple[Quantity, ...]]
    wordings: Mapping[tuple[Stance, Via], tuple[Wording, ...]]
    companions: tuple[Template, ...]
    """Neutral paragraphs on the same subject, which decide nothing."""
    decoys: tuple[Decoy, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """A subject of filler: sections that say nothing about any policy."""

    key: str
    part: str
    headings: tuple[Template, ...]
    paragraphs: tuple[Template, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """A defined term and the ways to define it."""

    term: str
    means: tuple[Template, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Library:
    """Everything a contract can be made of."""

    clause_types: Mapping[str, ClauseType]
    topics: tuple[Topic, ...]
    definitions: tuple[Definition, ...]
    part_titles: Mapping[str, tuple[Template, ...]]
    words: Mapping[str, tuple[str, ...]]


@lru_cache(maxsize=1)
def library() -> Library:
    """Return the suite's library; the files are read once."""
    return load(_FOLDER)


def load(folder: Path) -> Library:
    """Read a library from ``clauses/*.yaml`` and ``filler/*.yaml``.

    Raises:
        Malformed: a file is not YAML, lacks a field or holds a text that cannot be parsed.
    """
    filler = folder / "filler"
    clause_types = [_made(_clause_type, entry) for entry in _entries(folder / "clauses")]
    definitions = _file_entries(filler / "definitions.yaml")
    return Library(
        clause_types={clause_type.policy: clause_type for clause_type in clause_types},
        topics=tuple(_made(_topic, entry) for entry in _entries(filler / "topics")),
        definitions=tuple(_made(_definition, entry) for entry in definitions),
        part_titles={key: tuple(map(parse, titles)) for key, titles in _read(filler / "parts.yaml").items()},
        words={key: tuple(values) for key, values in _read(filler / "words.yaml").items()},
    )


@dataclass(frozen=True, slots=True)
class _Entry:
    """One item of a YAML list with its place, for messages."""

    place: str
    fields: Mapping[str, Any]

    def __getitem__(self, name: str) -> Any:
        if name not in self.fields:
            raise Malformed(
                f"{self.place}: the field {name!r} is missing; add it", place=self.place, field=name
            )
        return self.fields[name]

    def texts(self, name: str) -> tuple[str, ...]:
        return tuple(self.fields.get(name) or ())


def _read(path: Path) -> Any:
    try:
        return yaml.load(path.read_text(encoding="utf-8"), Loader=_LOADER)  # noqa: S506 - it is a safe loader
    except yaml.YAMLError as error:
        raise Malformed(f"{path} is not valid YAML: {error}", path=str(path)) from error


def _entries(folder: Path) -> Iterator[_Entry]:
    for path in sorted(folder.glob("*.yaml")):
        yield from _file_entries(path)


def _file_entries(path: Path) -> Iterator[_Entry]:
    for number, fields in enumerate(_read(path), start=1):
        if not isinstance(fields, dict):
            raise Malformed(
                f"{path}, entry {number}: a mapping was expected, found {fields!r}", path=str(path)
            )
        name = fields.get("policy") or fields.get("topic") or fields.get("term") or number
        yield _Entry(f"{path}, entry {name}", fields)


def _made(make: Callable[[_Entry], T], entry: _Entry) -> T:
    """Make something of an entry; a text in it that cannot be parsed is named with the entry."""
    try:
        return make(entry)
    except Malformed as error:
        if error.details.get("place"):
            raise
        raise Malformed(f"{entry.place}: {error.message}", place=entry.place) from error


def _clause_type(entry: _Entry) -> ClauseType:
    limits = entry.fields.get("limit") or {}
    return ClauseType(
        policy=entry["policy"],
        parts=tuple(entry["parts"]),
        headings=tuple(entry["headings"]),
        limits={stance: tuple(map(parse_quantity, limits.get(stance, ()))) for stance in Stance},
        wordings=_wordings(entry),
        companions=tuple(map(parse, entry.texts("companions"))),
        decoys=tuple(_decoy(item) for item in entry["decoys"]),
    )


def _wordings(entry: _Entry) -> dict[tuple[Stance, Via], tuple[Wording, ...]]:
    found: dict[tuple[Stance, Via], list[Wording]] = {}
    for via in Via:
        group = entry["wordings"].get(via) or ()
        pairs = _direct(group) if via is Via.DIRECT else _indirect(group, entry.place)
        for stance, wording in pairs:
            found.setdefault((stance, via), []).append(wording)
    return {key: tuple(wordings) for key, wordings in found.items()}


def _direct(group: Any) -> Iterator[tuple[Stance, Wording]]:
    for stance in Stance:
        for text in (*group.get("either", ()), *group.get(stance, ())):
            yield stance, Wording(clause=parse(text))


def _indirect(group: Any, place: str) -> Iterator[tuple[Stance, Wording]]:
    """Yield wordings whose clause is the same on both sides and whose support decides."""
    for item in group:
        for stance in Stance:
            texts = (*item.get("either", ()), *item.get(stance, ()))
            if "clause" not in item or not texts:
                raise Malformed(
                    f"{place}: an indirect wording needs 'clause' and, for {stance}, a text", place=place
                )
            for text in texts:
                yield (
                    stance,
                    Wording(clause=parse(item["clause"]), term=item.get("term"), support=parse(text)),
                )


def _decoy(item: str | Mapping[str, Any]) -> Decoy:
    fields = {"text": item} if isinstance(item, str) else item
    return Decoy(
        text=parse(fields["text"]),
        heading=fields.get("heading"),
        background=bool(fields.get("background")),
        only_with_compliant=bool(fields.get("only_with_compliant")),
    )


def _topic(entry: _Entry) -> Topic:
    return Topic(
        key=entry["topic"],
        part=entry["part"],
        headings=tuple(map(parse, entry["headings"])),
        paragraphs=tuple(map(parse, entry["paragraphs"])),
    )


def _definition(entry: _Entry) -> Definition:
    return Definition(term=entry["term"], means=tuple(map(parse, entry["means"])))
