"""A section's text as sentences, verbatim, and as masked copies to compare. Knows no policies."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from nightschool.models.reader.quantities import amounts

__all__ = ["Statement", "masked", "sentences_of", "split_paragraphs", "split_statements", "stems"]

_PARAGRAPH: Final = re.compile(r"(?:[^\n]|\n(?!\s*\n|\s*(?:[-*•]|\(\w{1,4}\)|\w{1,3}[.)])\s))+")
"""Lines of a paragraph belong together, unless the next one begins an item of a list."""
_BOUNDARY: Final = re.compile(r"(?<=[.;!?])[\"”')\]]*\s+(?=[\"“(\[]?[A-Z0-9(])")
_ABBREVIATION: Final = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|cf|no|nos|art|sec|para|vs|ltd|inc|co|corp|mr|ms|dr|st|approx|incl)|\b[A-Z])\.$",
    re.IGNORECASE,
)
_SHORTEST: Final = 12
"""Characters; shorter pieces are joined to what follows."""
_HEADING_WORDS: Final = 4
_SHORT_PARAGRAPH: Final = 60
"""Words; so short a paragraph makes one statement, and its sentences lean on one another."""
_REFERENCE: Final = re.compile(
    r"\b(?:Sections?|Clauses?|Articles?|Paragraphs?|Schedule|Annex|Appendix)\s+[\dA-Z][\d.]*"
)
_COMPANY: Final = re.compile(
    r"\b(?:[A-Z][\w&.-]*\s+){1,4}(?:GmbH|AG|SE|Ltd|Limited|Inc|LLC|LLP|PLC|plc|B\.V|BV|S\.A|SA|SAS|KG|Corp|Corporation)\b\.?"
)
_FIGURE: Final = re.compile(r"\(?\d[\d.,%]*\)?")
_WORD: Final = re.compile(r"[a-z]{3,}")
_SUFFIX: Final = re.compile(
    r"(?:ations?|ements?|ments?|ings?|ions?|edly|able|ally|ies|ors?|ers?|ed|es|ly|al|s|e|y)$"
)
_STOPWORDS: Final = frozenset(
    [
        "the",
        "and",
        "any",
        "all",
        "for",
        "that",
        "this",
        "with",
        "shall",
        "may",
        "not",
        "its",
        "are",
        "has",
        "have",
        "been",
        "will",
        "from",
        "such",
        "under",
        "which",
        "other",
        "than",
        "was",
        "were",
        "their",
        "they",
        "them",
        "who",
        "whom",
        "whose",
        "only",
        "upon",
        "into",
        "out",
        "own",
        "per",
        "each",
        "every",
        "either",
        "both",
        "must",
        "being",
        "these",
        "those",
        "there",
        "here",
        "then",
        "also",
        "more",
        "most",
        "less",
        "least",
        "when",
        "where",
        "while",
        "after",
        "before",
        "within",
        "without",
        "about",
        "over",
    ]
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A verbatim piece of a section."""

    text: str
    place: int
    """Its number within the section, from 0."""


@lru_cache(maxsize=16384)
def split_paragraphs(text: str) -> tuple[str, ...]:
    """Return the paragraphs and list items of a text; each is an exact substring of it."""
    return tuple(line[0].strip() for line in _PARAGRAPH.finditer(text) if line[0].strip())


@lru_cache(maxsize=16384)
def split_statements(text: str) -> tuple[Statement, ...]:
    """Return the sentences of a text; each is an exact substring of it."""
    pieces = [
        piece
        for paragraph in split_paragraphs(text)
        for piece in ((paragraph,) if len(paragraph.split()) <= _SHORT_PARAGRAPH else sentences_of(paragraph))
    ]
    return tuple(Statement(text=piece, place=place) for place, piece in enumerate(pieces))


@lru_cache(maxsize=16384)
def sentences_of(paragraph: str) -> tuple[str, ...]:
    """Return the sentences of a paragraph."""
    return tuple(_pieces(paragraph))


def _pieces(paragraph: str) -> Iterator[str]:
    start = 0
    for boundary in _BOUNDARY.finditer(paragraph):
        piece = paragraph[start : boundary.start()]
        # What opens a paragraph in a few words is its heading and belongs to what follows.
        is_heading = start == 0 and len(piece.split()) <= _HEADING_WORDS
        if is_heading or len(piece.strip()) < _SHORTEST or _ABBREVIATION.search(piece):
            continue
        yield paragraph[start : boundary.end()].strip()
        start = boundary.end()
    if paragraph[start:].strip():
        yield paragraph[start:].strip()


@lru_cache(maxsize=65536)
def masked(text: str) -> str:
    """Return a text with what differs from contract to contract taken out: names, numbers, references."""
    parts, last = [], 0
    for amount in amounts(text):
        unit = {"time": "some time", "percent": "some percent", "money": "some money"}[amount.dimension]
        parts += [text[last : amount.start], unit]
        last = amount.end
    plain = "".join([*parts, text[last:]])
    plain = _COMPANY.sub("the company", plain)
    plain = _REFERENCE.sub("another section", plain)
    return " ".join(_FIGURE.sub(" ", plain).split())


@lru_cache(maxsize=65536)
def stems(text: str) -> frozenset[str]:
    """Return the roughly stemmed content words of a text."""
    return frozenset(
        _SUFFIX.sub("", word) if len(word) > 4 else word
        for word in _WORD.findall(text.lower())
        if word not in _STOPWORDS
    )
