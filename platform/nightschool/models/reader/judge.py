"""What the passages say about each policy. Knows nothing about turns, tools or messages."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from nightschool.models.reader.evidence import Evidence
from nightschool.models.reader.explain import Explanation, explain
from nightschool.models.reader.linear import linear
from nightschool.models.reader.lookup import Lookup
from nightschool.models.reader.passages import Attention, Passage
from nightschool.models.reader.playbook import Playbook, Policy
from nightschool.models.reader.quantities import Dimension, deciding_amount
from nightschool.models.reader.statements import sentences_of
from nightschool.models.reader.traits import STANCES, Parties, traits_of

__all__ = ["RELATION", "REPORTED", "VERDICT", "Judge", "as_text", "decide", "mended", "weight"]

RELATION: Final = ("base", "explained", "explanation", "measured", "unmeasured")
"""What decides, once it is explained, whether a passage is about a policy."""
VERDICT: Final = (
    "leaning",
    "explanation",
    "joined",
    "quantity",
    *STANCES,
    *(f"plain_{name}" for name in STANCES),
)
"""What decides whether a passage violates its policy."""

_LIKENESS: Final = "likeness to the examples"
_LONGEST_QUOTE: Final = 600
_RIVALRY: Final = 0.8
"""Share of the best policy's claim to a passage below which another policy has none."""
_FIRST_LEAD: Final = 0.08
"""Likeness by which a later sentence must be nearer to a topic than the first."""
_PLACE: Final = re.compile(r"positions\.(\d+)")
_WORD: Final = re.compile(r"\w+")
REPORTED: Final = 0.3
"""Least relevance of evidence that makes a position."""
_REPORTED_EAGERLY: Final = 0.08


class Judge:
    """Weighs passages against their policies."""

    def __init__(self, attention: Attention) -> None:
        """Take what compares texts."""
        self._attention = attention
        self._relation = linear("relation", RELATION)
        self._verdict = linear("verdict", VERDICT)

    def weigh(self, playbook: Playbook, passages: Iterable[Passage], lookup: Lookup) -> list[Evidence]:
        """Return what each passage says about its policy, explained by what else is in view."""
        evidence = [self._evidence(playbook, passage, lookup) for passage in passages]
        best: dict[tuple[str, str], float] = {}
        for piece in evidence:
            key = piece.section, piece.quote
            best[key] = max(best.get(key, 0.0), piece.relevance)
        return [piece for piece in evidence if piece.relevance >= _RIVALRY * best[piece.section, piece.quote]]

    def features(
        self, playbook: Playbook, passage: Passage, lookup: Lookup
    ) -> tuple[list[float], list[float], str]:
        """Return what decides relation and verdict, and the reason to give."""
        explanation = explain(passage, playbook, lookup, self._attention)
        policy = playbook.policies[passage.policy]
        quantity, reason = self._quantity(playbook, passage, explanation)
        return (
            _relation(policy, passage, explanation, quantity),
            _verdict(policy, passage, explanation, quantity, playbook.parties),
            reason,
        )

    def _quantity(
        self, playbook: Playbook, passage: Passage, explanation: Explanation | None
    ) -> tuple[float, str]:
        """Return 1 for a quantity beyond the limit, -1 for one within it, 0 for none."""
        limit = playbook.policies[passage.policy].limit
        if limit is None:
            return 0.0, _LIKENESS
        for text in (passage.statement.text, explanation.text if explanation else ""):
            for part in self._by_likeness(playbook, passage.policy, text, limit.dimension):
                amount = deciding_amount(part, limit.dimension)
                if amount is not None:
                    said = part[amount.start : amount.end]
                    return (-1.0 if limit.allows(amount.value) else 1.0), f"{said} against the limit"
        if passage.traits.is_unlimited:
            return (-1.0 if limit.is_minimum else 1.0), "without limit"
        if passage.traits.is_at_once:
            return (1.0 if limit.is_minimum else -1.0), "at once"
        return 0.0, _LIKENESS

    def _by_likeness(self, playbook: Playbook, policy: int, text: str, dimension: Dimension) -> Sequence[str]:
        """Return the sentences with amounts, the one most on the policy's topic first."""
        parts = [part for part in sentences_of(text) if deciding_amount(part, dimension) is not None]
        if len(parts) < 2:
            return parts
        near = {part: self._attention.nearness(playbook, policy, part) for part in parts}
        return sorted(parts, key=lambda part: -near[part] - (_FIRST_LEAD if part == parts[0] else 0.0))

    def _evidence(self, playbook: Playbook, passage: Passage, lookup: Lookup) -> Evidence:
        relation, verdict, reason = self.features(playbook, passage, lookup)
        odds = self._verdict.score(verdict)
        return Evidence(
            policy=playbook.policies[passage.policy].id,
            position="violation" if odds > 0 else "compliant",
            section=passage.section.number,
            quote=passage.statement.text[:_LONGEST_QUOTE],
            relevance=round(_probability(self._relation.score(relation)), 4),
            certainty=round(_probability(abs(odds)), 4),
            reason=reason,
        )


