"""One question to a brain and its answer, as plain values. Knows nothing about how they travel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from nightschool.core.usage import Usage

__all__ = ["ModelReply", "ModelRequest"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """What a brain is shown: the fields are the Messages API's own, unchanged."""

    model: str
    """Model id, such as `reader` or `claude-sonnet-5`."""
    system: str
    """The system prompt."""
    messages: tuple[dict[str, Any], ...]
    """Alternating turns, the first one the user's."""
    tools: tuple[dict[str, Any], ...] = ()
    """Tool definitions: name, description, input_schema."""
    max_tokens: int = 8192
    """Most tokens the answer may have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelReply:
    """What a brain answered."""

    content: tuple[dict[str, Any], ...]
    """Content blocks in order (`text`, `tool_use`, ...), ready to be sent back as the assistant's turn."""
    stop_reason: str
    """`end_turn`, `tool_use`, `max_tokens`, ..."""
    usage: Usage
    """Tokens read and written."""
    model: str
    """The id the server says answered."""
    request_id: str | None = None
    """The server's id of this request, for its logs."""
    time_to_first_token_seconds: float | None = None
    """From sending the request to the first piece of content."""
