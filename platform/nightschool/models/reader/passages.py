"""Which passages speak to which policy. Knows nothing about what they say of it.

Two steps: shared word stems (cheap, every sentence) choose what is worth embedding; sentence embeddings and
the sentence's wording decide. Policies compete for a sentence. All of it depends only on a sentence, its
heading and the playbook, so it is computed once for a text, whoever asks.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np

from nightschool.models.embed import Embedder
from nightschool.models.reader.linear import linear
from nightschool.models.reader.playbook import Playbook
from nightschool.models.reader.quantities import amounts
from nightschool.models.reader.sections import Section, references
from nightschool.models.reader.statements import Statement, masked, split_statements, stems
from nightschool.models.reader.targets import Likeness, Numbers, Targets
from nightschool.models.reader.traits import Traits, traits_of

__all__ = ["BEARING", "RELEVANCE", "Attention", "Passage"]

RELEVANCE: Final = (
    "topic", "position", "example", "counterexample", "heading", "neighbour", "stems", "heading_stems",
    "lead", "section_lead", "mismatch", "measured", "past", "illustrative", "inward", "defining", "reference",
)  # fmt: skip
"""What decides whether a sentence is about a policy."""

BEARING: Final = 0.36
"""Least likeness to a policy of a definition or sentence that may decide it."""
_EMBEDDED_ON_TOPIC: Final = 4
"""Statements that may be embedded for one policy in a section whose heading is on a policy's topic."""
_EMBEDDED_OTHERWISE: Final = 2
_ON_TOPIC: Final = 0.45
_POLICIES_PER_STATEMENT: Final = 3
_WORTH_EMBEDDING: Final = 0.22
_HEADING_SHARE: Final = 0.6
"""What a stem in the heading counts, against one in the statement."""
_MOST_REMEMBERED: Final = 20_000
"""Sections; beyond, remembering starts anew."""
_FLOOR: Final = -3.0
"""Log-odds; below, a passage is not worth a thought."""
_EAGER_FLOOR: Final = -5.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Passage:
    """A sentence that may speak to a policy."""

    policy: int
    """The policy's place in the playbook."""
    section: Section
    statement: Statement
    traits: Traits
    features: Numbers
    odds: float
    """Log-odds of being about the policy."""
    leaning: float
    """Likeness to what the policy does not accept less likeness to what it accepts."""


