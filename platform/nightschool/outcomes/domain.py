"""Which field a task belongs to, and so how much is asked of it, when nobody said.

Sentences as vectors, a linear classifier over them, probabilities that were calibrated on held-out parts.
Where it is not sure it abstains: the tier is Standard, and the guess says so. Knows nothing about where its
examples come from or where its guesses go.
"""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from nightschool.core.errors import InvalidInput
from nightschool.models.embed import Embedder, Vectors
from nightschool.outcomes.tiers import Tier

if TYPE_CHECKING:  # half a second to import, and most commands classify nothing
    from sklearn.calibration import CalibratedClassifierCV

__all__ = ["SURE", "DomainClassifier", "Example", "Guess", "HeldOut", "held_out"]

SURE: Final[Mapping[Tier, float]] = {Tier.STRICT: 0.6, Tier.STANDARD: 0.6, Tier.LENIENT: 0.9}
"""Below this probability it abstains; to ask for less than Standard takes more than to ask for more."""

_FOLDS: Final = 5
_STRENGTH: Final = 10.0
"""Inverse regularisation: vectors of length 1 in many dimensions need little."""
_BINS: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One task and the field it belongs to."""

    text: str
    domain: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Guess:
    """What a task is taken for."""

    domain: str
    """The likeliest field, also where it abstains."""
    probability: float
    tier: Tier
    abstained: bool

    @property
    def reason(self) -> str:
        """One sentence for whoever asks why this tier."""
        if self.abstained:
            return f"not sure of the field ({self.domain} at {self.probability:.0%}): Standard"
        return f"{self.domain} ({self.probability:.0%}): {self.tier.title()}"


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldOut:
    """How well it does on examples that it was not fitted to."""

    examples: int
    accuracy: float
    """Share of all examples put into their field, sure or not."""
    abstained: float
    """Share on which it abstains."""
    accuracy_when_sure: float
    missed_strict: float
    """Share of the examples that ask for Strict and would get less, abstentions included."""
    calibration_error: float
    """Mean distance between probability and share that is right, over bins of probability."""
    confusions: Mapping[tuple[str, str], int]
    """Field and what it was taken for, to how often, where the two differ."""


class DomainClassifier:
    """Fitted at construction; the same examples and embedder give the same guesses."""

    def __init__(self, examples: Sequence[Example], tiers: Mapping[str, Tier], embedder: Embedder) -> None:
        """Fit.

        Raises:
            InvalidInput: fewer than two fields, fewer than five examples of one, or a field without a tier.
        """
        _check(examples, tiers)
        self._tiers, self._embedder = tiers, embedder
        self._model = _fitted(embedder.embed([each.text for each in examples]), [e.domain for e in examples])

    def guess(self, task: str) -> Guess:
        """Return the field a task seems to belong to, and its tier."""
        return _read(self._model, self._model.predict_proba(self._embedder.embed([task]))[0], self._tiers)


def held_out(examples: Sequence[Example], tiers: Mapping[str, Tier], embedder: Embedder) -> HeldOut:
    """Return how well the classifier does on each fifth of the examples when fitted to the other four.

    Raises:
        InvalidInput: as `DomainClassifier`.
    """
    from sklearn.model_selection import StratifiedKFold

    _check(examples, tiers)
    vectors = embedder.embed([each.text for each in examples])
    domains = [each.domain for each in examples]
    guesses: dict[int, Guess] = {}
    for fit, rest in StratifiedKFold(_FOLDS, shuffle=True, random_state=0).split(vectors, domains):
        model = _fitted(vectors[fit], [domains[place] for place in fit])
        for place, probabilities in zip(rest, model.predict_proba(vectors[rest]), strict=True):
            guesses[int(place)] = _read(model, probabilities, tiers)
    return _summary([(domains[place], guess) for place, guess in sorted(guesses.items())], tiers)


def _summary(judged: Sequence[tuple[str, Guess]], tiers: Mapping[str, Tier]) -> HeldOut:
    right = [domain == guess.domain for domain, guess in judged]
    sure = [domain == guess.domain for domain, guess in judged if not guess.abstained]
    strict = [guess.tier is not Tier.STRICT for domain, guess in judged if tiers[domain] is Tier.STRICT]
    wrong = Counter((domain, guess.domain) for domain, guess in judged if domain != guess.domain)
    return HeldOut(
        examples=len(judged),
        accuracy=statistics.fmean(right),
        abstained=statistics.fmean(guess.abstained for _, guess in judged),
        accuracy_when_sure=statistics.fmean(sure) if sure else math.nan,
        missed_strict=statistics.fmean(strict) if strict else 0.0,
        calibration_error=_calibration_error([guess.probability for _, guess in judged], right),
        confusions=dict(wrong),
    )


def _calibration_error(probabilities: Sequence[float], right: Sequence[bool]) -> float:
    bins: dict[int, list[tuple[float, bool]]] = {}
    for probability, hit in zip(probabilities, right, strict=True):
        bins.setdefault(min(_BINS - 1, int(probability * _BINS)), []).append((probability, hit))
    gaps = (abs(math.fsum(probability - hit for probability, hit in members)) for members in bins.values())
    return math.fsum(gaps) / len(probabilities)


def _check(examples: Sequence[Example], tiers: Mapping[str, Tier]) -> None:
    counts = Counter(example.domain for example in examples)
    if len(counts) < 2:
        raise InvalidInput("a domain classifier needs examples of two fields at least")
    for domain, count in counts.items():
        if domain not in tiers:
            raise InvalidInput(f"the field `{domain}` has no tier; there are tiers for: {', '.join(tiers)}")
        if count < 2 * _FOLDS:
            raise InvalidInput(f"the field `{domain}` has {count} examples; it needs {2 * _FOLDS}")


def _fitted(vectors: Vectors, domains: Sequence[str]) -> CalibratedClassifierCV:
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold

    folds = StratifiedKFold(_FOLDS, shuffle=True, random_state=0)
    model = CalibratedClassifierCV(
        LogisticRegression(C=_STRENGTH, max_iter=1000), method="temperature", cv=folds, ensemble=False
    )
    return model.fit(np.asarray(vectors), list(domains))


def _read(model: Any, probabilities: Sequence[float], tiers: Mapping[str, Tier]) -> Guess:
    best = int(np.argmax(probabilities))
    domain, probability = str(model.classes_[best]), float(probabilities[best])
    abstained = probability < SURE[tiers[domain]]
    return Guess(
        domain=domain,
        probability=probability,
        tier=Tier.STANDARD if abstained else tiers[domain],
        abstained=abstained,
    )
