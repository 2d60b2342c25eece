"""The life of an experiment and of its trials. Appended to the experiment's own log (`exp_...`)."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from nightschool.events.base import EventBase, JsonObject

__all__ = [
    "ExperimentCompleted",
    "ExperimentCreated",
    "ExperimentLooked",
    "ExperimentStopped",
    "FeedbackRecorded",
    "StoppedLook",
    "TrialCompleted",
    "TrialFailed",
    "TrialStarted",
]


class ExperimentCreated(EventBase):
    """The manifest, hashed before the first trial."""

    type: Literal["experiment.created"] = "experiment.created"
    experiment_id: str
    manifest: JsonObject
    manifest_hash: str


class ExperimentCompleted(EventBase):
    """Every trial of the manifest is recorded."""

    type: Literal["experiment.completed"] = "experiment.completed"
    experiment_id: str
    result_hash: str


class ExperimentLooked(EventBase):
    """Somebody read the results before the last trial ended; a fixed design does not allow for that."""

    type: Literal["experiment.looked"] = "experiment.looked"
    experiment_id: str
    recorded: int
    """Trials that had ended by then."""
    expected: int


class StoppedLook(BaseModel):
    """One declared comparison as it stood when the run was stopped."""

    treatment: str
    baseline: str
    samples: int
    difference: float
    low: float
    high: float
    level: float
    """Of the interval, at all looks together."""
    verdict: str


class ExperimentStopped(EventBase):
    """The stop rule `sequence` had its answer before the last trial; no more are begun, nor by a resume."""

    type: Literal["experiment.stopped"] = "experiment.stopped"
    experiment_id: str
    reason: str
    recorded: int
    """Trials that had ended by then."""
    expected: int
    samples: list[str]
    """What the answer rests on; trials under way that ended afterwards are recorded and do not count."""
    looks: list[StoppedLook]


class TrialStarted(EventBase):
    """A trial begins, or begins again after an interruption (``attempt`` above 1)."""

    type: Literal["trial.started"] = "trial.started"
    experiment_id: str
    trial_id: str
    arm: str
    sample_id: str
    epoch: int
    """Which repeat of the sample, from 0."""
    attempt: int = 1
    session_id: str | None = None


class TrialCompleted(EventBase):
    """A trial's result, graded."""

    type: Literal["trial.completed"] = "trial.completed"
    experiment_id: str
    trial_id: str
    arm: str
    sample_id: str
    epoch: int
    session_id: str | None = None
    attempt: int = 1
    brain: str
    """What answered: reader, simulated, recorded, local:<name> or a model id."""
    scores: dict[str, float]
    """Dimension scores, 0 to 1: accuracy, completeness, format, efficiency, consistency."""
    metrics: dict[str, float]
    """What the suite counts: recall, false_flags, findings ..., in the suite's units."""
    tiers: dict[str, bool]
    """Whether the result passes at strict, standard and lenient."""
    usage: JsonObject
    """Tokens by class."""
    tool_calls: int
    model_calls: int
    duration_seconds: float
    cost_usd: str | None = None
    """Decimal string: tokens at list price plus session-hours; null when the model's price is not known."""
    answer: JsonObject
    """What the arm handed in."""
    digests: dict[str, str] = Field(default_factory=dict)
    """Hashes of what the agent met (document, playbook); empty in trials recorded before they were kept."""
    sample: JsonObject
    """Facts about the sample that results are broken down by (pages, sections ...)."""


class TrialFailed(EventBase):
    """A trial ended without a result; it counts as errored, never as a zero."""

    type: Literal["trial.failed"] = "trial.failed"
    experiment_id: str
    trial_id: str
    arm: str
    sample_id: str
    epoch: int
    session_id: str | None = None
    attempt: int = 1
    error: JsonObject
    duration_seconds: float | None = None


class FeedbackRecorded(EventBase):
    """A judgement of a session from outside it: a true check, a user, a benchmark's reward."""

    type: Literal["feedback.recorded"] = "feedback.recorded"
    source: str
    """Where the judgement comes from: true_check, grader, user, self."""
    value: float
    """What it is worth, 0 to 1; of a label without a score, 1 for accept and 0 for reject."""
    comment: str | None = None
    decision: Literal["accept", "reject"] | None = None
    """Whether a person finds the session's result good enough; such an event is a label."""
    score: float | None = None
    """The score that the result deserves, 0 to 1, where the person corrected it."""
    given_by: str | None = None
    """Who judged."""
