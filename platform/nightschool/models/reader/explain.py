"""What decides a passage when its own words leave it open: a defined term, or a section it refers to.

Knows nothing about verdicts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from nightschool.models.reader.lookup import Lookup
from nightschool.models.reader.passages import BEARING, Attention, Passage
from nightschool.models.reader.playbook import Playbook
from nightschool.models.reader.quantities import deciding_amount
from nightschool.models.reader.sections import references
from nightschool.models.reader.statements import split_paragraphs

__all__ = ["Explanation", "explain"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Words from elsewhere that a passage leans on."""

    text: str
    likeness: float
    """To the policy, the best of its texts."""
    leaning: float
    """Likeness to what is not acceptable less likeness to what is."""
    joined: float
    """The same of passage and explanation together."""
    is_tied: bool
    """Whether it refers back to the passage's own section, or defines a term the passage uses."""


def explain(passage: Passage, playbook: Playbook, lookup: Lookup, attention: Attention) -> Explanation | None:
    """Return what bears on the policy most of all that the passage leans on; None when nothing does."""
    limit = playbook.policies[passage.policy].limit
    found = list(_candidates(passage, lookup))
    measured = [one for one in found if limit is not None and deciding_amount(one.text, limit.dimension)]
    found = measured or found
    # What is tied to the passage outranks what merely stands in the section it refers to.
    found = [one for one in found if one.is_tied] or found
    attention.prepare(one.text for one in found)
    near = [attention.nearness(playbook, passage.policy, one.text) for one in found]
    best = max(range(len(found)), key=near.__getitem__, default=None)
    if best is None or (near[best] < BEARING and not measured):
        return None
    text = found[best].text
    return Explanation(
        text=text,
        likeness=near[best],
        leaning=attention.leaning(playbook, passage.policy, text),
        joined=attention.leaning(playbook, passage.policy, f"{passage.statement.text} {text}"),
        is_tied=found[best].is_tied,
    )


class _Candidate(NamedTuple):
    text: str
    is_tied: bool


def _candidates(passage: Passage, lookup: Lookup) -> Iterator[_Candidate]:
    text, own = passage.statement.text, passage.section.number
    for meaning in lookup.meanings(text):
        yield _Candidate(_body(meaning), is_tied=True)
    for section in lookup.cited(text, own_number=own):
        for paragraph in split_paragraphs(section.text):
            yield _Candidate(paragraph, is_tied=own in references(paragraph))


@lru_cache(maxsize=16384)
def _body(meaning: str) -> str:
    """Return a definition without the term it defines."""
    return meaning.split("”", 1)[-1].split('"', 2)[-1].strip() or meaning
