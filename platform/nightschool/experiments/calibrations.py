"""Calibrations of graders, kept in a log of their own so that they can be looked at again.

The grades are kept, not what they say: that is read off them, by whatever rules hold then.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any, Final

from nightschool.core.errors import Malformed
from nightschool.core.ids import derived_id
from nightschool.events.calibration import GraderCalibrated
from nightschool.harness import record
from nightschool.outcomes.calibration import Graded
from nightschool.sessions.log import SessionLog

__all__ = ["LOG_ID", "graded_of", "keep_calibration"]

LOG_ID: Final = derived_id("session", "calibrations")
"""The session that holds them."""

_SEQUENCES: Final = frozenset({"scores", "labelled_by"})


async def keep_calibration(
    log: SessionLog, graded: Iterable[Graded], *, grader: str, simulated: bool, threshold: float
) -> None:
    """Append a calibration to the log.

    Raises:
        StoreError: it was not stored; the kind says why.
    """
    writer = await log.create(
        LOG_ID, title="Calibrations of graders", metadata={"source": "calibration", "role": "grader"}
    )
    done = record.event(
        writer,
        GraderCalibrated,
        grader=grader,
        simulated=simulated,
        threshold=threshold,
        answers=tuple(asdict(each) for each in graded),
    )
    await writer.emit_event(done)


def graded_of(answers: Sequence[Mapping[str, Any]]) -> list[Graded]:
    """Return the graded answers of a `grader.calibrated` event.

    Raises:
        Malformed: a field is missing.
    """
    try:
        return [Graded(**_fields(answer)) for answer in answers]
    except (KeyError, TypeError) as error:
        raise Malformed(f"a calibration in the log cannot be read: {error}") from error


def _fields(answer: Mapping[str, Any]) -> dict[str, Any]:
    known = {each.name: answer.get(each.name) for each in fields(Graded) if each.name in answer}
    # An absent label is not written; JSON has no tuples.
    known.setdefault("label", None)
    return known | {name: tuple(known.get(name) or ()) for name in _SEQUENCES}
