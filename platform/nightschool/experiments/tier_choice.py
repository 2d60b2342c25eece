"""Which tier a task is held to, and why: what was asked for or declared, else what its field asks for.

    flag  ─►  the suite's `tier`  ─►  the tier of the suite's `domain`  ─►  the classifier, which may abstain

Knows nothing about what is done with the tier.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nightschool.core.errors import NotFound
from nightschool.experiments.domains import DomainExamples, load_domains
from nightschool.experiments.suite import Suite
from nightschool.models.embed import Embedder
from nightschool.outcomes.domain import DomainClassifier
from nightschool.outcomes.tiers import Tier

__all__ = ["TierChoice", "infer_tier", "tier_of_suite"]

NewEmbedder = Callable[[], Embedder]


@dataclass(frozen=True, slots=True, kw_only=True)
class TierChoice:
    """A tier and where it comes from."""

    tier: Tier
    reason: str
    """One sentence for whoever asks why this tier."""
    confidence: float | None = None
    """Probability of the field it was inferred from; None where nothing was inferred."""

    def as_facts(self) -> dict[str, Any]:
        """Return what is recorded of it with a verdict."""
        return {"tier_reason": self.reason, "tier_confidence": self.confidence}


def tier_of_suite(
    suite: Suite, *, asked: str | None, folders: Sequence[Path], embedder: NewEmbedder
) -> TierChoice:
    """Return the tier that a suite's results are held to.

    Args:
        suite: may declare `tier` or `domain`; else its title and description are taken for the task.
        asked: the tier that a person gave, which outranks everything.
        folders: where the examples of domains lie.
        embedder: made only when a field has to be inferred.

    Raises:
        Malformed: the examples of domains cannot be used.
    """
    if asked is not None:
        return TierChoice(tier=Tier(asked), reason="as asked")
    if suite.tier is not None:
        return TierChoice(tier=suite.tier, reason="as the suite declares")
    known = _known(folders)
    domain = str(suite.config.get("domain") or "")
    if known is not None and domain in known.tiers:
        tier = known.tiers[domain]
        return TierChoice(tier=tier, reason=f"the suite's domain is {domain}: {tier.title()}")
    task = ". ".join(str(text) for text in (suite.title, suite.config.get("description")) if text)
    return _inferred(task, known, embedder)


def infer_tier(task: str, *, asked: str | None, folders: Sequence[Path], embedder: NewEmbedder) -> TierChoice:
    """Return the tier of a task of one's own. Arguments and errors as `tier_of_suite`."""
    if asked is not None:
        return TierChoice(tier=Tier(asked), reason="as asked")
    return _inferred(task, _known(folders), embedder)


def _known(folders: Sequence[Path]) -> DomainExamples | None:
    try:
        return load_domains(folders)
    except NotFound:
        return None


def _inferred(task: str, known: DomainExamples | None, embedder: NewEmbedder) -> TierChoice:
    if known is None:
        return TierChoice(
            tier=Tier.STANDARD, reason="there are no examples of domains to infer it from: Standard"
        )
    tiers: Mapping[str, Tier] = known.tiers
    guess = DomainClassifier(known.examples, tiers, embedder()).guess(task)
    return TierChoice(tier=guess.tier, reason=guess.reason, confidence=guess.probability)
