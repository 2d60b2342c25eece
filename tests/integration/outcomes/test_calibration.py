"""A grader behind the Messages API is calibrated as any other, in sessions that are found again."""

from __future__ import annotations

from pathlib import Path

import pytest

from nightschool.core.clock import FrozenClock
from nightschool.core.ids import IdSource
from nightschool.experiments.grader_report import by_examiner, calibrate_grader
from nightschool.experiments.labelled import LabelledSet, load_labelled
from nightschool.outcomes.examiner import Examiner
from tests.integration.outcomes.graders import Grader, harness, session_log

pytestmark = [pytest.mark.anyio, pytest.mark.integration]

EVALS = Path(__file__).resolve().parents[3] / "evals"


async def test_a_model_that_finds_everything_excellent_is_found_out(
    tmp_path: Path, clock: FrozenClock, ids: IdSource
) -> None:
    whole = load_labelled([EVALS])
    few = [answer for answer in whole.answers if answer.case in {"cap", "notice"}]
    labelled = LabelledSet(title=whole.title, rubric=whole.rubric, answers=tuple(few))
    grader = Grader(scores=[0.9])
    with session_log(tmp_path, clock, ids) as log:
        examiner = Examiner(
            log=log, harness=harness(log, grader, clock), rubric=labelled.rubric, models=(grader.model_id,)
        )
        found = await calibrate_grader(labelled, by_examiner(examiner, grader.model_id), repeats=2)
        asked = len(grader.requests)
        again = await calibrate_grader(labelled, by_examiner(examiner, grader.model_id), repeats=2)

    assert found == again
    assert asked == len(grader.requests)
    assert 0.0 == found.parts.grader
    assert found.false_accepts is not None
    assert (1.0, 0.0, 28) == (found.false_accepts.value, found.kappa, found.gradings)
