"""What an experiment's log adds up to: which trials are done, and the hash of their results.

Pure. Knows nothing about where events come from. A trial counts once however often it was begun:

    (nothing) ─started→ STARTED ─completed→ COMPLETED (for good)
                          ↑  └────failed──→ ERRORED ─started again→ STARTED
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Final

from nightschool.core.errors import NotFound, StoreCorrupt
from nightschool.events.experiment import (
    ExperimentCompleted,
    ExperimentCreated,
    ExperimentLooked,
    ExperimentStopped,
    TrialCompleted,
    TrialFailed,
    TrialStarted,
)
from nightschool.events.union import Event
from nightschool.experiments.design import Manifest, TrialSpec, declare, digest, manifest_hash

__all__ = ["Ledger", "Only", "TrialState", "TrialStatus", "fold", "result_hash"]

_HASHED_DECIMALS: Final = 9
"""Digits beyond these may differ with the number of processor cores that added them up."""

_TrialEvent = TrialStarted | TrialCompleted | TrialFailed


class TrialStatus(StrEnum):
    """How far a trial has come."""

    STARTED = "started"
    COMPLETED = "completed"
    ERRORED = "errored"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialState:
    """One trial, as its latest attempt left it; a completion is never taken back."""

    trial_id: str
    arm: str
    sample_id: str
    epoch: int
    status: TrialStatus
    attempt: int
    completed: TrialCompleted | None = None
    failed: TrialFailed | None = None

    @property
    def may_be_retried(self) -> bool:
        """Whether it is unfinished, or failed for reasons outside itself. A scored result never is."""
        if self.status is TrialStatus.ERRORED and self.failed is not None:
            return bool(self.failed.error.get("retryable", False))
        return self.status is TrialStatus.STARTED


class Only(StrEnum):
    """A part of the trials that have no result."""

    MISSING = "missing"
    """Those that never ended."""
    ERRORS = "errors"
    """Those that ended with an error, of whatever kind: somebody asked for another try."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """An experiment so far."""

    created: ExperimentCreated | None = None
    completed: ExperimentCompleted | None = None
    trials: Mapping[str, TrialState] = field(default_factory=dict)
    looks: Sequence[ExperimentLooked] = ()
    """When its results were read before the last trial ended."""
    stopped: ExperimentStopped | None = None
    """The decision of its stop rule; no trial is pending after that."""

    @property
    def manifest(self) -> Manifest:
        """The declaration, checked against its hash.

        Raises:
            NotFound: the log has no `experiment.created`.
            StoreCorrupt: the declaration is not the one that was hashed.
        """
        if self.created is None:
            raise NotFound("this log has no `experiment.created`; it is not an experiment's")
        manifest = declare(self.created.manifest)
        if manifest_hash(manifest) != self.created.manifest_hash:
            raise StoreCorrupt(
                f"the manifest of {self.created.experiment_id} is not the one that was hashed before its "
                "first trial; its results cannot be trusted"
            )
        return manifest

    def pending(self, order: Sequence[TrialSpec], only: Only | None = None) -> list[TrialSpec]:
        """Return the trials still to be done, in order, each with the number its next attempt has.

        Args:
            order: every trial.
            only: a part of them; a trial that has a result is never among them.
        """
        if self.stopped is not None:
            return []
        return [
            spec if state is None else replace(spec, attempt=state.attempt + 1)
            for spec in order
            if _is_wanted(state := self.trials.get(spec.trial_id), only)
        ]

    def results(self) -> list[TrialCompleted]:
        """Return the results, one per completed trial, by arm, sample and epoch."""
        done = [state.completed for state in self.trials.values() if state.completed is not None]
        return sorted(done, key=lambda result: (result.arm, result.sample_id, result.epoch))

    @property
    def retryable_count(self) -> int:
        """How many trials failed for reasons outside themselves, so that a resume tries them again."""
        return sum(s.may_be_retried for s in self.trials.values() if s.status is TrialStatus.ERRORED)

    def failures(self) -> list[TrialFailed]:
        """Return what the trials failed with that have no result and are not under way again."""
        failed = (s.failed for s in self.trials.values() if s.status is TrialStatus.ERRORED)
        return [failure for failure in failed if failure is not None]


def fold(events: Iterable[Event]) -> Ledger:
    """Add up an experiment's log."""
    created: ExperimentCreated | None = None
    completed: ExperimentCompleted | None = None
    trials: dict[str, TrialState] = {}
    looks: list[ExperimentLooked] = []
    stopped: ExperimentStopped | None = None
    for event in events:
        if isinstance(event, ExperimentCreated):
            created = created or event
        elif isinstance(event, ExperimentCompleted):
            completed = completed or event
        elif isinstance(event, ExperimentStopped):
            stopped = stopped or event
        elif isinstance(event, ExperimentLooked):
            looks.append(event)
        elif isinstance(event, TrialStarted | TrialCompleted | TrialFailed):
            trials[event.trial_id] = _step(trials.get(event.trial_id), event)
    return Ledger(created=created, completed=completed, trials=trials, looks=tuple(looks), stopped=stopped)


def result_hash(ledger: Ledger) -> str:
    """Return the hash of what the trials found, the same for every run of the same declaration.

    Left out is all that may differ between two such runs: times, what is computed from them (efficiency and
    the verdicts), ids and the text of errors.
    """
    results = [_essence(result) for result in ledger.results()]
    failures = [[f.arm, f.sample_id, f.epoch, f.error.get("code")] for f in ledger.failures()]
    return digest([results, sorted(failures)])


def _is_wanted(state: TrialState | None, only: Only | None) -> bool:
    match only:
        case None:
            return state is None or state.may_be_retried
        case Only.MISSING:
            return state is None or state.status is TrialStatus.STARTED
        case Only.ERRORS:
            return state is not None and state.status is TrialStatus.ERRORED


def _step(state: TrialState | None, event: _TrialEvent) -> TrialState:
    if state is None:
        state = TrialState(
            trial_id=event.trial_id,
            arm=event.arm,
            sample_id=event.sample_id,
            epoch=event.epoch,
            status=TrialStatus.STARTED,
            attempt=event.attempt,
        )
    if state.status is TrialStatus.COMPLETED or event.attempt < state.attempt:
        return state
    match event:
        case TrialCompleted():
            return replace(state, status=TrialStatus.COMPLETED, attempt=event.attempt, completed=event)
        case TrialFailed():
            return replace(state, status=TrialStatus.ERRORED, attempt=event.attempt, failed=event)
        case TrialStarted():
            return replace(state, status=TrialStatus.STARTED, attempt=event.attempt)


def _essence(result: TrialCompleted) -> dict[str, Any]:
    scores = {name: value for name, value in result.scores.items() if name != "efficiency"}
    return {
        "arm": result.arm,
        "sample": result.sample_id,
        "epoch": result.epoch,
        "answer": _rounded(result.answer),
        "metrics": _rounded(result.metrics),
        "scores": _rounded(scores),
        "tokens": result.usage,
        "tool_calls": result.tool_calls,
    }


def _rounded(value: Any) -> Any:
    match value:
        case float():
            return round(value, _HASHED_DECIMALS) + 0.0  # -0.0 becomes 0.0
        case dict():
            return {key: _rounded(item) for key, item in value.items()}
        case list() | tuple():
            return [_rounded(item) for item in value]
    return value
