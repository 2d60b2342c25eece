"""What decides a passage when its own words leave it open: a defined term, or a section it refers to.

Knows nothing about verdicts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from nightschool.models.reader.lookup import Lookup
from nightschool.models.reader.passages import Attention, Passage
from nightschool.models.reader.playbook import Playbook
from nightschool.models.reader.quantities import amounts
from nightschool.models.reader.sections import references
from nightschool.models.reader.statements import split_paragraphs

__all__ = ["Explanation", "explain"]

_BEARING: Final = 0.36
"""Least likeness to the policy of a definition or sentence that bears on it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Words from elsewhere that a passage leans on."""

    text: str
    likeness: float
    """To the policy, the best of its texts."""
    good: float
    bad: float
    joined: float
    """Likeness of passage and explanation together to what is not acceptable, less to what is."""
    is_tied: bool
    """Whether it refers back to the passage's own section, or defines a term the passage uses."""


def explain(passage: Passage, playbook: Playbook, lookup: Lookup, attention: Attention) -> Explanation | None:
    """Return what bears on the policy most of all that the passage leans on; None when nothing does."""
    found = [
        _weighed(text, passage, playbook, attention, is_tied=is_tied)
        for text, is_tied in _candidates(passage, lookup)
    ]
    limit = playbook.policies[passage.policy].limit
    if limit is not None:
        measured = [one for one in found if any(a.dimension == limit.dimension for a in amounts(one.text))]
        if measured:
            return max(measured, key=_rank)
    found = [one for one in found if one.likeness >= _BEARING]
    return max(found, key=_rank, default=None)


def _rank(explanation: Explanation) -> tuple[bool, float]:
    return explanation.is_tied, explanation.likeness


def _candidates(passage: Passage, lookup: Lookup) -> Iterator[tuple[str, bool]]:
    text, own = passage.statement.text, passage.section.number
    for meaning in lookup.meanings(text):
        yield _body(meaning), True
    for section in lookup.cited(text, own_number=own):
        for paragraph in split_paragraphs(section.text):
            yield paragraph, own in references(paragraph)


@lru_cache(maxsize=16384)
def _body(meaning: str) -> str:
    """Return a definition without the term it defines."""
    return meaning.split("”", 1)[-1].split('"', 2)[-1].strip() or meaning


def _weighed(
    text: str, passage: Passage, playbook: Playbook, attention: Attention, *, is_tied: bool
) -> Explanation:
    alike = attention.likeness(playbook, text)
    place = passage.policy
    good, bad = float(alike.good[place]), float(alike.bad[place])
    both = attention.likeness(playbook, f"{passage.statement.text} {text}")
    joined = float(both.bad[place] - both.good[place])
    likeness = max(float(alike.topic[place]), float(alike.position[place]), good, bad)
    return Explanation(text=text, likeness=likeness, good=good, bad=bad, joined=joined, is_tied=is_tied)
