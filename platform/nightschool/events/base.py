"""What every event has, and the content blocks that several families share."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["ContentBlock", "EventBase", "OtherBlock", "TextBlock", "Wire", "text_of"]


class Wire(BaseModel):
    """A value as it travels: immutable, and tolerant of fields a newer version added."""

    model_config = ConfigDict(frozen=True, extra="allow")


class EventBase(Wire):
    """One thing that happened. Position, sequence and epoch are the journal's, not the event's."""

    type: str
    """The wire name, such as `agent.tool_use`; each kind of event fixes its own."""
    id: str
    """`sevt_...`, unique; appending the same id twice is one append."""
    processed_at: datetime | None = None
    """When it happened (UTC); null while an inbound event waits in the queue."""
    session_thread_id: str | None = None
    """The thread it belongs to when that is not the session's primary one."""
    agent_id: str | None = None
    """The agent that acted, as named in the registry; null for users and the system."""


class TextBlock(Wire):
    """A run of text."""

    type: Literal["text"] = "text"
    text: str


class OtherBlock(Wire):
    """Any other content block (image, document, search result, redacted), kept as it came."""

    type: str


ContentBlock = Annotated[TextBlock | OtherBlock, Field(union_mode="left_to_right")]


def text_of(content: tuple[TextBlock | OtherBlock, ...] | str | None) -> str:
    """Return the readable text of a content list; other blocks are named in brackets."""
    if content is None or isinstance(content, str):
        return content or ""
    return "\n".join(block.text if isinstance(block, TextBlock) else f"[{block.type}]" for block in content)


JsonObject = dict[str, Any]
"""A JSON object whose shape another party declares (tool inputs, metadata)."""
