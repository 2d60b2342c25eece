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
    open: tuple[str, ...] = ()
    """Sections referred to and not read yet."""


def write_notes(notes: Notes) -> str:
    """Return notes as a line of text."""
    plain = {
        "positions": [asdict(piece) for piece in notes.evidence],
        "definitions": dict(notes.definitions),
        "read": notes.read,
        "open": notes.open,
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
        open=_strings(plain["open"]),
    )


def _strings(values: Iterable[Any]) -> tuple[str, ...]:
    return tuple(str(value) for value in values)
