"""Texts by their hash, removable for good. Knows nothing about which memory says them.

A text lies in the journal, or in cold storage beside it; whoever asks for it need not know where.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from nightschool.core.clock import Clock
from nightschool.core.errors import VersionConflict
from nightschool.journal.journal import Journal
from nightschool.journal.versions import Versions
from nightschool.memory.cold import ColdTexts, cold_texts_beside
from nightschool.memory.memory import sha256_of

__all__ = ["Texts"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Texts:
    """All texts that memories of a journal say or said."""

    journal: Journal
    clock: Clock

    @property
    def cold(self) -> ColdTexts:
        """Where texts lie that nobody needs for now."""
        return cold_texts_beside(self.journal.path)

    def put(self, text: str) -> str:
        """Keep a text in the journal and return its hash; keeping it twice is keeping it once."""
        sha256 = sha256_of(text)
        if self._values.get(sha256) is None:
            try:
                self._values.put(sha256, text, expected=0)
            except VersionConflict:
                # Somebody else kept the same text in between.
                return sha256
        return sha256

    def put_all(self, texts: Iterable[str]) -> None:
        """Keep several texts in the journal in one step; those that it holds already cost one question."""
        kept = self.live()
        hashes = {sha256_of(text): text for text in texts}
        self._values.put_all({sha256: text for sha256, text in hashes.items() if sha256 not in kept})

    def get(self, sha256: str) -> str | None:
        """Return a text; None when it was removed or never kept."""
        found = self._values.get(sha256)
        if found is None and (cold := self.cold.rows().get(sha256)) is not None:
            return cold.text
        # It may have come back between the two looks.
        found = found or self._values.get(sha256)
        return None if found is None else str(found.value)

    def live(self) -> dict[str, str]:
        """Return every text that the journal holds, by its hash."""
        return {each.name: str(each.value) for each in self._values.list()}

    def all(self) -> dict[str, str]:
        """Return every text by its hash, wherever it lies."""
        found = self.live()
        if not self.cold.path.parent.exists():
            return found
        # A text that moves is written before it is removed: one of these three looks finds it.
        return {**found, **{sha256: each.text for sha256, each in self.cold.rows().items()}, **self.live()}

    def remove(self, sha256: str) -> None:
        """Remove a text for good, from cold storage too; one that is not there is passed over."""
        with self.cold.held():
            self.remove_live(sha256)
            rows = self.cold.rows()
            if rows.pop(sha256, None) is not None:
                self.cold.replace(rows.values())

    def remove_live(self, sha256: str) -> None:
        """Remove a text from the journal only."""
        found = self._values.get(sha256)
        if found is not None:
            self._values.delete(sha256, expected=found.version)

    @property
    def _values(self) -> Versions:
        return Versions(journal=self.journal, clock=self.clock, scope="memory_texts")
