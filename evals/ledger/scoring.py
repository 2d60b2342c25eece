"""Scoring one review of a year's books against their truth.

Knows nothing about who wrote the review. Pure: the same gold, answer and document give the same score.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import yaml

from nightschool.experiments.suite_parts import Quotable, Score, positions_of

__all__ = ["score_review"]

_ROW: Final = re.compile(r"^- ", re.MULTILINE)
_FINDINGS: Final = frozenset({"violation", "missing"})
_POSITIONS: Final = frozenset({"violation", "missing", "compliant"})


def score_review(gold: Sequence[Mapping[str, Any]], answer: Mapping[str, Any], document: str) -> Score:
    """Score a review.

    Args:
        gold: the truth on every check, as `draw_books` returns it.
        answer: the review, ``{"positions": [...]}``.
        document: the report, in which quotes are looked up.
    """
    positions, text = positions_of(answer), Quotable.of(document)
    truth = {str(item["policy"]): item for item in gold}
    first = {str(item.get("policy")): item for item in reversed(positions)}
    flags = [item for item in positions if item.get("position") in _FINDINGS]
    found = {str(flag.get("policy")) for flag in flags if _is_right(flag, truth.get(str(flag.get("policy"))))}
    wanted = [check for check, held in truth.items() if held["position"] in _FINDINGS]
    decided = [check for check, held in truth.items() if _is_right(first.get(check), held)]
    located = [check for check, held in truth.items() if _is_located(first.get(check), held, text)]
    formed = [item for item in positions if _is_well_formed(item, text)]
    metrics = {
        "findings": float(len(flags)),
        "gold": float(len(wanted)),
        "false_flags": float(len(flags) - len(found)),
        "error_rate": 1 - len(decided) / len(truth),
        "completion": len(first.keys() & truth.keys()) / len(truth),
        "hours_equivalent": _hours(decided, document),
        "recall": len(found) / len(wanted),
    }
    if flags:
        metrics["precision"] = len(found) / len(flags)
    return Score(
        accuracy=2 * len(found) / (len(flags) + len(wanted)),
        completeness=len(located) / len(truth),
        format=len(formed) / len(positions) if positions else 0.0,
        metrics=metrics,
    )


def _is_right(position: Mapping[str, Any] | None, held: Mapping[str, Any] | None) -> bool:
    if position is None or held is None or position.get("position") != held["position"]:
        return False
    return position["position"] == "missing" or position.get("section") in held["sections"]


def _is_located(position: Mapping[str, Any] | None, held: Mapping[str, Any], text: Quotable) -> bool:
    if position is None:
        return False
    if position.get("position") == "missing":
        return not held["sections"]
    section = position.get("section")
    return section in held["sections"] and text.has(section, position.get("quote"))


def _is_well_formed(position: Mapping[str, Any], text: Quotable) -> bool:
    if position.get("position") not in _POSITIONS or not isinstance(position.get("policy"), str):
        return False
    return position["position"] == "missing" or text.has(position.get("section"), position.get("quote"))


def _hours(decided: Sequence[str], document: str) -> float:
    """Return the hours a person would need for what was decided rightly, by the minutes that we declared."""
    declared = _declared()
    rows, checks = len(_ROW.findall(document)), len(decided)
    return checks * (declared["minutes_per_check"] + declared["minutes_per_row"] * rows / 10) / 60


@lru_cache(maxsize=1)
def _declared() -> dict[str, float]:
    content = yaml.safe_load(Path(__file__).with_name("suite.yaml").read_text(encoding="utf-8"))
    return {name: float(content[name]) for name in ("minutes_per_check", "minutes_per_row")}
