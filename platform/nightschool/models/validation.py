"""Whether a request keeps the Messages API's rules. Knows nothing about who answers it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["InvalidRequest", "check_request"]


class InvalidRequest(Exception):
    """The request breaks a rule; the text is the API's error message."""

    def __init__(self, message: str, *, is_unknown_model: bool = False) -> None:
        """Keep the message and whether the model is what is wrong."""
        super().__init__(message)
        self.is_unknown_model = is_unknown_model


def check_request(request: Mapping[str, Any], *, model_id: str) -> None:
    """Accept a request or say what is wrong with it.

    Raises:
        InvalidRequest: names the field, as the hosted API does.
    """
    for name in ("model", "messages", "max_tokens"):
        _require(name in request, f"{name}: Field required")
    if request["model"] != model_id:
        raise InvalidRequest(f"model: {request['model']}", is_unknown_model=True)
    limit = request["max_tokens"]
    _require(isinstance(limit, int) and limit > 0, "max_tokens: Input should be greater than or equal to 1")
    _check_tools(request.get("tools"))
    _check_messages(request["messages"])


def _require(holds: object, message: str) -> None:
    if not holds:
        raise InvalidRequest(message)


def _check_tools(tools: Any) -> None:
    if tools is None:
        return
    _require(isinstance(tools, list), "tools: Input should be a valid list")
    names = []
    for place, tool in enumerate(tools):
        named = isinstance(tool, dict) and isinstance(tool.get("name"), str)
        _require(named, f"tools.{place}.name: Field required")
        names.append(tool["name"])
    _require(len(names) == len(set(names)), "tools: Tool names must be unique.")


def _check_messages(messages: Any) -> None:
    _require(isinstance(messages, list), "messages: Input should be a valid list")
    _require(bool(messages), "messages: at least one message is required")
    expected: frozenset[str] = frozenset()
    for place, message in enumerate(messages):
        _require(isinstance(message, dict), f"messages.{place}: Input should be an object")
        role = message.get("role")
        known = role in ("user", "assistant")
        _require(known, f"messages.{place}.role: Input should be 'user' or 'assistant'")
        blocks = _blocks(message.get("content"), place)
        _check_results(blocks, expected, place)
        expected = _ids(blocks, "tool_use", "id") if role == "assistant" else frozenset()
    _require(messages[0]["role"] == "user", 'messages: first message must use the "user" role')
    _require(not expected, _unanswered(len(messages) - 1, expected))


def _blocks(content: Any, place: int) -> list[dict[str, Any]]:
    if isinstance(content, str):
        _require(bool(content), f"messages.{place}: user messages must have non-empty content")
        return []
    _require(isinstance(content, list), f"messages.{place}.content: Input should be a valid string or list")
    for index, block in enumerate(content):
        named = isinstance(block, dict) and isinstance(block.get("type"), str)
        _require(named, f"messages.{place}.content.{index}.type: Field required")
    return list(content)


def _check_results(blocks: list[dict[str, Any]], expected: frozenset[str], place: int) -> None:
    given = _ids(blocks, "tool_result", "tool_use_id")
    _require(given >= expected, _unanswered(place - 1, expected - given))
    stray = ", ".join(sorted(given - expected))
    _require(
        not stray,
        f"messages.{place}: unexpected `tool_use_id` found in `tool_result` blocks: {stray}. Each "
        "`tool_result` block must have a corresponding `tool_use` block in the previous message.",
    )


def _ids(blocks: list[dict[str, Any]], kind: str, key: str) -> frozenset[str]:
    return frozenset(str(block.get(key)) for block in blocks if block["type"] == kind)


def _unanswered(place: int, missing: frozenset[str]) -> str:
    return (
        f"messages.{place}: `tool_use` ids were found without `tool_result` blocks immediately after: "
        + ", ".join(sorted(missing))
    )
