"""Texts that nobody needs for now: one Parquet file, replaced as a whole.

A change is written beside the file, put on disk, and takes its place in one step, so that a crash leaves the
old file or the new one. Knows nothing about why a text is here.
"""

from __future__ import annotations

import errno
import io
import os
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from pathlib import Path
from typing import Final

from nightschool.core.errors import StoreCorrupt, StoreFull, StoreUnwritable
from nightschool.journal.lock import WriteLock

__all__ = ["ColdText", "ColdTexts", "cold_texts_beside"]

_BUSY_SECONDS: Final = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ColdText:
    """One text in cold storage."""

    sha256: str
    text: str
    path: str
    """Where the memory that says it stands."""
    store_id: str
    moved_at: datetime


_COLUMNS: Final = [field.name for field in fields(ColdText)]


def cold_texts_beside(journal: Path) -> ColdTexts:
    """Return the cold storage that belongs to the journal at a path."""
    return ColdTexts(path=journal.parent / "cold" / "memories" / "texts.parquet")


@dataclass(frozen=True, slots=True, kw_only=True)
class ColdTexts:
    """The file; it is missing while nothing is cold."""

    path: Path

    def rows(self) -> dict[str, ColdText]:
        """Return what lies here, by hash.

        Raises:
            StoreCorrupt: the file is not what was written.
        """
        if not self.path.exists():
            return {}
        import polars as pl

        try:
            found = pl.read_parquet(io.BytesIO(self.path.read_bytes()), columns=_COLUMNS).to_dicts()
        except FileNotFoundError:
            return {}  # the last text left it in between
        except (pl.exceptions.PolarsError, OSError) as error:
            raise StoreCorrupt(
                f"{self.path}, which holds texts of cold memories, cannot be read. Put it back from a backup,"
                " or move it away: what it held then counts as redacted.",
                path=str(self.path),
            ) from error
        return {row["sha256"]: ColdText(**row) for row in found}

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the turn to change which texts lie here and which in the journal; remove what a crash left.

        Raises:
            StoreBusy: others held it for too long.
            StoreUnwritable: the folder cannot be written.
        """
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with (
                closing(WriteLock(self.path, busy_seconds=_BUSY_SECONDS)) as turn,
                turn.held(),
            ):
                self._part.unlink(missing_ok=True)
                yield
        except OSError as error:
            raise StoreUnwritable(
                f"{self.path.parent} cannot be written: {error.strerror}", path=str(self.path.parent)
            ) from error

    def replace(self, rows: Iterable[ColdText]) -> None:
        """Let these texts lie here and no others. Only to be called while it is held.

        Raises:
            StoreFull: there is no room; the file is as it was.
            StoreUnwritable: the folder cannot be written; the file is as it was.
        """
        import polars as pl

        ordered = sorted(rows, key=lambda each: each.sha256)
        try:
            if not ordered:
                self.path.unlink(missing_ok=True)
            else:
                written = io.BytesIO()
                pl.DataFrame([asdict(each) for each in ordered]).write_parquet(written)
                with self._part.open("wb") as part:
                    part.write(written.getbuffer())
                    part.flush()
                    os.fsync(part.fileno())
                self._part.rename(self.path)
            _flush(self.path.parent)
        except OSError as error:
            kind = StoreFull if error.errno == errno.ENOSPC else StoreUnwritable
            raise kind(f"{self.path} cannot be written: {error.strerror}", path=str(self.path)) from error

    @property
    def _part(self) -> Path:
        return self.path.with_suffix(".part")


def _flush(folder: Path) -> None:
    """Put a folder's names on disk before anything relies on them."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
