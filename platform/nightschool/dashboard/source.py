"""What the pages ask the data folder: named questions in, frames out.

Knows nothing about pages. Each question opens what it needs and lets go of it; a run that is writing is
neither slowed nor waited for.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Final

import polars as pl

from nightschool.core.clock import SystemClock
from nightschool.dashboard.questions import named_questions
from nightschool.journal.journal import Journal
from nightschool.settings import Settings
from nightschool.warehouse.reader import Reader, open_warehouse

__all__ = ["Source", "Version", "folder_identity", "open_source", "question"]

Version = tuple[int, int, int]
"""Changes whenever anything is recorded, and when the folder is emptied or replaced."""

_WAIT_SECONDS: Final = 0.5
"""How long a page waits for the warehouse's file before the journal alone answers."""


@dataclass(frozen=True, slots=True)
class Source:
    """A data folder opened for questions. May be shared by threads."""

    settings: Settings
    reader: Reader
    journal: Journal | None

    def version(self) -> Version:
        """Return the state of the folder; equal versions give equal answers."""
        return (
            _identity(self.settings.journal_path),
            self.journal.last_position() if self.journal else 0,
            0 if self.journal else _changed(self.settings.warehouse_path),
        )

    def ask(self, name: str, **parameters: object) -> pl.DataFrame:
        """Return the answer to a question of ``questions.sql``.

        Raises:
            StoreError: the folder's files cannot be read; the kind says why.
        """
        return self.reader.query(question(name), parameters)

    def close(self) -> None:
        """Let go of the files."""
        self.reader.close()
        if self.journal:
            self.journal.close()


def open_source(settings: Settings) -> Source | None:
    """Return the folder's source; None when nothing was recorded there yet.

    Raises:
        StoreError: the journal cannot be read; the kind says why.
    """
    journal = None
    if settings.journal_path.exists():
        journal = Journal.open(settings.journal_path, clock=SystemClock(), read_only=True)
    elif not settings.warehouse_path.exists():
        return None
    reader = open_warehouse(settings.warehouse_path, journal=journal, wait_seconds=_WAIT_SECONDS)
    return Source(settings, reader, journal)


def folder_identity(settings: Settings) -> tuple[str, int]:
    """Return what tells one data folder from another, and from its successor of the same name."""
    return str(settings.data_dir.absolute()), _identity(settings.journal_path)


def question(name: str) -> str:
    """Return the text of a named question."""
    return _questions()[name]


@cache
def _questions() -> dict[str, str]:
    return named_questions(files("nightschool.dashboard").joinpath("questions.sql").read_text("utf-8"))


def _identity(path: Path) -> int:
    try:
        return path.stat().st_ino
    except FileNotFoundError:
        return 0


def _changed(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except FileNotFoundError:
        return 0
