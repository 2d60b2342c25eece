"""What an agent says and does."""

from __future__ import annotations

from typing import Literal

from nightschool.events.base import ContentBlock, EventBase, JsonObject

__all__ = [
    "AgentCustomToolUse",
    "AgentMcpToolResult",
    "AgentMcpToolUse",
    "AgentMessage",
    "AgentThinking",
    "AgentThreadContextCompacted",
    "AgentThreadMessageReceived",
    "AgentThreadMessageSent",
    "AgentToolRefused",
    "AgentToolResult",
    "AgentToolUse",
    "Permission",
]

Permission = Literal["allow", "ask", "deny"]


class AgentMessage(EventBase):
    """The agent's words."""

    type: Literal["agent.message"] = "agent.message"
    content: tuple[ContentBlock, ...]


class AgentThinking(EventBase):
    """The agent thought; what it thought is not kept."""

    type: Literal["agent.thinking"] = "agent.thinking"


class AgentToolUse(EventBase):
    """The agent calls a tool; the event's id is the call's id."""

    type: Literal["agent.tool_use"] = "agent.tool_use"
    name: str
    input: JsonObject
    evaluated_permission: Permission | None = None
    model_request_id: str | None = None
    """The ``span.model_request_start`` whose answer made the call."""
    api_tool_use_id: str | None = None
    """The id the model gave the call (`toolu_...`)."""


class AgentToolRefused(EventBase):
    """A call outside what was granted, or denied by a person, was not made; its result tells the agent so."""

    type: Literal["agent.tool_refused"] = "agent.tool_refused"
    tool_use_id: str
    """The id of the `agent.tool_use` event refused."""
    name: str
    reason: str


class AgentToolResult(EventBase):
    """What the tool gave back."""

    type: Literal["agent.tool_result"] = "agent.tool_result"
    tool_use_id: str
    """The id of the `agent.tool_use` event answered."""
    content: tuple[ContentBlock, ...] = ()
    is_error: bool | None = None
    duration_ms: float | None = None


class AgentMcpToolUse(EventBase):
    """The agent calls a tool of an MCP server."""

    type: Literal["agent.mcp_tool_use"] = "agent.mcp_tool_use"
    mcp_server_name: str
    name: str
    input: JsonObject
    evaluated_permission: Permission | None = None


class AgentMcpToolResult(EventBase):
    """What the MCP tool gave back."""

    type: Literal["agent.mcp_tool_result"] = "agent.mcp_tool_result"
    mcp_tool_use_id: str
    content: tuple[ContentBlock, ...] = ()
    is_error: bool | None = None
    duration_ms: float | None = None


class AgentCustomToolUse(EventBase):
    """The agent calls a tool that the client answers."""

    type: Literal["agent.custom_tool_use"] = "agent.custom_tool_use"
    name: str
    input: JsonObject


class AgentThreadMessageSent(EventBase):
    """An agent sends a message to another thread's agent."""

    type: Literal["agent.thread_message_sent"] = "agent.thread_message_sent"
    to_session_thread_id: str
    to_agent_name: str | None = None
    content: tuple[ContentBlock, ...]


class AgentThreadMessageReceived(EventBase):
    """An agent receives a message from another thread's agent."""

    type: Literal["agent.thread_message_received"] = "agent.thread_message_received"
    from_session_thread_id: str
    from_agent_name: str | None = None
    content: tuple[ContentBlock, ...]


class AgentThreadContextCompacted(EventBase):
    """From here on the agent's view starts from ``notes``; the log itself is unchanged."""

    type: Literal["agent.thread_context_compacted"] = "agent.thread_context_compacted"
    notes: str | None = None
    """What the agent wrote down to carry on with; absent in the hosted product's events."""
