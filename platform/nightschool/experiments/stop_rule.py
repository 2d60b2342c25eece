"""When a run may stop because its question is answered: the stop rule `sequence`.

    trials end ─► a sample is settled: every arm met it as often as declared ─► look
    every declared comparison is decided ─► experiment.stopped; else go on

Pure. The intervals hold at all looks together (`statistics.sequential`), so that looking after each sample
and stopping then claims no more than was allowed. Knows nothing about how trials are run or where events go.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from nightschool.core.ids import derived_id
from nightschool.events.experiment import ExperimentStopped, StoppedLook, TrialCompleted, TrialFailed
from nightschool.experiments.design import Manifest
from nightschool.experiments.ledger import Ledger, TrialState, TrialStatus
from nightschool.experiments.live import Look, look_at, look_line
from nightschool.experiments.measures import from_ledger
from nightschool.experiments.statistics import Verdict

__all__ = ["StopRule"]

Place = tuple[str, str, int]


class StopRule:
    """Follows the trials of one experiment and says when enough is known."""

    def __init__(self, manifest: Manifest, experiment_id: str, ledger: Ledger) -> None:
        """Begin with what the log holds already.

        Args:
            manifest: the declaration.
            experiment_id: the experiment.
            ledger: what its log adds up to; a decision that was made is kept.
        """
        self._manifest = manifest
        self._experiment_id = experiment_id
        self._applies = manifest.stop_rule == "sequence"
        self._ended = {_place(state): state for state in ledger.trials.values() if not state.may_be_retried}
        self.stopped: ExperimentStopped | None = ledger.stopped

    @property
    def reason(self) -> str:
        """Why no more trials are to be begun; empty while they are."""
        return "" if self.stopped is None else self.stopped.reason

    def ended(self, event: TrialCompleted | TrialFailed) -> ExperimentStopped | None:
        """Count a trial that ended, and return the decision to stop if that settles the question."""
        if not self._applies or self.stopped is not None:
            return None
        state = _state(event)
        if state.may_be_retried:
            return None
        self._ended[_place(state)] = state
        return self._decided() if self._is_settled(state.sample_id) else None

    def look_back(self) -> ExperimentStopped | None:
        """Return the decision that the trials of the log call for, where the run died before it was made."""
        return self._decided() if self._applies and self.stopped is None else None

    def _is_settled(self, sample: str) -> bool:
        repeats = range(self._manifest.repeats)
        return all((arm, sample, epoch) in self._ended for arm in self._manifest.arms for epoch in repeats)

    def _decided(self) -> ExperimentStopped | None:
        samples = [sample for sample in self._manifest.samples if self._is_settled(sample)]
        if len(samples) == len(self._manifest.samples):
            return None  # there is nothing left that stopping would save
        states = {state.trial_id: state for state in self._ended.values() if state.sample_id in samples}
        looks = look_at(self._manifest, from_ledger(Ledger(trials=states)))
        if not looks or any(each.verdict is Verdict.UNDECIDED for each in looks):
            return None
        self.stopped = ExperimentStopped(
            id=derived_id("event", self._experiment_id, "experiment.stopped"),
            experiment_id=self._experiment_id,
            reason=_reason(looks),
            recorded=len(self._ended),
            expected=self._manifest.expected,
            samples=samples,
            looks=_told(looks),
        )
        return self.stopped


def _place(state: TrialState) -> Place:
    return state.arm, state.sample_id, state.epoch


def _state(event: TrialCompleted | TrialFailed) -> TrialState:
    is_failed = isinstance(event, TrialFailed)
    return TrialState(
        trial_id=event.trial_id,
        arm=event.arm,
        sample_id=event.sample_id,
        epoch=event.epoch,
        status=TrialStatus.ERRORED if is_failed else TrialStatus.COMPLETED,
        attempt=event.attempt,
        completed=event if isinstance(event, TrialCompleted) else None,
        failed=event if isinstance(event, TrialFailed) else None,
    )


def _reason(looks: Sequence[Look]) -> str:
    return f"the stop rule has its answer ({'; '.join(map(look_line, looks))})"


def _told(looks: Iterable[Look]) -> list[StoppedLook]:
    return [
        StoppedLook(
            treatment=look.treatment,
            baseline=look.baseline,
            samples=look.samples,
            difference=look.difference,
            low=look.interval.low,
            high=look.interval.high,
            level=look.interval.level,
            verdict=str(look.verdict),
        )
        for look in looks
        if look.difference is not None and look.interval is not None
    ]
