"""How good a grader is, from its grades of answers whose worth is known and which do not change.

Repeated grading of frozen answers says how much it scatters; labels say how often it is wrong, and about
which answers. Pure. Knows nothing about how the grades came about.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from nightschool.core.errors import InvalidInput
from nightschool.outcomes.agreement import cohen_kappa, krippendorff_alpha

__all__ = [
    "Calibration",
    "Graded",
    "Spread",
    "VarianceParts",
    "calibrate",
    "mean_spread",
    "share_spread",
    "variance_parts",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Graded:
    """One frozen answer with its label and everything a grader said of it."""

    task: str
    answer: str
    """Which answer to the task; the same id is the same answer."""
    kind: str
    """What is deliberate about it: right, wrong, vague, over-long, self-praising ..."""
    acceptable: bool
    """The label."""
    adversarial: bool
    """Whether it was made to be accepted wrongly."""
    length: int
    """Characters."""
    twin: str = ""
    """The answer of which it is the same in another order; empty where it is none."""
    label: float | None
    """The score it deserves; None where only whether it is acceptable is known."""
    scores: tuple[float, ...]
    """One for each time it was graded."""
    labelled_by: tuple[str, ...] = ()
    """The people whose label it is; none for an answer written with its label."""

    @property
    def mean(self) -> float:
        """What the grader gives on average."""
        return math.fsum(self.scores) / len(self.scores)


class VarianceParts(NamedTuple):
    """Where the variance of scores comes from; each at least 0."""

    task: float
    """Tasks differ in how well they are done."""
    run: float
    """Answers to one task differ."""
    grader: float
    """Gradings of one answer differ: the grader's own."""

    @property
    def grader_sd(self) -> float:
        """The standard deviation of one grading."""
        return math.sqrt(self.grader)


class Spread(NamedTuple):
    """A share or mean with the ends of its 95 % interval."""

    value: float
    low: float
    high: float
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """What is known of a grader."""

    answers: int
    gradings: int
    parts: VarianceParts
    kappa: float | None
    """Agreement of accept or reject with the labels, beyond chance."""
    alpha: float | None
    """Krippendorff's alpha of the repeated gradings (interval level)."""
    false_accepts: Spread | None
    """The share of adversarial answers accepted though they should not be; None where there are none."""
    false_rejects: Spread | None
    """The share of acceptable answers that are rejected."""
    error_by_kind: Mapping[str, Spread]
    """Mean of score minus label, by kind: above 0 where that style is favoured."""
    length_bias: float | None
    """Rank correlation of error with length; above 0 where longer answers are favoured."""
    position_bias: float | None
    """Mean score of answers minus that of the same in another order; 0 where order does not matter."""


def calibrate(answers: Sequence[Graded], *, threshold: float) -> Calibration:
    """Return what the grades say about the grader.

    Args:
        answers: frozen answers; each graded at least twice, for scatter cannot be seen in one.
        threshold: the score from which an answer counts as accepted.

    Raises:
        InvalidInput: there is no answer, or one that was graded less than twice.
    """
    parts = variance_parts(answers)
    accepted = [each.mean >= threshold for each in answers]
    verdicts = list(zip(answers, accepted, strict=True))
    tricks = [said for each, said in verdicts if each.adversarial and not each.acceptable]
    goods = [not said for each, said in verdicts if each.acceptable]
    return Calibration(
        answers=len(answers),
        gradings=sum(len(each.scores) for each in answers),
        parts=parts,
        kappa=cohen_kappa([each.acceptable for each in answers], accepted),
        alpha=krippendorff_alpha([each.scores for each in answers]),
        false_accepts=share_spread(tricks),
        false_rejects=share_spread(goods),
        error_by_kind=_errors_by_kind(answers),
        length_bias=_length_bias(answers),
        position_bias=_position_bias(answers),
    )


def variance_parts(answers: Sequence[Graded]) -> VarianceParts:
    """Split the variance of scores into task, answer and grader (nested, by the method of moments).

    Raises:
        InvalidInput: as `calibrate`.
    """
    if not answers:
        raise InvalidInput("there is nothing graded to calibrate a grader with")
    once = next((each for each in answers if len(each.scores) < 2), None)
    if once is not None:
        raise InvalidInput(f"answer `{once.answer}` was graded once; scatter needs two gradings at least")
    grader = _pooled([each.scores for each in answers])
    by_task: dict[str, list[Graded]] = {}
    for each in answers:
        by_task.setdefault(each.task, []).append(each)
    gradings = statistics.harmonic_mean([len(each.scores) for each in answers])
    between = _pooled([[each.mean for each in group] for group in by_task.values()])
    run = max(0.0, between - grader / gradings)
    means = [math.fsum(each.mean for each in group) / len(group) for group in by_task.values()]
    runs = statistics.harmonic_mean([len(group) for group in by_task.values()])
    task = max(0.0, statistics.variance(means) - between / runs) if len(means) > 1 else 0.0
    return VarianceParts(task, run, grader)


def _pooled(groups: Iterable[Sequence[float]]) -> float:
    """Return the variance inside groups, each counting by its degrees of freedom; 0 where none has any."""
    several = [group for group in groups if len(group) > 1]
    freedom = sum(len(group) - 1 for group in several)
    squares = math.fsum(statistics.variance(group) * (len(group) - 1) for group in several)
    return squares / freedom if freedom else 0.0


def share_spread(outcomes: Sequence[bool]) -> Spread | None:
    """Return a share with Wilson's interval; None of nothing."""
    n = len(outcomes)
    if not n:
        return None
    z = statistics.NormalDist().inv_cdf(0.975)
    share = sum(outcomes) / n
    centre = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z * math.sqrt(share * (1 - share) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    return Spread(share, max(0.0, centre - half), min(1.0, centre + half), n)


def _errors_by_kind(answers: Sequence[Graded]) -> dict[str, Spread]:
    errors: dict[str, list[float]] = {}
    for each in answers:
        if each.label is not None:
            errors.setdefault(each.kind, []).append(each.mean - each.label)
    return {kind: mean_spread(values) for kind, values in sorted(errors.items())}


def _length_bias(answers: Sequence[Graded]) -> float | None:
    errors = [(each.length, each.mean - each.label) for each in answers if each.label is not None]
    return _rank_correlation([length for length, _ in errors], [error for _, error in errors])


def mean_spread(values: Sequence[float]) -> Spread:
    """Return a mean with its normal interval; a single value has none that is finite."""
    mean = math.fsum(values) / len(values)
    half = 1.96 * statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else math.inf
    return Spread(mean, mean - half, mean + half, len(values))


def _position_bias(answers: Sequence[Graded]) -> float | None:
    means = {each.answer: each.mean for each in answers}
    shifts = [means[each.twin] - each.mean for each in answers if each.twin in means]
    return math.fsum(shifts) / len(shifts) if shifts else None


def _rank_correlation(first: Sequence[float], second: Sequence[float]) -> float | None:
    if len(set(first)) < 2 or len(set(second)) < 2:
        return None
    return statistics.correlation(_ranks(first), _ranks(second))


def _ranks(values: Sequence[float]) -> list[float]:
    """Return each value's rank; equal values share the middle of theirs."""
    below = {value: sum(other < value for other in values) for value in set(values)}
    return [below[value] + (values.count(value) - 1) / 2 for value in values]
