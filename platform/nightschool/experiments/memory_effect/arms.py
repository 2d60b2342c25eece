"""The arms of the memory experiment: what each puts into a session's prompt. Pure.

Knows nothing about how reviews are run. Every arm gives a session the same kind of block, so that only what
it says differs.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Final

from nightschool.core.tokens import BYTES_PER_TOKEN
from nightschool.dreaming.episode import Episode
from nightschool.memory.memory import Attributes, Evidence, Kind, Memory, sha256_of

__all__ = ["MemoryArm", "filler", "memory_of", "placebo_texts", "raw_memories", "shuffled"]


class MemoryArm(StrEnum):
    """What a session of the test is given."""

    NONE = "none"
    """Nothing."""
    MATCHED = "none, same tokens"
    """As many tokens as the dreamt memories, which say nothing."""
    RAW = "raw episodes"
    """What was said after each session, recalled without a dream."""
    INCREMENTAL = "dreamt, incremental"
    """The store after a dream per trade, each adopted."""
    REBUILT = "dreamt, rebuilt"
    """The store of one dream over everything."""
    PLACEBO = "placebo"
    """Memories of another type of task, as many tokens."""
    SHUFFLED = "shuffled labels"
    """Dreamt from comments whose policies were exchanged: a gain here is a leak or an effect of the form."""
    ORACLE = "oracle"
    """What the operator would say about this very contract: the most there is to gain."""


_POLICY: Final = re.compile(r"\bP\d\d\b")
_FILLER: Final = "This line says nothing about the work and is here for its length only."
_ELSEWHERE: Final = (
    "In this shop a refund by parcel post takes five days.",
    "In this shop gold members get a refund in three days.",
    "For tasks of type shop/cancel, this order of calls succeeded: get_order → cancel_order.",
    "In shop/book, calls of book_seat keep failing with: not enough seats on flight <ID>.",
    "Calling search_flights again with the same arguments gave the same result: keep the first one.",
    "In this shop baggage is added before the payment is taken.",
)


def memory_of(path: str, text: str, sessions: Iterable[str] = ()) -> Memory:
    """Return an active memory that says a text."""
    evidence = tuple(Evidence(session_id=each, event_id=each, passed=True) for each in sessions)
    attributes = Attributes(kind=Kind.STATEMENT, evidence=evidence)
    return Memory(path=path, text=text, attributes=attributes, sha256=sha256_of(text))


def raw_memories(comments: Mapping[str, str]) -> dict[str, Memory]:
    """Return one memory per session: what was said about it, word for word."""
    return {
        f"/raw/{session}": memory_of(f"/raw/{session}", comment, [session])
        for session, comment in comments.items()
        if comment
    }


def shuffled(episodes: Sequence[Episode], seed: int) -> list[Episode]:
    """Return episodes with their labels dealt out anew, and the policies in what was said exchanged.

    Every policy is named as often as before, and never where it belongs.
    """
    rng = random.Random(seed)
    labels = [episode.labels for episode in episodes]
    rng.shuffle(labels)
    texts = (claim.text for episode in episodes for claim in episode.claims)
    known = sorted({policy for text in texts for policy in _POLICY.findall(text)})
    rng.shuffle(known)
    another = dict(zip(known, [*known[1:], *known[:1]], strict=True))
    return [
        replace(
            episode,
            labels=dealt,
            claims=tuple(
                replace(claim, text=_POLICY.sub(lambda found: another[found[0]], claim.text))
                for claim in episode.claims
            ),
        )
        for episode, dealt in zip(episodes, labels, strict=True)
    ]


def filler(tokens: int) -> str:
    """Return text of so many tokens that says nothing."""
    needed = max(0, tokens * BYTES_PER_TOKEN)
    lines = [f"- {_FILLER}" for _ in range(1 + needed // (len(_FILLER) + 3))]
    return "# Background\n" + "\n".join(lines)[:needed] + "\n" if needed else ""


def placebo_texts(tokens: int) -> Sequence[str]:
    """Return sentences about another type of task, of so many tokens together."""
    texts: list[str] = []
    size = 0
    while size < tokens * BYTES_PER_TOKEN:
        text = _ELSEWHERE[len(texts) % len(_ELSEWHERE)]
        texts.append(text)
        size += len(text)
    return texts
