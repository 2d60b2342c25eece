"""Which passages speak to which policy. Knows nothing about what they say of it.

Two steps: shared word stems (cheap, every sentence) choose what is worth embedding; sentence embeddings and
the sentence's wording decide. Policies compete for a sentence. All of it depends only on a sentence, its
heading and the playbook, so it is computed once for a text, whoever asks.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nightschool.models.embed import Embedder
from nightschool.models.reader.linear import linear
from nightschool.models.reader.playbook import Playbook
from nightschool.models.reader.sections import Section
from nightschool.models.reader.sentences import Sentence, masked, split_sentences, stems
from nightschool.models.reader.targets import Likeness, Targets
from nightschool.models.reader.traits import Traits, traits_of

__all__ = ["RELEVANCE", "Attention", "Passage"]

RELEVANCE: Final = (
    "topic", "position", "example", "heading", "stems", "heading_stems", "lead", "mismatch",
    "past", "illustrative", "inward", "defining", "verb", "length",
)  # fmt: skip
"""What decides whether a sentence is about a policy."""

_EMBEDDED_PER_SECTION: Final = 2
"""Sentences of a section that may be embedded for one policy."""
_POLICIES_PER_SENTENCE: Final = 3
_WORTH_EMBEDDING: Final = 0.16
_HEADING_SHARE: Final = 0.6
"""What a stem in the heading counts, against one in the sentence."""
_FLOOR: Final = -3.0
"""Log-odds; below, a passage is not worth a thought."""
_EAGER_FLOOR: Final = -5.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Passage:
    """A sentence that may speak to a policy."""

    policy: int
    """The policy's place in the playbook."""
    section: Section
    sentence: Sentence
    traits: Traits
    features: NDArray[np.float64]
    odds: float
    """Log-odds of being about the policy."""
    good: float
    """Likeness to the policy's most similar acceptable example."""
    bad: float


class _Chosen(NamedTuple):
    place: int
    stems: NDArray[np.float64]


class Attention:
    """Finds, for each policy, the few best passages among everything in view; more it cannot hold in mind."""

    def __init__(self, embedder: Embedder, *, span: int = 6) -> None:
        """Choose how many passages are weighed for one policy."""
        self._embedder = embedder
        self._span = span
        self._model = linear("relevance", RELEVANCE)
        self._targets = lru_cache(maxsize=8)(self._make_targets)
        self._in_section = lru_cache(maxsize=8192)(self._find_in_section)
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
        for section in sections:
            for passage in self._in_section(playbook, section):
                if passage.odds >= floors[passage.policy]:
                    found[passage.policy].append(passage)
        return [heapq.nlargest(self._span, passages, key=lambda passage: passage.odds) for passages in found]

    def likeness(self, playbook: Playbook, text: str) -> Likeness:
        """Return how alike a text is to each policy's own texts."""
        return self._alike(playbook, masked(text))

    def _compare(self, playbook: Playbook, text: str) -> Likeness:
        return self._targets(playbook).likeness(self._embedder.embed([text])[0])

    def _make_targets(self, playbook: Playbook) -> Targets:
        return Targets(playbook.policies, self._embedder)

    def _find_in_section(self, playbook: Playbook, section: Section) -> tuple[Passage, ...]:
        targets = self._targets(playbook)
        sentences = split_sentences(section.text)
        heading = targets.shared(stems(section.title))
        chosen = _worth_embedding(targets, sentences, heading)
        if not chosen:
            return ()
        # One call for all of them: the embedder works in batches.
        self._embedder.embed([section.title or "-", *(masked(sentences[one.place].text) for one in chosen)])
        title = self._alike(playbook, section.title or "-")
        return tuple(
            passage
            for one in chosen
            for passage in self._claims(
                playbook, section, sentences[one.place], title.topic, one.stems, heading
            )
        )

    def _claims(
        self,
        playbook: Playbook,
        section: Section,
        sentence: Sentence,
        title: NDArray[np.float64],
        shared: NDArray[np.float64],
        heading: NDArray[np.float64],
    ) -> Iterator[Passage]:
        """Yield the policies that claim a sentence, with how strongly."""
        alike = self.likeness(playbook, sentence.text)
        traits = traits_of(sentence.text, playbook.parties)
        rows = _features(playbook, alike, traits, title, shared, heading, len(sentence.text))
        odds = self._model.scores(rows)
        for place in np.argsort(-odds, kind="stable")[:_POLICIES_PER_SENTENCE].tolist():
            yield Passage(
                policy=place,
                section=section,
                sentence=sentence,
                traits=traits,
                features=rows[place],
                odds=float(odds[place]),
                good=float(alike.good[place]),
                bad=float(alike.bad[place]),
            )


def _worth_embedding(
    targets: Targets, sentences: tuple[Sentence, ...], heading: NDArray[np.float64]
) -> list[_Chosen]:
    """Choose sentences that share enough word stems with some policy."""
    if not sentences:
        return []
    shared = np.stack([targets.shared(stems(sentence.text)) for sentence in sentences])
    scores = shared + _HEADING_SHARE * heading
    best = np.argsort(-scores, axis=0, kind="stable")[:_EMBEDDED_PER_SECTION]
    chosen = {
        int(place)
        for places in best
        for policy, place in enumerate(places)
        if scores[place, policy] >= _WORTH_EMBEDDING
    }
    return [_Chosen(place, shared[place]) for place in sorted(chosen)]


def _features(
    playbook: Playbook,
    alike: Likeness,
    traits: Traits,
    title: NDArray[np.float64],
    shared: NDArray[np.float64],
    heading: NDArray[np.float64],
    length: int,
) -> NDArray[np.float64]:
    """Return one row of features per policy, in the order of `RELEVANCE`."""
    example = np.maximum(alike.good, alike.bad)
    raw = 0.5 * np.maximum(alike.topic, alike.position) + 0.3 * example + 0.2 * title
    first, second = np.partition(raw, -2)[[-1, -2]] if len(raw) > 1 else (raw[0], raw[0])
    holder = traits.subject * playbook.holders
    same = np.ones(len(raw))
    return np.column_stack(
        [
            alike.topic,
            alike.position,
            example,
            title,
            shared,
            heading,
            raw - np.where(raw == first, second, first),
            holder < 0,
            same * traits.is_past,
            same * traits.is_illustrative,
            same * traits.is_inward,
            same * traits.is_defining,
            same * traits.has_verb,
            same * math.log(1 + length / 100),
        ]
    )
