"""Questions kept under names: those that come with the product, and a folder's own.

Knows nothing about answers.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Final

from nightschool.core.errors import NotFound

__all__ = ["named_questions", "own_questions", "saved_questions"]

_MOST_OWN: Final = 200
_LONGEST: Final = 100_000
"""Bytes of a file that is still taken for a question."""


def named_questions(text: str) -> dict[str, str]:
    """Return the questions of a file by the names that stand above them as ``-- name: ...``."""
    parts = (part.partition("\n") for part in text.split("-- name: ")[1:])
    return {name.strip(): sql.strip().rstrip(";") for name, _, sql in parts}


def saved_questions() -> Mapping[str, str]:
    """Return the questions to begin with."""
    text = files("nightschool.dashboard").joinpath("saved.sql").read_text("utf-8")
    return named_questions(text)


def own_questions(folder: Path) -> Mapping[str, str]:
    """Return a folder's ``.sql`` files by name, without their ending.

    Raises:
        NotFound: a file went away while it was read.
    """
    small = [path for path in sorted(folder.glob("*.sql"))[:_MOST_OWN] if path.stat().st_size <= _LONGEST]
    try:
        return {path.stem: path.read_text("utf-8", errors="replace").strip() for path in small}
    except OSError as error:
        raise NotFound(f"{folder} could not be read: {error.strerror}") from error
