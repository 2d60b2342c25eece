"""The separate grader: sees the task, the document and the result, never the author's reasoning.

This one decides by code alone. It has no gold labels: it grades form (the answer fits its schema and every
quote stands where it is said to stand) and completeness (each policy asked for has a position).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from nightschool.core.usage import Usage
from nightschool.models.embed import Embedder
from nightschool.outcomes.findings import evidence_errors, findings_of, unplaced_policies
from nightschool.outcomes.overlooked import Pointer, overlooked
from nightschool.outcomes.playbook import Policy
from nightschool.outcomes.tiers import Tier, passes
from nightschool.sandbox.documents import Document
from nightschool.sandbox.submission import schema_errors

__all__ = ["Verdict", "grade", "grade_absences", "grade_pointing", "pointer_line"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What the grader found."""

    scores: dict[str, float]
    """The dimensions that could be graded, 0 to 1."""
    satisfied: bool
    feedback: tuple[str, ...]
    """What to mend, a line each."""
    usage: Usage = field(default_factory=Usage)
    """Tokens that the grading took; none where code decides."""
    fits: bool = True
    """Whether the rubric could be applied to what was handed in at all."""
    tier: Tier | None = None
    """The tier it was judged at; None: no rubric was declared."""
    threshold: float | None = None
    """What the tier compared with."""
    margin: float | None = None
    """How far above that the result lies; None: nothing could be graded."""


def _share(wrong: int, total: int) -> float:
    return 1.0 if total == 0 else max(0.0, 1.0 - wrong / total)


def grade(
    answer: Mapping[str, Any],
    document: Document,
    *,
    policies: Collection[str] = (),
    tier: Tier = Tier.STRICT,
) -> Verdict:
    """Grade one answer.

    Args:
        answer: what was handed in.
        document: what it was to be read from.
        policies: ids that must each have a position; empty: completeness is not graded.
        tier: how much is asked.
    """
    malformed = schema_errors(answer)
    if malformed:
        return Verdict(scores={"format": 0.0}, satisfied=False, feedback=tuple(malformed))
    findings = findings_of(answer)
    wrong = evidence_errors(findings, document)
    scores = {"format": _share(len(wrong), len(findings))}
    open_policies = unplaced_policies(findings, policies)
    if policies:
        scores["completeness"] = _share(len(open_policies), len(policies))
    feedback = (*wrong, *(f"{policy}: no position given" for policy in open_policies))
    return Verdict(scores=scores, satisfied=passes(tier, scores), feedback=feedback)


def grade_absences(
    answer: Mapping[str, Any], document: Document, *, required: Collection[str], tier: Tier = Tier.STRICT
) -> Verdict:
    """Grade one answer, and doubt each claim that a required clause is missing.

    Such a claim is the one that no quote can support. It is sent back to be looked into again; the author may
    well come to the same, and then it stands.

    Args:
        answer: what was handed in.
        document: what it was to be read from.
        required: policies whose absence is a finding.
        tier: how much is asked.
    """
    plain = grade(answer, document, policies=required, tier=tier)
    if plain.scores["format"] == 0:
        return plain
    claims = [each.policy for each in findings_of(answer) if each.position == "missing"]
    doubted = [policy for policy in required if policy in claims]
    doubts = (f"{policy}: no evidence that it is missing; look again" for policy in doubted)
    return replace(plain, satisfied=plain.satisfied and not doubted, feedback=(*plain.feedback, *doubts))


def grade_pointing(
    answer: Mapping[str, Any],
    document: Document,
    *,
    policies: Sequence[Policy],
    embedder: Embedder,
    least: float,
    tier: Tier = Tier.STRICT,
    earlier: Sequence[str] = (),
) -> Verdict:
    """Grade one answer, and point at the sentence that may speak to what is said to be missing.

    Args:
        answer: what was handed in.
        document: what it was to be read from.
        policies: those that must each have a position.
        embedder: compares sentences with policies.
        least: the strength from which on a sentence is worth pointing at.
        tier: how much is asked.
        earlier: what was said before; a doubt that the author has looked into is not raised again.
    """
    plain = grade(answer, document, policies=[policy.id for policy in policies], tier=tier)
    if plain.scores["format"] == 0:
        return plain
    findings = findings_of(answer)
    missing = {finding.policy for finding in findings if finding.position == "missing"}
    found = overlooked(document, policies, findings, embedder, only=missing)
    lines = [pointer_line(pointer) for pointer in found if pointer.strength >= least]
    doubts = [line for line in lines if not any(line in said for said in earlier)]
    return replace(plain, satisfied=plain.satisfied and not doubts, feedback=(*plain.feedback, *doubts))


def pointer_line(pointer: Pointer) -> str:
    """Return a pointer as the line of feedback that an author gets."""
    return f"{pointer.policy}: section {pointer.section} may speak to it: “{pointer.quote}”"