def _relation(
    policy: Policy, passage: Passage, explanation: Explanation | None, quantity: float
) -> list[float]:
    return [
        passage.odds,
        float(explanation is not None and explanation.is_tied),
        explanation.likeness if explanation else 0.0,
        float(policy.limit is not None and quantity != 0),
        float(policy.limit is not None and quantity == 0),
    ]


def _verdict(
    policy: Policy, passage: Passage, explanation: Explanation | None, quantity: float, parties: Parties
) -> list[float]:
    stance = np.array(passage.traits.stance)
    if explanation is not None:
        explained = np.array(traits_of(explanation.text, parties).stance)
        stance = np.where(explained == 0, stance, explained)
    told = explanation.leaning if explanation else 0.0
    joined = explanation.joined if explanation else passage.leaning
    return [
        passage.leaning,
        told,
        joined,
        quantity,
        *(stance * _sides(policy, parties)).tolist(),
        *stance.tolist(),
    ]


@lru_cache(maxsize=1024)
def _sides(policy: Policy, parties: Parties) -> NDArray[np.float64]:
    """Return in which stances the policy's examples differ: what its unacceptable ones have more of."""

    def mean(texts: tuple[str, ...]) -> NDArray[np.float64]:
        stances = [traits_of(text, parties).stance for text in texts]
        return np.mean(stances, axis=0) if stances else np.zeros(len(STANCES))

    return np.clip(mean(policy.not_acceptable) - mean(policy.acceptable), -1, 1)


def _probability(odds: float) -> float:
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, odds))))


def weight(piece: Evidence) -> float:
    """Return how much a piece of evidence counts, 0 to 1."""
    return piece.relevance * piece.certainty


def decide(
    playbook: Playbook,
    evidence: Iterable[Evidence],
    *,
    may_report_missing: bool,
    eager: Collection[str] = (),
) -> list[dict[str, Any]]:
    """Return one position for each policy with evidence, and `missing` where that may be said.

    Args:
        playbook: the policies, in whose order the positions come.
        evidence: what passages say.
        may_report_missing: whether policies without evidence are reported.
        eager: policies for which weak evidence is enough.
    """
    by_policy: dict[str, list[Evidence]] = {}
    for piece in evidence:
        if piece.relevance >= (_REPORTED_EAGERLY if piece.policy in eager else REPORTED):
            by_policy.setdefault(piece.policy, []).append(piece)
    positions = []
    for policy in playbook.policies:
        pieces = by_policy.get(policy.id, [])
        if pieces:
            positions.append(_position(max(pieces, key=weight)))
        elif may_report_missing:
            positions.append(_missing(policy))
    return positions


def _position(piece: Evidence) -> dict[str, Any]:
    return {
        "policy": piece.policy,
        "position": piece.position,
        "section": piece.section,
        "quote": piece.quote,
        "confidence": round(weight(piece), 3),
        "reason": piece.reason,
    }


def _missing(policy: Policy) -> dict[str, Any]:
    return {
        "policy": policy.id,
        "position": "missing",
        "section": None,
        "quote": None,
        "confidence": 0.6,
        "reason": "no section speaks to it",
    }


def mended(positions: Sequence[dict[str, Any]], refusals: Iterable[str]) -> list[dict[str, Any]]:
    """Return positions without those that a refusal names, by place or by policy."""
    kept = list(positions)
    for refusal in refusals:
        places = set(map(int, _PLACE.findall(refusal)))
        named = set(_WORD.findall(refusal))
        kept = [p for place, p in enumerate(kept) if place not in places and p["policy"] not in named]
    return kept


def as_text(positions: Sequence[Mapping[str, Any]]) -> str:
    """Return positions as JSON text, for whoever gave no tool to hand them in."""
    return json.dumps({"positions": list(positions)}, ensure_ascii=False)
