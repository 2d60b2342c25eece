"""Positions taken in a review, as values; and the checks that code can make without knowing the truth.

Knows nothing about gold labels: what is checked here is form and evidence, the same for every reviewer.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nightschool.sandbox.documents import Document

__all__ = ["Finding", "as_shown", "evidence_errors", "findings_of", "is_quoted", "shown", "unplaced_policies"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One position: what a policy's state is in the document, where, and on which words it rests."""

    policy: str
    position: str
    """violation, compliant or missing."""
    section: str | None
    quote: str | None
    confidence: float
    reason: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return the form in which it is handed in."""
        return {
            "policy": self.policy,
            "position": self.position,
            "section": self.section,
            "quote": self.quote,
            "confidence": self.confidence,
            "reason": self.reason,
        }


def findings_of(answer: Mapping[str, Any]) -> tuple[Finding, ...]:
    """Return the positions of an answer that fits `sandbox.submission.FINDINGS_SCHEMA`."""
    return tuple(
        Finding(
            policy=item["policy"],
            position=item["position"],
            section=item.get("section"),
            quote=item.get("quote"),
            confidence=float(item.get("confidence", 0.0)),
            reason=item.get("reason", ""),
        )
        for item in answer.get("positions", ())
    )


def shown(answer: Mapping[str, Any]) -> str:
    """Return an answer as a grader is shown it: what it claims and quotes, without how sure it is or why.

    Confidence and reasons are the author speaking for its work; a grader judges the work.
    """
    lines = [
        f"{finding.policy}: {finding.position}"
        + (f", section {finding.section}" if finding.section else "")
        + (f": “{finding.quote}”" if finding.quote else "")
        for finding in findings_of(answer)
    ]
    return "\n".join(lines) or "(nothing was handed in)"


def as_shown(answer: Mapping[str, Any]) -> str:
    """Return any answer as a judge is shown it: as `shown` where it has positions, else as JSON."""
    if "positions" in answer or not answer:
        return shown(answer)
    return json.dumps(answer, indent=2, ensure_ascii=False, default=str)


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()


def is_quoted(quote: str, text: str) -> bool:
    """Return whether the words stand in the text; white space and case do not count."""
    return bool(quote.strip()) and _folded(quote) in _folded(text)


def evidence_errors(findings: Sequence[Finding], document: Document) -> list[str]:
    """Return what is wrong with the evidence, a line each, naming the policy: feedback for the author."""
    errors = []
    for finding in findings:
        if finding.position == "missing":
            continue
        section = document.find(finding.section or "")
        if section is None:
            errors.append(f"{finding.policy}: there is no section {finding.section!r}")
        elif not is_quoted(finding.quote or "", section.text):
            errors.append(f"{finding.policy}: the quote is not in section {finding.section}")
    return errors


def unplaced_policies(findings: Sequence[Finding], policies: Collection[str]) -> list[str]:
    """Return the policies without a position, in the playbook's order."""
    placed = {finding.policy for finding in findings}
    return [policy for policy in policies if policy not in placed]
