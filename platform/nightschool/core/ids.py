"""Identifiers with the public API's prefixes; the only place that makes one.

``new`` ids sort by time of creation, so that rows written together lie together on disk.
``derived`` ids are a function of their parts: work that is started twice finds its own first start.
"""

from __future__ import annotations

import hashlib
import random
from dataclasses import dataclass, field
from typing import Final

from nightschool.core.clock import Clock, SystemClock

__all__ = ["PREFIXES", "IdSource", "derived_id"]

PREFIXES: Final = {
    "session": "sesn",
    "thread": "sthr",
    "event": "sevt",
    "agent": "agent",
    "environment": "env",
    "outcome": "outc",
    "memory_store": "memstore",
    "dream": "drm",
    "experiment": "exp",
    "trial": "trial",
    "plan": "plan",
    "task": "task",
    "tool_use": "toolu",
}
"""Noun to prefix. The first eight are the public API's; the rest have no name there."""

_ALPHABET: Final = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford base 32: no i, l, o, u
_TIME_CHARACTERS: Final = 10
_RANDOM_CHARACTERS: Final = 12


_PAIRS: Final = [first + second for first in _ALPHABET for second in _ALPHABET]


def _encode(number: int, length: int) -> str:
    """Write the last ``length`` digits (an even number of them), two at a time: every event needs an id."""
    return "".join([_PAIRS[number >> shift & 1023] for shift in range(length * 5 - 10, -1, -10)])


@dataclass(slots=True)
class IdSource:
    """Makes time-ordered ids; inject a seeded ``rng`` and a frozen clock to make them repeatable."""

    clock: Clock = field(default_factory=SystemClock)
    rng: random.Random = field(default_factory=random.SystemRandom)

    def new(self, noun: str) -> str:
        """Return a fresh id such as ``sesn_01j9...``; ``noun`` is a key of `PREFIXES`."""
        milliseconds = int(self.clock.now().timestamp() * 1000)
        entropy = self.rng.getrandbits(_RANDOM_CHARACTERS * 5)
        body = _encode(milliseconds, _TIME_CHARACTERS) + _encode(entropy, _RANDOM_CHARACTERS)
        return f"{PREFIXES[noun]}_{body}"


def derived_id(noun: str, *parts: str | int) -> str:
    """Return the id that these parts always have; ``noun`` is a key of `PREFIXES`."""
    digest = hashlib.sha256("\x1f".join(map(str, parts)).encode()).digest()
    number = int.from_bytes(digest[:14], "big")
    return f"{PREFIXES[noun]}_{_encode(number, _TIME_CHARACTERS + _RANDOM_CHARACTERS)}"
