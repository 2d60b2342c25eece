"""What a text wants done: book, cancel, change ... Pure; knows nothing about memories or tasks.

Embeddings place "cancel the flight" beside "book the flight" (cosine 0.8 and more): opposite acts share all
other words. The act is therefore a key of its own.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["action_of", "is_opposed"]

_ACTIONS: Final = {
    "cancel": r"cancel\w*|delete\w*|deleting|deletion"
    r"|remov\w+|terminat\w+|revok\w+|undo\w*|withdraw\w*|unsubscrib\w+",
    "refund": r"refund\w*|compensat\w+|reimburs\w+|certificates?|vouchers?",
    "book": r"book(?:ing|ed)?|reserve[sd]?|reserving|buy(?:ing)?|bought|purchas\w+|order(?:ing|ed)?"
    r"|creat\w+|subscrib\w+",
    "change": r"chang\w+|modif\w+|update\w*|updating|upgrad\w+|downgrad\w+"
    r"|switch\w*|reschedul\w+|mov(?:e|ing)|push\w*|edit\w*",
    "add": r"add(?:ing|ed)?|include\w*|including|attach\w*",
    "send": r"send\w*|sent|forward\w*|export\w*|e?mail(?:ing|ed)?|transfer\w*|escalat\w+",
    "review": r"review\w*|check\w*|inspect\w*|audit\w*|assess\w*",
    "find": r"find\w*|search\w*|look(?:ing)? (?:up|for)|list(?:ing)?|show\w*|get"
    r"|retrieve\w*|retrieving|read\w*",
}
_WORDS: Final = {
    name: re.compile(rf"(?<![A-Za-z])(?:{words})(?![A-Za-z])", re.IGNORECASE)
    for name, words in _ACTIONS.items()
}
_OPPOSED: Final = frozenset(
    {frozenset(pair) for pair in (("cancel", "book"), ("cancel", "add"), ("cancel", "change"))}
)


def action_of(text: str) -> str:
    """Return the first act that a text names; empty when it names none."""
    found = [(match.start(), name) for name, words in _WORDS.items() if (match := words.search(text))]
    return min(found)[1] if found else ""


def is_opposed(one: str, other: str) -> bool:
    """Return whether doing the one undoes, or is the contrary of, the other."""
    return frozenset((one, other)) in _OPPOSED
