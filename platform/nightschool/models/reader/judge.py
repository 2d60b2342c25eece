"""What the passages say about each policy. Knows nothing about turns, tools or messages."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from nightschool.models.reader.evidence import Evidence
from nightschool.models.reader.lookup import Lookup
from nightschool.models.reader.passages import Passage
from nightschool.models.reader.playbook import Playbook, Policy
from nightschool.models.reader.quantities import amounts

__all__ = ["as_text", "decide", "mended", "weigh", "weight"]

_LONGEST_QUOTE: Final = 600
_PLACE: Final = re.compile(r"positions\.(\d+)")
_WORD: Final = re.compile(r"\w+")


def weigh(playbook: Playbook, passages: Mapping[str, Iterable[Passage]], lookup: Lookup) -> list[Evidence]:
    """Return what each passage says about its policy, explained by what else is in view."""
    return [
        _evidence(policy, passage, lookup)
        for policy in playbook.policies
        for passage in passages.get(policy.id, ())
    ]


def weight(piece: Evidence) -> float:
    """Return how much a piece of evidence counts, 0 to 1."""
    return piece.relevance * piece.certainty


def _evidence(policy: Policy, passage: Passage, lookup: Lookup) -> Evidence:
    position, certainty, reason = _by_quantity(policy, passage, lookup) or _by_likeness(passage)
    return Evidence(
        policy=policy.id,
        position=position,
        section=passage.section.number,
        quote=passage.sentence.text[:_LONGEST_QUOTE],
        relevance=round(passage.relevance, 4),
        certainty=round(certainty, 4),
        reason=reason,
    )


def _by_quantity(policy: Policy, passage: Passage, lookup: Lookup) -> tuple[str, float, str] | None:
    limit = policy.limit
    if limit is None:
        return None
    for text in _with_explanations(passage, lookup):
        found = [amount for amount in amounts(text) if amount.dimension == limit.dimension]
        if found:
            said = text[found[0].start : found[0].end]
            allowed = limit.allows(found[0].value)
            return ("compliant" if allowed else "violation"), 0.9, f"{said} against the limit"
    return None


def _with_explanations(passage: Passage, lookup: Lookup) -> Iterator[str]:
    text = passage.sentence.text
    yield text
    yield from lookup.meanings(text)
    for section in lookup.cited(text, own_number=passage.section.number):
        yield section.text


def _by_likeness(passage: Passage) -> tuple[str, float, str]:
    position = "compliant" if passage.leaning >= 0 else "violation"
    return position, min(1.0, 0.5 + 2 * abs(passage.leaning)), "likeness to the examples"


def decide(
    playbook: Playbook, evidence: Iterable[Evidence], *, may_report_missing: bool
) -> list[dict[str, Any]]:
    """Return one position for each policy with evidence, and `missing` where that may be said."""
    by_policy: dict[str, list[Evidence]] = {}
    for piece in evidence:
        by_policy.setdefault(piece.policy, []).append(piece)
    positions = []
    for policy in playbook.policies:
        pieces = by_policy.get(policy.id, [])
        if pieces:
            positions.append(_position(max(pieces, key=weight)))
        elif policy.required and may_report_missing:
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
