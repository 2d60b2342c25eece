"""The episodes a store's dreams have read, kept so that a dream need not read the whole log again.

A copy, never the source: a rebuild makes it anew from the log. Deleting a session deletes its episode.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from nightschool.core.clock import Clock
from nightschool.dreaming.episode import EPISODES, Episode
from nightschool.journal.journal import Journal
from nightschool.journal.versions import Versions

__all__ = ["Shelf"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelf:
    """The episodes of one store's name."""

    journal: Journal
    clock: Clock
    name: str

    def episodes(self) -> list[Episode]:
        """Return all episodes."""
        return [episode for each in self._values.list() for episode in EPISODES.validate_python([each.value])]

    def put(self, episodes: Iterable[Episode]) -> int:
        """Keep episodes, each in place of its session's earlier one; return how many were new or changed."""
        present = {each.name: each.value for each in self._values.list()}
        values = EPISODES.dump_python(tuple(episodes), mode="json")
        changed = {
            value["session_id"]: value for value in values if present.get(value["session_id"]) != value
        }
        # Dreams at the same time read the same log: whoever writes last writes the same.
        self._values.put_all(changed)
        return len(changed)

    def forget(self, session_ids: Collection[str]) -> int:
        """Remove the episodes of sessions; return how many there were."""
        gone = [each for session in session_ids if (each := self._values.get(session)) is not None]
        for each in gone:
            self._values.delete(each.name, expected=each.version)
        return len(gone)

    def watermark(self) -> int:
        """Return the position of the log up to which dreams have looked."""
        found = self._marks.get(self.name)
        return 0 if found is None else int(found.value)

    def advance(self, position: int) -> None:
        """Move the watermark forward; it never moves back."""
        found = self._marks.get(self.name)
        if found is None or found.value < position:
            self._marks.put(self.name, position, expected=0 if found is None else found.version)

    @property
    def _values(self) -> Versions:
        return Versions(journal=self.journal, clock=self.clock, scope=f"dream_episodes/{self.name}")

    @property
    def _marks(self) -> Versions:
        return Versions(journal=self.journal, clock=self.clock, scope="dream_watermarks")
