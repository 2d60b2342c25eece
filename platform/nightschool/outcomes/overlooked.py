"""Sentences that an author may have overlooked: what speaks to a policy that is said to be missing.

The author reads with bounded attention; this looks at every sentence of the document, by its meaning
(sentence embeddings) and by its words (overlap of letters and terms), and points at the one that speaks to
the policy more than to any other. It knows no truth: a pointer is a doubt to be looked into, and the author
may well stand by its word.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from nightschool.models.embed import Embedder, Vectors
from nightschool.outcomes.findings import Finding
from nightschool.outcomes.playbook import Policy
from nightschool.sandbox.documents import Document

if TYPE_CHECKING:  # half a second to import
    from sklearn.feature_extraction.text import TfidfVectorizer

__all__ = ["Pointer", "overlooked"]

_SENTENCE: Final = re.compile(r"(?<=[.;])\s+(?=[\"“A-Z(])|\n+")
_QUOTED: Final = re.compile(r"[\"“]([^\"”]+)[\"”]")
_FIELD: Final = re.compile(r"^(?:Clause|Position):\s*(?P<text>.+)$", re.MULTILINE)
_FEWEST_WORDS: Final = 5
_AHEAD: Final = 0.5
"""What being ahead of the other policies counts, against being alike at all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pointer:
    """One sentence that may speak to a policy."""

    policy: str
    section: str
    quote: str
    strength: float
    """How alike sentence and policy are by every measure together; comparable between documents."""


@dataclass(frozen=True, slots=True)
class _Sentence:
    section: str
    text: str


def overlooked(
    document: Document,
    policies: Sequence[Policy],
    findings: Sequence[Finding],
    embedder: Embedder,
    *,
    only: Collection[str],
) -> list[Pointer]:
    """Return, for each of these policies, the sentence most likely to speak to it, in the policies' order.

    Args:
        document: all of it is looked at.
        policies: all of them compete for a sentence.
        findings: what was handed in; a sentence quoted there was not overlooked.
        embedder: compares meanings.
        only: the policies that are said to be missing.
    """
    quotes = " ".join(_folded(finding.quote) for finding in findings if finding.quote)
    sentences = [each for each in _sentences(document) if _folded(each.text) not in quotes]
    if not sentences or not policies:
        return []
    strength = _strengths([each.text for each in sentences], policies, embedder)
    best = np.argmax(strength, axis=0)
    return [
        Pointer(
            policy=policy.id,
            section=sentences[row].section,
            quote=sentences[row].text,
            strength=float(strength[row, place]),
        )
        for place, (policy, row) in enumerate(zip(policies, best.tolist(), strict=True))
        if policy.id in only
    ]


def _sentences(document: Document) -> list[_Sentence]:
    return [
        _Sentence(section.number, text)
        for section in document.sections
        for part in _SENTENCE.split(section.text)
        if len((text := part.strip()).split()) >= _FEWEST_WORDS
    ]


def _strengths(sentences: Sequence[str], policies: Sequence[Policy], embedder: Embedder) -> Vectors:
    """Return how strongly each sentence (row) speaks to each policy (column)."""
    aspects = [_aspects(policy) for policy in policies]
    whole = [" ".join(each) for each in aspects]
    letters, words = (_overlap(kind, sentences, whole) for kind in _vectorizers())
    rows = embedder.embed(sentences)
    alike = [rows @ embedder.embed(each).T for each in aspects]
    nearest = np.stack([each.max(axis=1) for each in alike], axis=1)
    average = np.stack([each.mean(axis=1) for each in alike], axis=1)
    ahead: Vectors = _ahead(letters) + _ahead(nearest) + _ahead(average)
    total: Vectors = letters + words + nearest + average + _AHEAD * ahead
    return total


def _aspects(policy: Policy) -> list[str]:
    """Return what a policy says of itself: its title and clause, its position, its examples."""
    said = [match["text"] for match in _FIELD.finditer(policy.text)]
    return [". ".join([policy.title, *said[:1]]), *said[1:], *_QUOTED.findall(policy.text)]


def _vectorizers() -> tuple[TfidfVectorizer, TfidfVectorizer]:
    from sklearn.feature_extraction.text import TfidfVectorizer

    return (
        TfidfVectorizer(analyzer="char_wb", ngram_range=(4, 5), sublinear_tf=True),
        TfidfVectorizer(stop_words="english", sublinear_tf=True),
    )


def _overlap(vectorizer: Any, sentences: Sequence[str], policies: Sequence[str]) -> Vectors:
    fitted = vectorizer.fit([*sentences, *policies])
    shared: Vectors = (fitted.transform(sentences) @ fitted.transform(policies).T).toarray()
    return shared


def _ahead(scores: Vectors) -> Vectors:
    """Return how far each policy is ahead of the best of the others."""
    if scores.shape[1] == 1:
        return np.zeros_like(scores)
    ordered = np.sort(scores, axis=1)
    first, second = ordered[:, -1:], ordered[:, -2:-1]
    lead: Vectors = scores - np.where(scores == first, second, first)
    return lead


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()
