"""Which passages speak to which policy. Knows nothing about what they say.

Two steps: shared word stems (cheap, every sentence) choose what is worth embedding; sentence embeddings
decide. Both depend only on a sentence, its heading and the playbook, so they are computed once per text.
"""

from __future__ import annotations

import heapq
import math
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np

from nightschool.models.embed import Embedder, Vectors
from nightschool.models.reader.playbook import Playbook, Policy
from nightschool.models.reader.sections import Section
from nightschool.models.reader.sentences import Sentence, masked, split_sentences, stems

__all__ = ["Attention", "Passage"]

_EMBEDDED_PER_SECTION: Final = 2
"""Sentences of a section that may be embedded for one policy."""
_HEADING_SHARE: Final = 0.6
"""What a stem in the heading counts, against one in the sentence."""
_WORTH_EMBEDDING: Final = 0.16
_FLOOR: Final = 0.36
_EAGER_FLOOR: Final = 0.28


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A sentence that may speak to a policy."""

    section: Section
    sentence: Sentence
    relevance: float
    leaning: float
    """Likeness to the policy's acceptable examples minus likeness to the others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Target:
    """A policy as something to compare with."""

    weights: dict[str, float]
    topic: Vectors
    acceptable: Vectors
    not_acceptable: Vectors


class Attention:
    """Finds, for each policy, the few best passages among everything in view; more it cannot hold in mind."""

    def __init__(self, embedder: Embedder, *, span: int = 6) -> None:
        """Choose how many passages are weighed for one policy."""
        self._embedder = embedder
        self._span = span
        self._targets = lru_cache(maxsize=8)(self._make_targets)
        self._section_passages = lru_cache(maxsize=8192)(self._find_in_section)

    def passages(
        self, playbook: Playbook, sections: Iterable[Section], *, eager: Collection[str] = ()
    ) -> dict[str, list[Passage]]:
        """Return the best passages for each policy id, best first.

        Args:
            playbook: the policies.
            sections: everything in view.
            eager: policies for which also less relevant passages count.
        """
        key = _Key(playbook)
        found: dict[str, list[Passage]] = {policy.id: [] for policy in playbook.policies}
        for section in sections:
            for policy_id, passage in self._section_passages(key, section):
                if passage.relevance >= (_EAGER_FLOOR if policy_id in eager else _FLOOR):
                    found[policy_id].append(passage)
        return {
            policy_id: heapq.nlargest(self._span, passages, key=lambda passage: passage.relevance)
            for policy_id, passages in found.items()
        }

    def _find_in_section(self, key: _Key, section: Section) -> tuple[tuple[str, Passage], ...]:
        targets = self._targets(key)
        sentences = split_sentences(section.text)
        heading = stems(section.title)
        wanted: dict[int, list[int]] = {}
        for place, target in enumerate(targets):
            for at in _best_by_stems(target, sentences, heading):
                wanted.setdefault(at, []).append(place)
        if not wanted:
            return ()
        order = sorted(wanted)
        vectors = self._embedder.embed([masked(sentences[at].text) for at in order])
        title = self._embedder.embed([section.title or "-"])[0]
        policies = key.playbook.policies
        return tuple(
            (policies[place].id, _passage(targets[place], section, sentences[at], row, title))
            for row, at in zip(vectors, order, strict=True)
            for place in wanted[at]
        )

    def _make_targets(self, key: _Key) -> tuple[_Target, ...]:
        policies = key.playbook.policies
        rarity = _rarity(policies)
        return tuple(self._target(policy, rarity) for policy in policies)

    def _target(self, policy: Policy, rarity: dict[str, float]) -> _Target:
        named = stems(f"{policy.title} {policy.clause}")
        told = stems(" ".join([policy.position, *policy.acceptable, *policy.not_acceptable]))
        weights = {stem: rarity[stem] * (1.0 if stem in named else 0.4) for stem in named | told}
        scale = sum(sorted((weights[stem] for stem in named), reverse=True)[:4]) or 1.0
        return _Target(
            weights={stem: weight / scale for stem, weight in weights.items()},
            topic=self._embedder.embed([f"{policy.title}: {policy.clause}", policy.position]),
            acceptable=self._embedder.embed([masked(text) for text in policy.acceptable]),
            not_acceptable=self._embedder.embed([masked(text) for text in policy.not_acceptable]),
        )


class _Key:
    """A playbook as a cache key: equal when the same text was parsed, without comparing every policy."""

    __slots__ = ("playbook",)

    def __init__(self, playbook: Playbook) -> None:
        self.playbook = playbook

    def __hash__(self) -> int:
        return id(self.playbook)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and self.playbook is other.playbook


def _rarity(policies: Sequence[Policy]) -> dict[str, float]:
    texts = [
        stems(
            " ".join(
                [policy.title, policy.clause, policy.position, *policy.acceptable, *policy.not_acceptable]
            )
        )
        for policy in policies
    ]
    seen = Counter(stem for text in texts for stem in text)
    return {stem: math.log(1 + len(policies) / count) for stem, count in seen.items()}


def _best_by_stems(target: _Target, sentences: Sequence[Sentence], heading: frozenset[str]) -> list[int]:
    weights = target.weights
    above = _HEADING_SHARE * sum(weights.get(stem, 0.0) for stem in heading)
    scores = [
        sum(weights.get(stem, 0.0) for stem in stems(sentence.text))
        / math.sqrt(1 + len(stems(sentence.text)) / 30)
        + above
        for sentence in sentences
    ]
    best = heapq.nlargest(_EMBEDDED_PER_SECTION, range(len(scores)), key=scores.__getitem__)
    return [at for at in best if scores[at] >= _WORTH_EMBEDDING]


def _passage(target: _Target, section: Section, sentence: Sentence, row: Vectors, title: Vectors) -> Passage:
    topic = float((target.topic @ row).max())
    good = float((target.acceptable @ row).max(initial=-1.0))
    bad = float((target.not_acceptable @ row).max(initial=-1.0))
    heading = float((target.topic[:1] @ title).max())
    relevance = 0.5 * topic + 0.3 * max(good, bad) + 0.2 * heading
    return Passage(
        section=section,
        sentence=sentence,
        relevance=float(np.clip(relevance, 0.0, 1.0)),
        leaning=good - bad,
    )
