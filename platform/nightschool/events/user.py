"""What people and client programs send into a session."""

from __future__ import annotations

from typing import Literal

from nightschool.events.base import ContentBlock, EventBase, JsonObject

__all__ = [
    "SystemMessage",
    "UserCustomToolResult",
    "UserDefineOutcome",
    "UserInterrupt",
    "UserMessage",
    "UserToolConfirmation",
    "UserToolResult",
]


class UserMessage(EventBase):
    """A person (or the program in their place) says something to the agent."""

    type: Literal["user.message"] = "user.message"
    content: tuple[ContentBlock, ...]


class UserInterrupt(EventBase):
    """A person stops the current turn."""

    type: Literal["user.interrupt"] = "user.interrupt"


class UserToolConfirmation(EventBase):
    """A person allows or denies a tool call that asked for permission; the first answer to a call holds."""

    type: Literal["user.tool_confirmation"] = "user.tool_confirmation"
    tool_use_id: str
    result: Literal["allow", "deny"]
    deny_message: str | None = None
    given_by: str | None = None
    """Who answered; absent in the hosted product's events."""


class UserCustomToolResult(EventBase):
    """The client's answer to a custom tool call."""

    type: Literal["user.custom_tool_result"] = "user.custom_tool_result"
    custom_tool_use_id: str
    content: tuple[ContentBlock, ...] = ()
    is_error: bool | None = None


class UserToolResult(EventBase):
    """A self-hosted environment's answer to a built-in tool call."""

    type: Literal["user.tool_result"] = "user.tool_result"
    tool_use_id: str
    content: tuple[ContentBlock, ...] = ()
    is_error: bool | None = None


class UserDefineOutcome(EventBase):
    """What done means: a description and the rubric it will be graded by."""

    type: Literal["user.define_outcome"] = "user.define_outcome"
    outcome_id: str
    description: str
    rubric: JsonObject
    max_iterations: int | None = None


class SystemMessage(EventBase):
    """An instruction of the operator's, given during the session."""

    type: Literal["system.message"] = "system.message"
    content: tuple[ContentBlock, ...]
