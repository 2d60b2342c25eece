"""Scoring one review of a contract against its truth.

Knows nothing about who wrote the review or how the contract was drawn. Pure: the same gold, answer and
document give the same score. Three dimensions are decided here, accuracy, completeness and format;
consistency and efficiency need more than one answer and are measured by whoever ran them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from jsonschema import Draft202012Validator

from nightschool.experiments.suite_parts import Quotable, Score, positions_of

__all__ = ["score_review"]

_SCHEMA: Final = Path(__file__).with_name("answer.schema.json")
_FINDINGS: Final = frozenset({"violation", "missing"})
_GROUPS: Final = ("direct", "definition", "cross_reference", "missing")


def score_review(gold: Sequence[Mapping[str, Any]], answer: Mapping[str, Any], document: str) -> Score:
    """Score a review.

    Args:
        gold: the truth on every policy, as `draw_contract` returns it.
        answer: the review, ``{"positions": [...]}``; whatever else it holds is no position.
        document: the contract, in which quotes are looked up.
    """
    positions, text = positions_of(answer), Quotable.of(document)
    truth = {str(item["policy"]): item for item in gold}
    flags = [item for item in positions if _is_flag(item, truth)]
    found = {_policy(flag) for flag in flags if _is_right(flag, truth.get(_policy(flag)))}
    wanted = [policy for policy, held in truth.items() if held["position"] in _FINDINGS]
    first = {_policy(item): item for item in reversed(positions)}
    return Score(
        accuracy=_f1(len(found), len(flags), len(wanted)),
        completeness=_share(_is_located(first.get(policy), held, text) for policy, held in truth.items()),
        format=_share(_is_well_formed(item, text) for item in positions),
        metrics=_metrics(found, len(flags), [truth[policy] for policy in wanted]),
    )


def _policy(position: Mapping[str, Any]) -> str:
    return str(position.get("policy"))


def _is_flag(position: Mapping[str, Any], truth: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether a position claims a finding; to say that an optional clause is missing claims none."""
    if position.get("position") == "missing":
        return bool(truth.get(_policy(position), {}).get("required", True))
    return position.get("position") == "violation"


def _is_right(flag: Mapping[str, Any], held: Mapping[str, Any] | None) -> bool:
    if held is None or flag["position"] != held["position"]:
        return False
    return flag["position"] == "missing" or flag.get("section") in held["sections"]


def _is_located(position: Mapping[str, Any] | None, held: Mapping[str, Any], text: Quotable) -> bool:
    """Whether the first position on a policy rests on the right place, or rightly says there is none.

    Only the first counts: else an answer could quote every section under every policy and be complete.
    """
    if position is None:
        return False
    if position.get("position") == "missing":
        return not held["sections"]
    return position.get("section") in held["sections"] and text.has(
        position.get("section"), position.get("quote")
    )


def _is_well_formed(position: Mapping[str, Any], text: Quotable) -> bool:
    if not _validator().is_valid(position):
        return False
    return position["position"] == "missing" or text.has(position["section"], position["quote"])


@lru_cache(maxsize=1)
def _validator() -> Draft202012Validator:
    return Draft202012Validator(json.loads(_SCHEMA.read_text(encoding="utf-8")))


def _share(outcomes: Iterable[bool]) -> float:
    held = list(outcomes)
    return sum(held) / len(held) if held else 0.0


def _f1(found: int, flags: int, wanted: int) -> float:
    """F1 from counts; a contract without findings asks for an answer without flags."""
    return 2 * found / (flags + wanted) if flags + wanted else 1.0


def _metrics(found: set[str], flags: int, wanted: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    metrics: dict[str, float] = {
        "findings": flags,
        "gold": len(wanted),
        "false_flags": flags - len(found),
    }
    if flags:
        metrics["precision"] = len(found) / flags
    if wanted:
        metrics["recall"] = len(found) / len(wanted)
    for group in _GROUPS:
        members = [held["policy"] for held in wanted if group in (held["position"], held["via"])]
        if members:
            metrics[f"recall_{group}"] = sum(policy in found for policy in members) / len(members)
    return metrics
