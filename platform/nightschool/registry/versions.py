"""The registry: agents by name, every version kept, the latest one used.

Knows nothing about the store; it needs one that refuses to write a version twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final, Protocol

from nightschool.core.errors import NotFound, VersionConflict
from nightschool.registry.agents import AgentFile, parse_agent

__all__ = ["AgentRegistry", "Applied", "Stored", "VersionStore"]

_DIGITS: Final = 6


class Stored(Protocol):
    """A value as the store has it."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def value(self) -> Any:
        """What was written."""

    @property
    def changed_at(self) -> datetime:
        """When."""


class VersionStore(Protocol):
    """What the registry asks of a store (it is `journal.versions`)."""

    def list(self, *, prefix: str = "") -> Sequence[Stored]:
        """Return values by name."""

    def put(self, name: str, value: Any, *, expected: int) -> Stored:
        """Write a value that was not there (``expected`` 0); `VersionConflict` when it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """A version of an agent in the registry."""

    agent: AgentFile
    """As declared, with the version that the registry gave it."""
    text: str
    """Its file."""
    applied_at: datetime
    is_new: bool = True
    """False: the registry had exactly this already."""


@dataclass(frozen=True, slots=True)
class AgentRegistry:
    """Agents in a store."""

    store: VersionStore

    def apply(self, text: str, *, name: str = "agent file") -> Applied:
        """Make a file the latest version of its agent; the same text again changes nothing.

        Raises:
            Malformed: the file is not an agent.
        """
        agent = parse_agent(text, name=name)
        while True:
            latest = self._latest(agent.name)
            if latest is not None and latest.text == text:
                return replace(latest, is_new=False)
            version = 1 if latest is None else latest.agent.version + 1
            try:
                stored = self.store.put(_key(agent.name, version), text, expected=0)
            except VersionConflict:
                # Somebody applied a version meanwhile: ours comes after it.
                continue
            return _applied(stored)

    def latest(self) -> list[Applied]:
        """Return the latest version of every agent, by name."""
        by_name = {each.agent.name: each for each in map(_applied, self.store.list())}
        return [by_name[name] for name in sorted(by_name)]

    def get(self, name: str, version: int | None = None) -> Applied:
        """Return a version of an agent, the latest by default.

        Raises:
            NotFound: no such agent, or no such version of it.
        """
        versions = self._versions(name)
        if not versions:
            known = ", ".join(each.agent.name for each in self.latest()) or "none; `agents apply` adds one"
            raise NotFound(f"no agent {name!r} in the registry; there are: {known}", name=name)
        found = [each for each in versions if version in (None, each.agent.version)]
        if not found:
            raise NotFound(f"agent {name!r} has versions 1 to {versions[-1].agent.version}, not {version}")
        return found[-1]

    def _versions(self, name: str) -> list[Applied]:
        return [_applied(each) for each in self.store.list(prefix=f"{name}@")]

    def _latest(self, name: str) -> Applied | None:
        return next(reversed(self._versions(name)), None)


def _key(name: str, version: int) -> str:
    # Padded, so that versions come in their order.
    return f"{name}@{version:0{_DIGITS}d}"


def _applied(stored: Stored) -> Applied:
    name, _, version = stored.name.rpartition("@")
    agent = parse_agent(stored.value, name=f"registered agent {name}")
    return Applied(
        agent=replace(agent, version=int(version)), text=stored.value, applied_at=stored.changed_at
    )