class Attention:
    """Finds, for each policy, the few best passages among everything in view; more it cannot hold in mind."""

    def __init__(self, embedder: Embedder, *, span: int = 6) -> None:
        """Choose how many passages are weighed for one policy."""
        self._embedder = embedder
        self._span = span
        self._model = linear("relevance", RELEVANCE)
        self._targets = lru_cache(maxsize=8)(self._make_targets)
        self._found: dict[tuple[Playbook, Section], tuple[Passage, ...]] = {}
        self._alike = lru_cache(maxsize=65536)(self._compare)

    def passages(
        self, playbook: Playbook, sections: Iterable[Section], *, eager: Collection[str] = ()
    ) -> list[list[Passage]]:
        """Return the best passages for each policy of the playbook, best first.

        Args:
            playbook: the policies.
            sections: everything in view.
            eager: policies for which also less relevant passages count.
        """
        found: list[list[Passage]] = [[] for _ in playbook.policies]
        floors = [_EAGER_FLOOR if policy.id in eager else _FLOOR for policy in playbook.policies]
        for of_section in self.in_sections(playbook, sections):
            for passage in of_section:
                if passage.odds >= floors[passage.policy]:
                    found[passage.policy].append(passage)
        return [heapq.nlargest(self._span, passages, key=lambda passage: passage.odds) for passages in found]

    def in_sections(self, playbook: Playbook, sections: Iterable[Section]) -> list[tuple[Passage, ...]]:
        """Return all passages of each section; what was found once is remembered."""
        wanted = list(sections)
        new = [section for section in dict.fromkeys(wanted) if (playbook, section) not in self._found]
        if len(self._found) + len(new) > _MOST_REMEMBERED:
            self._found.clear()
            new = list(dict.fromkeys(wanted))
        # All titles in one call, then all statements: batches cost half as much as single texts.
        self.prepare(section.title or "-" for section in new)
        chosen = [self._worth_embedding(playbook, section) for section in new]
        self.prepare(statement.text for statements in chosen for statement in statements)
        for section, statements in zip(new, chosen, strict=True):
            self._found[playbook, section] = self._find(playbook, section, statements)
        return [self._found[playbook, section] for section in wanted]

    def pointed(self, playbook: Playbook, section: Section, words: str, policy: str) -> Passage | None:
        """Return words of a section as a passage on this policy, weighed by themselves; None if not there."""
        ids = [each.id for each in playbook.policies]
        if words not in section.text or policy not in ids:
            return None
        others = [each for each in split_statements(section.text) if words not in each.text]
        own = Statement(text=words, place=len(others))
        alike = [self.likeness(playbook, each.text) for each in (*others, own)]
        around = self._surroundings(playbook, section, alike)[-1]
        claims = self._claims(playbook, section, own, alike[-1], around, most=len(ids))
        return next(passage for passage in claims if passage.policy == ids.index(policy))

    def prepare(self, texts: Iterable[str]) -> None:
        """Embed many texts at once, so that comparing each is cheap afterwards."""
        self._embedder.embed([masked(text) for text in texts])

    def likeness(self, playbook: Playbook, text: str) -> Likeness:
        """Return how alike a text is to each policy's own texts."""
        return self._alike(playbook, masked(text))

    def nearness(self, playbook: Playbook, policy: int, text: str) -> float:
        """Return how alike a text is to the most similar text of one policy."""
        return float(_raw(self.likeness(playbook, text))[policy])

    def resemblance(self, text: str, other: str) -> float:
        """Return how alike two texts are."""
        rows = self._embedder.embed([masked(text), masked(other)])
        return float(rows[0] @ rows[1])

    def bears(self, playbook: Playbook, text: str) -> bool:
        """Return whether a text may decide some policy."""
        return bool(_raw(self.likeness(playbook, text)).max(initial=0.0) >= BEARING)

    def leaning(self, playbook: Playbook, policy: int, text: str) -> float:
        """Return likeness to what a policy does not accept less likeness to what it accepts."""
        alike = self.likeness(playbook, text)
        return float(alike.bad[policy] - alike.good[policy])

    def _compare(self, playbook: Playbook, text: str) -> Likeness:
        return self._targets(playbook).likeness(self._embedder.embed([text])[0])

    def _make_targets(self, playbook: Playbook) -> Targets:
        return Targets(playbook.policies, self._embedder)

    def _find(
        self, playbook: Playbook, section: Section, statements: Sequence[Statement]
    ) -> tuple[Passage, ...]:
        if not statements:
            return ()
        alike = [self.likeness(playbook, statement.text) for statement in statements]
        surroundings = self._surroundings(playbook, section, alike)
        return tuple(
            passage
            for statement, like, around in zip(statements, alike, surroundings, strict=True)
            for passage in self._claims(playbook, section, statement, like, around)
        )

    def _worth_embedding(self, playbook: Playbook, section: Section) -> list[Statement]:
        """Choose statements: many where the heading is on a topic, else those that share its words."""
        statements = split_statements(section.text)
        if not statements:
            return []
        targets = self._targets(playbook)
        shared = np.stack([targets.shared(stems(statement.text)) for statement in statements])
        heading = targets.shared(stems(section.title))
        on_topic = (
            self._title(playbook, section).topic.max(initial=0.0) >= _ON_TOPIC or heading.max() >= _ON_TOPIC
        )
        most = _EMBEDDED_ON_TOPIC if on_topic else _EMBEDDED_OTHERWISE
        least = 0.0 if on_topic else _WORTH_EMBEDDING
        scores = shared + _HEADING_SHARE * heading
        best = np.argsort(-scores, axis=0, kind="stable")[:most]
        chosen = {
            int(row) for rows in best for policy, row in enumerate(rows) if scores[row, policy] >= least
        }
        return [statements[place] for place in sorted(chosen)]

    def _title(self, playbook: Playbook, section: Section) -> Likeness:
        return self.likeness(playbook, section.title or "-")

    def _surroundings(
        self, playbook: Playbook, section: Section, alike: Sequence[Likeness]
    ) -> list[_Surroundings]:
        targets, title = self._targets(playbook), self._title(playbook, section).topic
        heading = targets.shared(stems(section.title))
        raw = np.stack([_raw(one) for one in alike])
        return [
            _Surroundings(title, heading, np.delete(raw, place, axis=0).max(axis=0, initial=0.0))
            for place in range(len(alike))
        ]

    def _claims(
        self,
        playbook: Playbook,
        section: Section,
        statement: Statement,
        alike: Likeness,
        around: _Surroundings,
        *,
        most: int = _POLICIES_PER_STATEMENT,
    ) -> Iterator[Passage]:
        """Yield the policies that claim a statement, with how strongly; at most so many."""
        traits = traits_of(statement.text, playbook.parties)
        shared = self._targets(playbook).shared(stems(statement.text))
        rows = _features(playbook, statement.text, alike, traits, shared, around)
        odds = self._model.scores(rows)
        for place in np.argsort(-odds, kind="stable")[:most].tolist():
            yield Passage(
                policy=place,
                section=section,
                statement=statement,
                traits=traits,
                features=rows[place],
                odds=float(odds[place]),
                leaning=float(alike.bad[place] - alike.good[place]),
            )


class _Surroundings(NamedTuple):
    """What stands around a statement; one number per policy."""

    title: Numbers
    """Likeness of the section's heading."""
    heading: Numbers
    """Word stems the heading shares."""
    neighbour: Numbers
    """Likeness of the most alike other statement of the section."""


def _raw(alike: Likeness) -> Numbers:
    return np.maximum(alike.topic, np.maximum(alike.position, np.maximum(alike.good, alike.bad)))


def _lead(scores: Numbers) -> Numbers:
    """Return how far each policy is ahead of the best of the others; negative for all but the first."""
    if len(scores) == 1:
        return np.zeros(1)
    second, first = np.partition(scores, -2)[-2:]
    ahead: Numbers = scores - np.where(scores == first, second, first)
    return ahead


def _features(
    playbook: Playbook, text: str, alike: Likeness, traits: Traits, shared: Numbers, around: _Surroundings
) -> Numbers:
    """Return one row of features per policy, in the order of `RELEVANCE`."""
    example = np.maximum(alike.good, alike.bad)
    raw = 0.5 * np.maximum(alike.topic, alike.position) + 0.3 * example + 0.2 * around.title
    whole = around.title + np.maximum(around.neighbour, _raw(alike))
    kinds = {amount.dimension for amount in amounts(text)}
    measured = np.array(
        [policy.limit is not None and policy.limit.dimension in kinds for policy in playbook.policies]
    )
    same = np.ones(len(raw))
    return np.column_stack(
        [
            alike.topic,
            alike.position,
            example,
            np.minimum(alike.good, alike.bad),
            around.title,
            around.neighbour,
            shared,
            around.heading,
            _lead(raw),
            _lead(whole),
            traits.subject * playbook.holders < 0,
            measured,
            same * traits.is_past,
            same * traits.is_illustrative,
            same * traits.is_inward,
            same * traits.is_defining,
            same * bool(references(text)),
        ]
    )
