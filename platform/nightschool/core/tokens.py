"""Tokens of a text or a request, estimated where nobody has counted. Knows no model's real tokenizer."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, Final

__all__ = ["BYTES_PER_TOKEN", "estimate_tokens", "text_tokens"]

BYTES_PER_TOKEN: Final = 4
"""UTF-8 bytes of compact JSON counted as one token: about right for English prose."""


def text_tokens(text: str) -> int:
    """Return the estimated tokens of a text, rounded up."""
    return -(-len(text.encode()) // BYTES_PER_TOKEN)


def estimate_tokens(
    system: str | Sequence[Any] | None, messages: Iterable[Any], tools: Iterable[Any] = ()
) -> int:
    """Return the estimated tokens of a request: system prompt, messages and tool definitions as JSON."""
    instructions = system if isinstance(system, str) else _compact(list(system or ()))
    return text_tokens(instructions + _compact(list(messages)) + _compact(list(tools)))


def _compact(value: list[Any]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
