"""What differs between two stores, memory by memory. Pure; knows nothing about how a store came to differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from nightschool.memory.memory import Memory

__all__ = ["Edit", "edits_between"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """One change of a store."""

    path: str
    before: Memory | None
    after: Memory | None
    """None: purged."""

    @property
    def what(self) -> str:
        """Return the change in a word: created, modified, purged, or the state that it moves to."""
        if self.before is None:
            return "created"
        if self.after is None:
            return "purged"
        states = self.before.attributes.state, self.after.attributes.state
        return "modified" if states[0] is states[1] else str(states[1])

    @property
    def memory(self) -> Memory:
        """Return the memory as it would be; as it was when it would be gone."""
        memory = self.after or self.before
        assert memory is not None  # noqa: S101  # the path came from one of the two
        return memory


def edits_between(before: Mapping[str, Memory], after: Mapping[str, Memory]) -> list[Edit]:
    """Return what differs between two stores, by path: texts, and what is known about them."""
    paths = sorted({*before, *after})
    edits = (Edit(path=path, before=before.get(path), after=after.get(path)) for path in paths)
    return [edit for edit in edits if _content(edit.before) != _content(edit.after)]


def _content(memory: Memory | None) -> object:
    return None if memory is None else (memory.sha256, memory.attributes)
