"""Which store a name stands for, now and before. Adoption moves a name; no store is ever changed by it."""

from __future__ import annotations

from dataclasses import dataclass

from nightschool.core.clock import Clock
from nightschool.core.errors import InvalidInput
from nightschool.core.ids import derived_id
from nightschool.journal.journal import Journal
from nightschool.journal.versions import Versions

__all__ = ["DEFAULT_NAME", "Head", "Heads"]

DEFAULT_NAME = "default"


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """What a name stands for."""

    name: str
    store_id: str
    previous: tuple[str, ...] = ()
    """Stores it stood for before, the latest last."""
    version: int = 0
    """Of the head itself; 0 when it was never moved."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Heads:
    """The names of one journal's stores."""

    journal: Journal
    clock: Clock

    def get(self, name: str) -> Head:
        """Return what a name stands for; a name that was never moved stands for its first store."""
        found = self._values.get(name)
        if found is None:
            return Head(name=name, store_id=derived_id("memory_store", "first", name))
        return Head(
            name=name,
            store_id=found.value["store_id"],
            previous=tuple(found.value["previous"]),
            version=found.version,
        )

    def move(self, head: Head, store_id: str) -> Head:
        """Let a name stand for another store.

        Raises:
            VersionConflict: it was moved by somebody else meanwhile.
        """
        return self._put(head, store_id, (*head.previous, head.store_id))

    def move_back(self, head: Head) -> Head:
        """Let a name stand for the store before.

        Raises:
            InvalidInput: there was none before.
        """
        if not head.previous:
            raise InvalidInput(
                f"the store {head.name!r} stands where it began; there is nothing to go back to"
            )
        return self._put(head, head.previous[-1], head.previous[:-1])

    def names(self) -> list[str]:
        """Return all names that were moved."""
        return [each.name for each in self._values.list()]

    def _put(self, head: Head, store_id: str, previous: tuple[str, ...]) -> Head:
        value = {"store_id": store_id, "previous": list(previous)}
        written = self._values.put(head.name, value, expected=head.version)
        return Head(name=head.name, store_id=store_id, previous=previous, version=written.version)

    @property
    def _values(self) -> Versions:
        return Versions(journal=self.journal, clock=self.clock, scope="memory_heads")
