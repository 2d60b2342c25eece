from __future__ import annotations

from dataclasses import asdict

import pytest

from nightschool.core.errors import Malformed
from nightschool.events.calibration import GraderCalibrated
from nightschool.events.union import dump_event, parse_event
from nightschool.experiments.calibrations import graded_of
from nightschool.outcomes.calibration import Graded


def graded(label: float | None) -> Graded:
    return Graded(
        task="a",
        answer="a/right",
        kind="right",
        acceptable=True,
        adversarial=False,
        length=10,
        label=label,
        scores=(0.8, 0.9),
        labelled_by=("ann",),
    )


@pytest.mark.parametrize("label", [0.8, None])
def test_grades_come_back_from_the_log_as_they_were(label: float | None) -> None:
    kept = GraderCalibrated(
        id="sevt_1", grader="g", simulated=True, threshold=0.75, answers=(asdict(graded(label)),)
    )
    read = parse_event(dump_event(kept))

    assert isinstance(read, GraderCalibrated)
    assert [graded(label)] == graded_of(read.answers)


def test_grades_that_lack_a_field_are_refused() -> None:
    with pytest.raises(Malformed, match="cannot be read"):
        graded_of([{"task": "a"}])
