"""What became of a grader that was put to the test. Appended to the log of calibrations."""

from __future__ import annotations

from typing import Literal

from nightschool.events.base import EventBase, JsonObject

__all__ = ["GraderCalibrated"]


class GraderCalibrated(EventBase):
    """A grader has graded answers of known worth, each several times; what that says is read off them."""

    type: Literal["grader.calibrated"] = "grader.calibrated"
    grader: str
    """A model id, or what was simulated."""
    simulated: bool
    """Whether the grades were drawn; such a calibration says nothing about any model."""
    threshold: float
    """The score from which an answer counts as accepted."""
    answers: tuple[JsonObject, ...]
    """Each answer with its label, who labelled it, and its grades."""
