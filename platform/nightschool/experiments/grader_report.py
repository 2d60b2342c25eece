"""Calibrating a grader: the labelled answers are graded again and again, and the grades are judged.

Composition only: what a grade is stands in `outcomes.examiner`, what it proves in `outcomes.calibration`.
"""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, Final

from nightschool.core.ids import derived_id
from nightschool.experiments.labelled import LabelledAnswer, LabelledSet
from nightschool.experiments.people import PeoplesLabels
from nightschool.outcomes.calibration import Calibration, Graded, Spread, calibrate
from nightschool.outcomes.examiner import Examination, Examiner
from nightschool.outcomes.labels import PeopleAgreement
from nightschool.outcomes.tiers import THRESHOLDS, Tier, weighted_mean

__all__ = [
    "SCHEMA",
    "GradeOnce",
    "by_examiner",
    "calibrate_grader",
    "calibration_json",
    "grade_all",
    "people_json",
    "planted",
]

SCHEMA: Final = "nightschool.grader/1"

_SCORE: Final = {True: 0.85, False: 0.2}
"""What a simulated grader gives on average where no label says it."""

GradeOnce = Callable[[LabelledAnswer, int], Awaitable[float]]
"""Grades one answer for the n-th time, from 0."""


async def calibrate_grader(
    labelled: LabelledSet, grade: GradeOnce, *, repeats: int, threshold: float = THRESHOLDS[Tier.STANDARD]
) -> Calibration:
    """Have every labelled answer graded ``repeats`` times, and return what that says about the grader.

    Raises:
        InvalidInput: ``repeats`` is below 2.
        ModelError: a grader could not be asked; what was graded is kept and not graded again.
    """
    return calibrate(await grade_all(labelled.answers, grade, repeats=repeats), threshold=threshold)


async def grade_all(answers: Iterable[LabelledAnswer], grade: GradeOnce, *, repeats: int) -> list[Graded]:
    """Return every answer with its grades, ``repeats`` of each. Raises as `calibrate_grader`."""
    return [await _graded(answer, grade, repeats) for answer in answers]


async def _graded(answer: LabelledAnswer, grade: GradeOnce, repeats: int) -> Graded:
    return Graded(
        task=answer.case,
        answer=answer.id,
        kind=answer.kind,
        acceptable=answer.acceptable,
        adversarial=answer.adversarial,
        length=len(answer.text),
        twin=answer.twin,
        label=answer.label,
        scores=tuple([await grade(answer, number) for number in range(repeats)]),
        labelled_by=answer.labelled_by,
    )


def planted(sd: float, *, seed: int = 0, fooled_by: Sequence[str] = ()) -> GradeOnce:
    """Return a simulated grader that gives the label, off by a normal error; what is found can be checked.

    Args:
        sd: its standard deviation.
        seed: the same seed, the same grades.
        fooled_by: kinds of answers that it takes for right.
    """

    async def grade(answer: LabelledAnswer, number: int) -> float:
        error = random.Random(f"{seed} {answer.id} {number}").gauss(0, sd)
        label = _SCORE[True] if answer.kind in fooled_by else answer.label
        if label is None:  # a person said only whether it is acceptable
            label = _SCORE[answer.acceptable]
        return min(1.0, max(0.0, label + error))

    return grade


def by_examiner(examiner: Examiner, model: str) -> GradeOnce:
    """Return a grader that asks a model, each time in a session of its own that is found again later."""

    async def grade(answer: LabelledAnswer, number: int) -> float:
        paper = Examination(
            id=derived_id("outcome", "calibration", answer.rubric.text_hash, model, answer.id, number),
            task=answer.task,
            artefact=answer.text,
            metadata={"source": "calibration", "sample_id": answer.id, "epoch": str(number)},
        )
        verdict = await replace(examiner, rubric=answer.rubric).examine(paper)
        return weighted_mean(verdict.scores, answer.rubric.weights)

    return grade


def calibration_json(found: Calibration, *, grader: str, simulated: bool) -> dict[str, Any]:
    """Return a calibration as plain JSON values; what is not known is null, never zero."""
    return {
        "schema": SCHEMA,
        "grader": grader,
        "simulated": simulated,
        "answers": found.answers,
        "gradings": found.gradings,
        "sd": found.parts.grader_sd,
        "variance": found.parts._asdict(),
        "kappa": found.kappa,
        "alpha": found.alpha,
        "false_accepts": _spread(found.false_accepts),
        "false_rejects": _spread(found.false_rejects),
        "error_by_kind": {kind: _spread(each) for kind, each in found.error_by_kind.items()},
        "length_bias": found.length_bias,
        "position_bias": found.position_bias,
    }


def people_json(people: PeoplesLabels, agreement: PeopleAgreement | None) -> dict[str, Any]:
    """Return what people's labels say of the recorded verdicts, as plain JSON values."""
    return {
        "results": len(people.verdicts),
        "people": sorted({name for _, _, said in people.verdicts for name in said.people}),
        "graded_again": len(people.answers),
        "left_out": people.left_out,
        "kappa": agreement.kappa if agreement else None,
        "false_accepts": _spread(agreement.false_accepts) if agreement else None,
        "false_rejects": _spread(agreement.false_rejects) if agreement else None,
        "mean_error": _spread(agreement.mean_error) if agreement else None,
    }


def _spread(spread: Spread | None) -> dict[str, Any] | None:
    return None if spread is None else spread._asdict()
