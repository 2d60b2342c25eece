"""What is true of a contract before a word of it is written: which policies it breaks, meets or leaves out.

Knows nothing about wording. The truth of a sample is the same in every epoch, so that repeats measure the
reader and not the luck of the draw.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from .library import ClauseType, Stance, Via
from .playbook import Policy

__all__ = ["Position", "Truth", "draw_truth"]


class Position(StrEnum):
    """Where a contract stands on one policy."""

    VIOLATION = "violation"
    COMPLIANT = "compliant"
    MISSING = "missing"
    """No such clause, although the playbook requires one: a finding."""
    ABSENT = "absent"
    """No such clause, and none is required."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """The position on one policy, and where its deciding words stand."""

    policy: str
    position: Position
    via: Via | None = None


_VIOLATION_SHARE: Final = (0.26, 0.44)
_MOST_MISSING: Final = 3
_LEFT_OUT: Final = 4
"""Even a long contract says nothing on about this many policies."""

_VIA_WEIGHTS: Final = {Via.DIRECT: 0.5, Via.DEFINITION: 0.25, Via.CROSS_REFERENCE: 0.25}


def draw_truth(
    policies: Sequence[Policy], clause_types: Mapping[str, ClauseType], pages: int, rng: random.Random
) -> tuple[Truth, ...]:
    """Draw the truth of one contract, in the order of the playbook.

    Args:
        policies: the playbook.
        clause_types: what the library can say about each.
        pages: the contract's length; a short one has fewer kinds of clause.
        rng: the sample's source of chance, the same in every epoch.
    """
    required = [policy.id for policy in policies if policy.required]
    missing = set(rng.sample(required, rng.randint(1, _MOST_MISSING)))
    candidates = [policy.id for policy in policies if policy.id not in missing]
    violated = set(rng.sample(candidates, round(rng.uniform(*_VIOLATION_SHARE) * len(policies))))
    compliant = _compliant(candidates, violated, set(required), _clause_count(len(policies), pages), rng)

    def truth(policy: str) -> Truth:
        if policy in missing:
            return Truth(policy=policy, position=Position.MISSING)
        if policy in violated:
            via = _draw_via(clause_types[policy], Stance.RISKY, rng)
            return Truth(policy=policy, position=Position.VIOLATION, via=via)
        if policy in compliant:
            via = _draw_via(clause_types[policy], Stance.SAFE, rng)
            return Truth(policy=policy, position=Position.COMPLIANT, via=via)
        return Truth(policy=policy, position=Position.ABSENT)

    return tuple(truth(policy.id) for policy in policies)


def _clause_count(most: int, pages: int) -> int:
    return min(most - _LEFT_OUT, 13 + pages // 2)


def _compliant(
    candidates: Sequence[str],
    violated: Collection[str],
    required: Collection[str],
    clauses: int,
    rng: random.Random,
) -> set[str]:
    """Choose the policies that are met: the required ones not violated, and others up to the number."""
    rest = [policy for policy in candidates if policy not in violated]
    needed = [policy for policy in rest if policy in required]
    others = [policy for policy in rest if policy not in required]
    room = max(0, min(len(others), clauses - len(violated) - len(needed)))
    return {*needed, *rng.sample(others, room)}


def _draw_via(clause_type: ClauseType, stance: Stance, rng: random.Random) -> Via:
    possible = [via for via in Via if clause_type.wordings.get((stance, via))]
    return rng.choices(possible, [_VIA_WEIGHTS[via] for via in possible])[0]
