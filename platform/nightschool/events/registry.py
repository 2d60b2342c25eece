"""What became of the registry of agents. Appended to a session of its own."""

from __future__ import annotations

from typing import Literal

from nightschool.events.base import EventBase

__all__ = ["AgentApplied"]


class AgentApplied(EventBase):
    """A file became the latest version of its agent."""

    type: Literal["registry.agent_applied"] = "registry.agent_applied"
    name: str
    version: int
    """In the registry."""
    digest: str
    """SHA-256 of the file's text."""
    model: str | None = None
    """The model that the file names; null: the run's."""
    tools: tuple[str, ...] = ()
    """The tools it is allowed."""
    permissions: tuple[str, ...] = ()
    """What it may write."""
