"""What the reader writes down to remember, and reads back. Knows nothing about how it was found.

Notes are one line of JSON inside a text, so that they survive a compaction and can stand beside tool calls.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Final

from nightschool.models.reader.evidence import Evidence
from nightschool.models.reader.sections import OutlineEntry

__all__ = ["NOTES_HEADING", "Notes", "latest_notes", "write_notes"]

NOTES_HEADING: Final = "Notes from your earlier work:"
_MARK: Final = "reader-notes "
_LINE: Final = re.compile(rf"^{_MARK}(\{{.*\}})$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Notes:
    """What is worth keeping when the sections go out of view."""

    evidence: tuple[Evidence, ...] = ()
    definitions: tuple[tuple[str, str], ...] = ()
    """Defined terms with what they mean."""
    read: tuple[str, ...] = ()
    """Sections that need not be read again."""
    left: tuple[OutlineEntry, ...] | None = None
    """Sections still to be read, without their headings; None when the outline was not seen."""
    open: tuple[str, ...] = ()
    """Sections referred to or in doubt, and not read yet."""
    handed_out: bool = False
    """Whether the parts were given to subagents."""


def write_notes(notes: Notes) -> str:
    """Return notes as a line of text."""
    plain = {
        "positions": [asdict(piece) for piece in notes.evidence],
        "definitions": dict(notes.definitions),
        "read": notes.read,
        "left": None if notes.left is None else {entry.number: entry.words for entry in notes.left},
        "open": notes.open,
        "handed_out": notes.handed_out,
    }
    return _MARK + json.dumps(plain, ensure_ascii=False, separators=(",", ":"))


def latest_notes(text: str, before: Notes) -> Notes:
    """Return the last notes in a text, or those from before when it has none."""
    lines = _LINE.findall(text)
    try:
        return _from_plain(json.loads(lines[-1])) if lines else before
    except (ValueError, TypeError, KeyError):
        return before


def _from_plain(plain: dict[str, Any]) -> Notes:
    return Notes(
        evidence=tuple(Evidence(**piece) for piece in plain["positions"]),
        definitions=tuple(plain["definitions"].items()),
        read=_strings(plain["read"]),
        left=None if plain["left"] is None else _entries(plain["left"]),
        open=_strings(plain["open"]),
        handed_out=bool(plain["handed_out"]),
    )


def _entries(words: dict[str, int]) -> tuple[OutlineEntry, ...]:
    return tuple(OutlineEntry(number=number, title="", words=int(count)) for number, count in words.items())


def _strings(values: Iterable[Any]) -> tuple[str, ...]:
    return tuple(str(value) for value in values)
