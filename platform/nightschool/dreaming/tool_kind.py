"""Whether a tool reads, writes, thinks or hands over, by its name. Pure; knows nothing about any registry.

A name that no rule knows counts as writing: taking a write for a read would advise to leave it out.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from nightschool.dreaming.episode import CallKind

__all__ = ["kind_of"]

_KINDS: Final = (
    (CallKind.HANDOFF, r"transfer_to|hand_?(?:off|over)|escalate|delegate|ask_human|give_up"),
    (CallKind.THOUGHT, r"think|calculate|calc|reflect|plan|compute"),
    (
        CallKind.READ,
        (
            r"get|list|search|find|read|glob|grep|ls|cat|view|show|fetch|query|lookup|look_up|check|count|describe"
            r"|retrieve|status|inspect|web_search|web_fetch"
        ),
    ),
)
_RULES: Final = tuple(
    (kind, re.compile(rf"(?:\w+[.:/])?(?:{names})(?:$|[_\W])", re.IGNORECASE)) for kind, names in _KINDS
)


@lru_cache(maxsize=1024)
def kind_of(tool: str) -> CallKind:
    """Return what a tool of this name does."""
    snake = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", tool)
    return next((kind for kind, pattern in _RULES if pattern.match(snake)), CallKind.WRITE)
