"""Statements that outlast their session: corrections, standing wishes, rules of the house.

Pure; knows nothing about sessions. A sentence counts when it has a cue, such as "from now on", and speaks
of no one case: of itself most of what is said in a session is of no use in the next.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import islice
from typing import Final

from nightschool.dreaming.redact import has_secret, redact

__all__ = ["content_words", "is_instruction", "statements_in"]

_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+|\n+")
_CUE: Final = re.compile(
    r"\b(?:correction|from now on|as of (?:now|today|\w+ \d)|always|never|remember that|going forward"
    r"|in (?:our|this) (?:house|company|firm)|we (?:call|write|treat|say)|our (?:house|standard|rule|policy)"
    r"|not (?:a )?(?:violation|finding)|no (?:violation|finding)|false (?:flag|alarm)|is a violation"
    r"|house wording|please note|note that|takes? \d+|rule:|lesson:)\b|^(?:now|actually)\b.*\d",
    re.IGNORECASE,
)
_PERSONAL: Final = re.compile(
    r"\b(?:I|I['’]\w+|me|my|mine|you|your)\b|\?$|\b(?=\w*[A-Za-z_])(?=\w*\d)\w{5,}\b"
)
"""Talk about oneself or the other, questions, ids: what is said of this one case."""
_INSTRUCTION: Final = re.compile(
    r"\b(?:always|never|must|should|do not|don't|ignore (?:all|any|previous)|from now on|instead of|make sure"
    r"|send (?:all|every|it)|you (?:have|need) to)\b",
    re.IGNORECASE,
)
_QUOTED: Final = re.compile(r"(?<!\w)['‘\"“].+['’\"”](?!\w)")
_IMITATION: Final = re.compile(r"\bfor, [\d.]+ against\b|\bsure [01]\.\d|^# Memories\b", re.IGNORECASE)
"""The form in which memories stand in a prompt: repeated, it is no news; said first, it is an imitation."""
_WORD: Final = re.compile(r"[a-z][a-z'-]+|\d+(?:\.\d+)?", re.IGNORECASE)
_CUE_WORDS: Final = frozenset({"actually", "correction", "did", "does", "note", "remember"})
"""Words that announce a statement and are no part of what it says."""
_BUSINESS_WORDS: Final = frozenset({"amount", "bill", "interest", "system"})
"""Words on the library's list of common ones that contracts and orders are about."""
_SHORTEST, _LONGEST = 3, 600
_MOST: Final = 5


def statements_in(text: str, *, any_sentence: bool = False) -> list[str]:
    """Return the sentences worth remembering, redacted; at most five, and none that holds a secret.

    Args:
        text: what somebody said.
        any_sentence: a cue is not needed, as when the text is a comment on a result.
    """
    # A flood of one sentence is one sentence, and the sixth is not looked for.
    sentences = dict.fromkeys(" ".join(part.split()) for part in _SENTENCE.split(text))
    found = (
        redact(sentence)
        for sentence in sentences
        if len(sentence) <= _LONGEST
        and len(sentence.split()) >= _SHORTEST
        and (any_sentence or (_CUE.search(sentence) and not _PERSONAL.search(sentence)))
        and not has_secret(sentence)
        and not _IMITATION.search(sentence)
    )
    return list(islice(_distinct(found), _MOST))


def _distinct(texts: Iterable[str]) -> Iterator[str]:
    seen: set[str] = set()
    for text in texts:
        if text not in seen:
            seen.add(text)
            yield text


def is_instruction(text: str) -> bool:
    """Return whether a text tells its reader what to do; an order that is only quoted is none.

    A text that is nothing but a quotation is judged by what it quotes: quotation marks disarm no order.
    """
    own = _QUOTED.sub(" ", text)
    return bool(_INSTRUCTION.search(own if len(_WORD.findall(own)) >= _SHORTEST else text))


def content_words(text: str) -> frozenset[str]:
    """Return the words that carry a text's meaning, in lower case and without the plural's s."""
    words = (word.casefold() for word in _WORD.findall(text))
    common = _common_words()
    return frozenset(word.rstrip("s") if len(word) > 3 else word for word in words if word not in common)


@cache
def _common_words() -> frozenset[str]:
    # Takes a second to import, and most commands read no statement.
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    return frozenset(ENGLISH_STOP_WORDS) - _BUSINESS_WORDS | _CUE_WORDS
