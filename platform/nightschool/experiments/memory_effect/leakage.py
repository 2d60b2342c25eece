"""Whether a store knows what only the test may know. A leak ends the run: its numbers are worth nothing.

Pure. Looks for canaries planted in the gold, for ids of the test's samples, and for runs of words that a
memory has in common with a contract of the test. A leak in other words is not found: this convicts, it does
not acquit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final

from nightschool.core.errors import InvalidInput
from nightschool.memory.memory import Memory

__all__ = ["Secret", "require_no_leak"]

_LONGEST_COMMON: Final = 48
"""Characters in a row that a memory may share with a contract it never saw."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Secret:
    """One contract of the test."""

    sample_id: str
    document: str
    canary: str


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def require_no_leak(memories: Mapping[str, Memory], secrets: Iterable[Secret]) -> None:
    """Check memories against the contracts of the test.

    Raises:
        InvalidInput: something leaked; names the memory, the sample and what they share.
    """
    texts = {path: _plain(memory.text) for path, memory in memories.items()}
    everything = " ".join([*texts.values(), *(str(memory.attributes) for memory in memories.values())])
    for secret in secrets:
        if secret.canary and secret.canary in everything:
            raise _leak(secret, "the canary of its gold is in the store")
        if secret.sample_id in everything:
            raise _leak(secret, "its id is in the store")
        document = _plain(secret.document)
        for path, text in texts.items():
            shared = _common(text, document)
            if len(shared) >= _LONGEST_COMMON:
                raise _leak(secret, f"memory {path} has {len(shared)} characters of it: {shared!r}")


def _common(one: str, other: str) -> str:
    match = SequenceMatcher(None, one, other, autojunk=False).find_longest_match()
    return one[match.a : match.a + match.size]


def _leak(secret: Secret, what: str) -> InvalidInput:
    return InvalidInput(
        f"leak: {what} (sample {secret.sample_id} of the test). The run is not used; find out how"
        " it came there.",
        sample_id=secret.sample_id,
    )
