"""How the reader leads others: it hands out the sections, then settles what came back. Knows no sentences."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from nightschool.models.reader.context import Context
from nightschool.models.reader.evidence import Evidence
from nightschool.models.reader.sections import OutlineEntry

__all__ = ["definition_sections", "parts", "reported", "to_check"]

_DEFINING: Final = re.compile(r"definition|interpretation|defined terms|glossary", re.IGNORECASE)
_MOST_DEFINING_WORDS: Final = 3000
_WORDS_PER_PART: Final = 2500
_FEWEST_PARTS: Final = 8
_MOST_PARTS: Final = 20
_MOST_CHECKED: Final = 10
_CLOSE: Final = 0.1
_LONGEST_NOTE: Final = 1600
"""Characters; every part gets the same note, and all of them stand in the lead's context."""


def definition_sections(outline: Iterable[OutlineEntry]) -> list[str]:
    """Return the sections whose heading promises definitions, as far as they are short."""
    found, words = [], 0
    for entry in outline:
        words += entry.words if _DEFINING.search(entry.title) else 0
        if _DEFINING.search(entry.title) and words <= _MOST_DEFINING_WORDS:
            found.append(entry.number)
    return found


def parts(outline: Sequence[OutlineEntry], definitions: Iterable[tuple[str, str]]) -> list[dict[str, Any]]:
    """Return the parts to hand out: consecutive sections, about equally long, with what all must know."""
    total = sum(entry.words for entry in outline)
    count = min(len(outline), max(_FEWEST_PARTS, min(_MOST_PARTS, round(total / _WORDS_PER_PART))))
    note = _note(definitions)
    made = []
    for group in _balanced(outline, count):
        title = f"Sections {group[0].number} to {group[-1].number}"
        part: dict[str, Any] = {"title": title, "sections": [entry.number for entry in group]}
        made.append(part | {"note": note} if note else part)
    return made


def _balanced(outline: Sequence[OutlineEntry], count: int) -> list[list[OutlineEntry]]:
    """Cut where the running total passes the next equal share; every part has at least one section."""
    share = sum(entry.words for entry in outline) / max(count, 1)
    groups: list[list[OutlineEntry]] = [[]]
    filled = 0.0
    for entry in outline:
        if groups[-1] and filled + entry.words / 2 > share * len(groups) and len(groups) < count:
            groups.append([])
        groups[-1].append(entry)
        filled += entry.words
    return [group for group in groups if group]


def _note(definitions: Iterable[tuple[str, str]]) -> str:
    lines: list[str] = []
    for _, meaning in definitions:
        if sum(map(len, lines)) + len(meaning) > _LONGEST_NOTE:
            break
        lines.append(meaning)
    return "Definitions:\n" + "\n".join(lines) if lines else ""


def reported(context: Context) -> list[Evidence]:
    """Return what the subagents found, except where the lead has read the section itself."""
    found = []
    for report in context.reports or ():
        for position in report.get("positions") or ():
            piece = _evidence(position)
            if piece is not None and piece.section not in context.sections:
                found.append(piece)
    return found


def _evidence(position: Mapping[str, Any]) -> Evidence | None:
    try:
        if position["position"] == "missing":
            return None
        return Evidence(
            policy=str(position["policy"]),
            position=str(position["position"]),
            section=str(position["section"]),
            quote=str(position["quote"]),
            relevance=float(position["confidence"]),
            certainty=1.0,
            reason=str(position.get("reason", "")),
        )
    except (KeyError, TypeError, ValueError):
        return None


def to_check(context: Context) -> list[str]:
    """Return the sections the lead should read itself: where reports failed, then where they contradict."""
    failed = [report for report in context.reports or () if report.get("error")]
    titles = {str(report.get("title")) for report in failed}
    unread = [
        number
        for call in context.delegated
        if call.get("title") in titles
        for number in call.get("sections", ())
    ]
    read = context.read_numbers
    doubtful = [*context.notes.open, *unread, *_contradicting(context)]
    return [number for number in dict.fromkeys(doubtful) if number not in read]


def _contradicting(context: Context) -> list[str]:
    by_policy: dict[str, list[Evidence]] = {}
    for piece in reported(context):
        by_policy.setdefault(piece.policy, []).append(piece)
    numbers: dict[str, None] = {}
    for pieces in by_policy.values():
        best = max(pieces, key=lambda piece: piece.relevance)
        rivals = [p for p in pieces if p.position != best.position and p.relevance > best.relevance - _CLOSE]
        if rivals:
            numbers |= dict.fromkeys(piece.section for piece in (best, *rivals))
    return list(numbers)[:_MOST_CHECKED]
