"""What remembered hints mean for this work. Knows no documents; a hint is a sentence in the system prompt.

Four things are understood in a hint, in any words around them: a policy (by its id, or by likeness to its
topic) that deserves a second look; a `section N` to look something up in; where the hint says that something
is no finding, what the passages are like that should not be taken for one; and words in quotation marks that
are said to break a policy.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from nightschool.models.reader.passages import Attention
from nightschool.models.reader.playbook import Playbook
from nightschool.models.reader.sections import references

__all__ = ["Hints", "read_hints"]

_CAUTION: Final = re.compile(
    r"\b(?:ignore|not a (?:violation|finding)|no (?:violation|finding)|false (?:flag|alarm)"
    r"|do not (?:report|flag)|never (?:report|flag)|harmless)\b",
    re.IGNORECASE,
)
_BREACH: Final = re.compile(r"['‘](?P<quote>.{12,})['’] (?:breaks|violates) (?P<policy>\w+)")
_ON_TOPIC: Final = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Hints:
    """What memories ask for."""

    eager: frozenset[str] = frozenset()
    """Policies to look at twice."""
    sections: tuple[str, ...] = ()
    """Sections to look things up in."""
    cautions: tuple[str, ...] = ()
    """What passages are like that should not be taken for findings."""
    breaches: tuple[tuple[str, str], ...] = ()
    """Policies, and words that are said to break them."""


def read_hints(memories: Iterable[str], playbook: Playbook, attention: Attention) -> Hints:
    """Return what memories mean for a playbook."""
    eager: set[str] = set()
    sections: dict[str, None] = {}
    cautions = []
    breaches = []
    for memory in memories:
        if _CAUTION.search(memory):
            cautions.append(memory)
            continue
        if (breach := _BREACH.search(memory)) and breach["policy"] in playbook.by_id:
            breaches.append((breach["policy"], breach["quote"]))
        sections |= dict.fromkeys(
            references(memory[:1].upper() + memory[1:].replace(" section ", " Section "))
        )
        named = {
            policy.id for policy in playbook.policies if re.search(rf"\b{re.escape(policy.id)}\b", memory)
        }
        eager |= named or _on_topic(memory, playbook, attention)
    return Hints(
        eager=frozenset(eager),
        sections=tuple(sections),
        cautions=tuple(cautions),
        breaches=tuple(breaches),
    )


def _on_topic(memory: str, playbook: Playbook, attention: Attention) -> set[str]:
    return {
        policy.id
        for place, policy in enumerate(playbook.policies)
        if attention.nearness(playbook, place, memory) >= _ON_TOPIC
    }
