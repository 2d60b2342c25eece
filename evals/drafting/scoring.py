"""True checks of one report against what it is to say, apart from whoever graded it while it was written.

Pure: the same gold, answer and document give the same score.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import yaml

from nightschool.experiments.suite_parts import Score, file_in

from .brief import NONE, PATH, SUMS, amount, read_brief
from .work import check, says

__all__ = ["score_report"]

_AMOUNT: Final = re.compile(r"\d[\d,]*")


def score_report(gold: Mapping[str, Any], answer: Mapping[str, Any], document: str) -> Score:
    """Score a report.

    Args:
        gold: what its lines and disclosures are to say, as `draw_accounts` returns it.
        answer: `{"files": [{"path": "report.md", "content": ...}]}`.
        document: the task.
    """
    _, text = file_in(answer, PATH)
    lines, disclosed, _ = says(text or "")
    innocent = [fact for fact in read_brief(document).facts if not fact.is_disclosed]
    names = {fact.who for fact in innocent}
    right_lines = {name: lines.get(name) == value for name, value in gold["lines"].items()}
    right_parts = {
        section: _is_told(disclosed[section], wanted, names)
        for section, wanted in gold["disclosures"].items()
    }
    checks = [*right_lines.values(), *right_parts.values()]
    given = [lines.get(name) is not None for name in right_lines] + [
        bool(disclosed[part]) for part in right_parts
    ]
    problems = check(document, answer)
    ties = [right_lines[name] for name in SUMS]
    return Score(
        accuracy=sum(checks) / len(checks),
        completeness=sum(given) / len(given),
        format=1 - len(problems) / 3 if text else 0.0,
        metrics={
            "success": float(all(checks) and not problems),
            "error_rate": 1 - sum(checks) / len(checks),
            "completion": sum(given) / len(given),
            "hours_equivalent": _hours(sum(right_lines.values()), sum(right_parts.values())),
            "tie_outs": sum(ties) / len(ties),
            "disclosures": sum(right_parts.values()) / len(right_parts),
        },
    )


def _is_told(text: str, wanted: Sequence[Mapping[str, Any]], innocent: set[str]) -> bool:
    """Return whether a disclosure names party and amount of what belongs there, and no other party."""
    if not wanted:
        return text == NONE
    own = {each["who"] for each in wanted}
    amounts = {found.rstrip(",") for found in _AMOUNT.findall(text)}
    has_all = all(each["who"] in text and amount(each["amount"]) in amounts for each in wanted)
    return has_all and not any(name in text for name in innocent - own)


def _hours(lines: int, disclosures: int) -> float:
    """Return the hours a person would need for what is right, by the minutes that we declared."""
    declared = _declared()
    return (lines * declared["minutes_per_line"] + disclosures * declared["minutes_per_disclosure"]) / 60


@lru_cache(maxsize=1)
def _declared() -> dict[str, float]:
    content = yaml.safe_load(Path(__file__).with_name("suite.yaml").read_text(encoding="utf-8"))
    return {name: float(content[name]) for name in ("minutes_per_line", "minutes_per_disclosure")}
