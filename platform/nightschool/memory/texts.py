"""Texts by their hash, removable for good. Knows nothing about which memory says them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from nightschool.core.clock import Clock
from nightschool.core.errors import VersionConflict
from nightschool.journal.journal import Journal
from nightschool.journal.versions import Versions
from nightschool.memory.memory import sha256_of

__all__ = ["Texts"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Texts:
    """All texts that memories of a journal say or said."""

    journal: Journal
    clock: Clock

    def put(self, text: str) -> str:
        """Keep a text and return its hash; keeping it twice is keeping it once."""
        sha256 = sha256_of(text)
        if self._values.get(sha256) is None:
            try:
                self._values.put(sha256, text, expected=0)
            except VersionConflict:
                # Somebody else kept the same text in between.
                return sha256
        return sha256

    def put_all(self, texts: Iterable[str]) -> None:
        """Keep several texts in one step; those that are kept already cost one question."""
        kept = self.all()
        hashes = {sha256_of(text): text for text in texts}
        self._values.put_all({sha256: text for sha256, text in hashes.items() if sha256 not in kept})

    def get(self, sha256: str) -> str | None:
        """Return a text; None when it was removed or never kept."""
        found = self._values.get(sha256)
        return None if found is None else str(found.value)

    def all(self) -> dict[str, str]:
        """Return every text by its hash."""
        return {each.name: str(each.value) for each in self._values.list()}

    def remove(self, sha256: str) -> None:
        """Remove a text for good; one that is not there is passed over."""
        found = self._values.get(sha256)
        if found is not None:
            self._values.delete(sha256, expected=found.version)

    @property
    def _values(self) -> Versions:
        return Versions(journal=self.journal, clock=self.clock, scope="memory_texts")
