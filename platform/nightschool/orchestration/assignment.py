"""One agent set to work on one task in a session of its own. Safe to repeat: the session is found again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from nightschool.core.ids import derived_id
from nightschool.events.base import EventBase, TextBlock
from nightschool.events.session import AgentSnapshot
from nightschool.events.user import UserMessage
from nightschool.harness.loop import Harness
from nightschool.harness.tools import Tools
from nightschool.registry.agents import AgentFile
from nightschool.sandbox.tools import Tool
from nightschool.sessions.log import SessionLog, SessionWriter

__all__ = ["Assignment", "open_session", "work"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """Who does what, with which hands."""

    session_id: str
    agent: AgentFile
    model: str
    """The run's model id; an agent file that names its own overrides it."""
    system: str
    """The whole system prompt: the agent's body and what the task adds."""
    prompt: str
    tools: Sequence[Tool]
    """What the task needs; the agent gets those of them that its file allows."""
    title: str
    metadata: Mapping[str, str]
    parent_session_id: str | None = None
    notes: tuple[EventBase, ...] = ()
    """Events that stand in the session before its first message."""


def _granted(assignment: Assignment) -> Tools:
    allowed = set(assignment.agent.tools)
    tools = (tool for tool in assignment.tools if tool.definition.name in allowed)
    return Tools(tools, ask=assignment.agent.ask)


async def open_session(log: SessionLog, assignment: Assignment) -> tuple[SessionWriter, Tools]:
    """Create the assignment's session with its first message, or find it; return the tools granted too."""
    tools = _granted(assignment)
    snapshot = AgentSnapshot(
        name=assignment.agent.name,
        model=assignment.agent.model or assignment.model,
        system=assignment.system,
        tools=tools.as_wire(),
        version=assignment.agent.version,
    )
    # A derived id: a second process doing the same finds the message already said.
    task = UserMessage(
        id=derived_id("event", assignment.session_id, "task"), content=(TextBlock(text=assignment.prompt),)
    )
    first = (*assignment.notes, task)
    writer = await log.create(
        assignment.session_id,
        agent=snapshot,
        title=assignment.title,
        parent_session_id=assignment.parent_session_id,
        metadata=dict(assignment.metadata),
        first=first,
    )
    said = writer.began or await log.get_events(assignment.session_id, types=("user.message",), limit=1)
    if not said:  # somebody else began the session
        await writer.emit_event(*first)
    return writer, tools


async def work(log: SessionLog, harness: Harness, assignment: Assignment) -> list[EventBase]:
    """Carry the assignment to the end of its turn and return the session's events."""
    writer, tools = await open_session(log, assignment)
    return await harness.run(assignment.session_id, tools, writer=writer)
