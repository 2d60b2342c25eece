"""Statements that outlast their session: corrections, standing wishes, rules of the house.

Pure; knows nothing about sessions. A sentence counts when it has a cue, such as "from now on" or "actually".
"""

from __future__ import annotations

import re
from typing import Final

from nightschool.dreaming.redact import has_secret, redact

__all__ = ["content_words", "is_instruction", "statements_in"]

_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+|\n+")
_CUE: Final = re.compile(
    r"\b(?:actually|correction|from now on|as of (?:now|today|\w+ \d)|now (?:it is |it's )?\d|always|never"
    r"|remember|in (?:our|this) (?:house|company|firm)|we (?:call|write|treat|use|say)"
    r"|our (?:house|standard|rule|policy)|not (?:a )?(?:violation|finding)|no (?:violation|finding)"
    r"|false (?:flag|alarm)|is a violation|must (?:be|not)|look (?:again|twice)|do not|don't|house wording"
    r"|going forward|please note|note that|refunds? takes?|rule:|lesson:)\b|^now\b",
    re.IGNORECASE,
)
_INSTRUCTION: Final = re.compile(
    r"\b(?:always|never|must|should|do not|don't|ignore (?:all|any|previous)|from now on|instead of|make sure"
    r"|send (?:all|every|it)|you (?:have|need) to)\b",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"[a-z][a-z'-]+|\d+(?:\.\d+)?", re.IGNORECASE)
_COMMON: Final = frozenset(
    [
        "a",
        "an",
        "and",
        "are",
        "as",
        "at",
        "be",
        "been",
        "by",
        "can",
        "did",
        "do",
        "does",
        "for",
        "from",
        "had",
        "has",
        "have",
        "i",
        "if",
        "in",
        "into",
        "is",
        "it",
        "its",
        "me",
        "my",
        "no",
        "not",
        "of",
        "on",
        "or",
        "our",
        "she",
        "so",
        "that",
        "the",
        "their",
        "them",
        "then",
        "there",
        "these",
        "they",
        "this",
        "to",
        "us",
        "was",
        "we",
        "were",
        "what",
        "when",
        "which",
        "who",
        "will",
        "with",
        "you",
        "your",
        "now",
        "actually",
        "always",
        "never",
        "please",
        "remember",
        "note",
        "correction",
        "all",
        "any",
        "every",
    ]
)
_SHORTEST, _LONGEST = 3, 600
_MOST: Final = 5


def statements_in(text: str, *, any_sentence: bool = False) -> list[str]:
    """Return the sentences worth remembering, redacted; at most five, and none that holds a secret.

    Args:
        text: what somebody said.
        any_sentence: a cue is not needed, as when the text is a comment on a result.
    """
    sentences = (" ".join(part.split()) for part in _SENTENCE.split(text))
    found = [
        redact(sentence)
        for sentence in sentences
        if len(sentence) <= _LONGEST
        and len(sentence.split()) >= _SHORTEST
        and (any_sentence or _CUE.search(sentence))
        and not has_secret(sentence)
    ]
    return list(dict.fromkeys(found))[:_MOST]


def is_instruction(text: str) -> bool:
    """Return whether a text tells its reader what to do."""
    return bool(_INSTRUCTION.search(text))


def content_words(text: str) -> frozenset[str]:
    """Return the words that carry a text's meaning, in lower case and without the plural's s."""
    words = (word.casefold() for word in _WORD.findall(text))
    return frozenset(word.rstrip("s") if len(word) > 3 else word for word in words if word not in _COMMON)
