"""What people say of results, and how far the recorded verdicts agree with them.

Pure. The last word of each person counts; where several judged one result the majority decides, and a tie
decides nothing. Knows nothing about where labels are kept or how they were asked for.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from nightschool.core.errors import InvalidInput
from nightschool.outcomes.agreement import cohen_kappa
from nightschool.outcomes.calibration import Spread, mean_spread, share_spread

__all__ = ["Agreed", "Label", "PeopleAgreement", "agreed", "agreement_with_people"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """One person's judgement of one result."""

    decision: Literal["accept", "reject"]
    score: float | None = None
    """The score that the result deserves, 0 to 1; None where the person corrected none."""
    note: str = ""
    given_by: str
    given_at: datetime | None = None

    def __post_init__(self) -> None:
        """Refuse what could not be counted.

        Raises:
            InvalidInput: nobody is named, or the score is not a number from 0 to 1.
        """
        if not self.given_by.strip():
            raise InvalidInput("a label says who gave it; name the person")
        # Written so that NaN fails it too.
        if self.score is not None and not 0 <= self.score <= 1:
            raise InvalidInput(f"the score {self.score} is not a number from 0 to 1")


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreed:
    """What the people who labelled one result say of it together."""

    acceptable: bool | None
    """None where as many accept as reject."""
    score: float | None
    """Mean of the scores given; None where none was."""
    people: tuple[str, ...]

    @property
    def is_disputed(self) -> bool:
        """Whether it cannot be counted as either."""
        return self.acceptable is None


@dataclass(frozen=True, slots=True, kw_only=True)
class PeopleAgreement:
    """How far verdicts agree with people's labels of the same results."""

    results: int
    kappa: float | None
    """Agreement beyond chance; None where nothing varies."""
    false_accepts: Spread | None
    """Share of the results that people reject which the verdict passes."""
    false_rejects: Spread | None
    """Share of the results that people accept which the verdict fails."""
    mean_error: Spread | None
    """Score recorded minus score that people gave, where they gave one."""


def agreed(labels: Iterable[Label]) -> Agreed | None:
    """Return what labels of one result come to, given in the order of time; None without any."""
    last: Mapping[str, Label] = {label.given_by: label for label in labels}
    if not last:
        return None
    accepting = sum(label.decision == "accept" for label in last.values())
    scores = [label.score for label in last.values() if label.score is not None]
    rejecting = len(last) - accepting
    return Agreed(
        acceptable=None if accepting == rejecting else accepting > rejecting,
        score=math.fsum(scores) / len(scores) if scores else None,
        people=tuple(last),
    )


def agreement_with_people(judged: Sequence[tuple[bool, float, Agreed]]) -> PeopleAgreement | None:
    """Return how far verdicts agree with people; None where no result has a label that counts.

    Args:
        judged: of each result whether it passes, the score recorded, and what people say.
    """
    counted = [(passed, score, said) for passed, score, said in judged if said.acceptable is not None]
    if not counted:
        return None
    corrections = [score - said.score for _, score, said in counted if said.score is not None]
    return PeopleAgreement(
        results=len(counted),
        kappa=cohen_kappa([said.acceptable for _, _, said in counted], [passed for passed, _, _ in counted]),
        false_accepts=share_spread([passed for passed, _, said in counted if not said.acceptable]),
        false_rejects=share_spread([not passed for passed, _, said in counted if said.acceptable]),
        mean_error=mean_spread(corrections) if corrections else None,
    )
