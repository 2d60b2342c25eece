"""Joining what several agents found into one answer: pure, settled by confidence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from nightschool.outcomes.findings import Finding
from nightschool.outcomes.playbook import Policy

__all__ = ["MergeRules", "merge_findings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeRules:
    """How positions on one policy from different sections are settled."""

    keep_within: float = 0.15
    """Positions whose confidence lies this close to the policy's best are kept beside it."""


def _precedence(finding: Finding) -> tuple[object, ...]:
    """Order findings so that the surer comes first; of two equally sure, the one that warns."""
    warns = finding.position == "violation"
    place = (finding.policy, finding.section or "")
    return (*place, -finding.confidence, not warns, finding.quote or "", finding.reason)


def _best_per_section(findings: Iterable[Finding]) -> dict[tuple[str, str | None], Finding]:
    best: dict[tuple[str, str | None], Finding] = {}
    for finding in findings:
        key = (finding.policy, finding.section)
        if key not in best or finding.confidence > best[key].confidence:
            best[key] = finding
    return best


def _of_policy(policy: Policy, found: Sequence[Finding], rules: MergeRules) -> list[Finding]:
    if not found:
        reason = "no section of the document addresses it"
        return [
            Finding(
                policy=policy.id, position="missing", section=None, quote=None, confidence=0.5, reason=reason
            )
        ]
    best = max(finding.confidence for finding in found)
    return [finding for finding in found if finding.confidence >= best - rules.keep_within]


def merge_findings(
    answers: Iterable[Sequence[Finding]], policies: Sequence[Policy], rules: MergeRules
) -> tuple[Finding, ...]:
    """Return one list of positions, in the playbook's order.

    Two values for one policy in one section are settled by confidence; a policy nobody placed is missing.
    The order in which the answers arrived does not matter.
    """
    placed = (finding for answer in answers for finding in answer if finding.position != "missing")
    by_section = _best_per_section(sorted(placed, key=_precedence))
    return tuple(
        finding
        for policy in policies
        for finding in _of_policy(policy, [f for f in by_section.values() if f.policy == policy.id], rules)
    )
