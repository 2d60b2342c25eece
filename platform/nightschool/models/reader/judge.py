"""What the passages say about each policy. Knows nothing about turns, tools or messages."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from nightschool.models.reader.evidence import Evidence
from nightschool.models.reader.passages import Passage
from nightschool.models.reader.playbook import Playbook, Policy
from nightschool.models.reader.quantities import amounts

__all__ = ["decide", "weigh"]

_LONGEST_QUOTE: Final = 600
_SURE_ENOUGH: Final = 0.35


def weigh(policy: Policy, passages: Iterable[Passage]) -> list[Evidence]:
    """Return what each passage says about a policy."""
    return [_evidence(policy, passage) for passage in passages]


def _evidence(policy: Policy, passage: Passage) -> Evidence:
    position, certainty, reason = _by_quantity(policy, passage) or _by_likeness(passage)
    return Evidence(
        policy=policy.id,
        position=position,
        section=passage.section.number,
        quote=passage.sentence.text[:_LONGEST_QUOTE],
        relevance=round(passage.relevance, 4),
        certainty=round(certainty, 4),
        reason=reason,
    )


def _by_quantity(policy: Policy, passage: Passage) -> tuple[str, float, str] | None:
    limit = policy.limit
    if limit is None:
        return None
    found = [amount for amount in amounts(passage.sentence.text) if amount.dimension == limit.dimension]
    if not found:
        return None
    allowed = limit.allows(found[0].value)
    said = passage.sentence.text[found[0].start : found[0].end]
    return ("compliant" if allowed else "violation"), 0.9, f"{said} against the limit"


def _by_likeness(passage: Passage) -> tuple[str, float, str]:
    position = "compliant" if passage.leaning >= 0 else "violation"
    return position, min(1.0, 0.5 + 2 * abs(passage.leaning)), "likeness to the examples"


def decide(
    playbook: Playbook, evidence: Iterable[Evidence], *, may_report_missing: bool
) -> list[dict[str, Any]]:
    """Return one position per policy for which there is evidence, and the missing ones where that may be said."""
    by_policy: dict[str, list[Evidence]] = {}
    for piece in evidence:
        by_policy.setdefault(piece.policy, []).append(piece)
    positions = []
    for policy in playbook.policies:
        pieces = by_policy.get(policy.id, [])
        if pieces:
            positions.append(_position(max(pieces, key=lambda piece: piece.relevance * piece.certainty)))
        elif policy.required and may_report_missing:
            positions.append(_missing(policy))
    return positions


def _position(piece: Evidence) -> dict[str, Any]:
    return {
        "policy": piece.policy,
        "position": piece.position,
        "section": piece.section,
        "quote": piece.quote,
        "confidence": round(piece.relevance * piece.certainty, 3),
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
