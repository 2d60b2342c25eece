"""Runs an experiment's trials: each once, in the declared order, resumable at any moment.

Everything it knows stands in the experiment's log, so a run that was killed is finished by running it again.
Knows nothing about how an arm works (`RunTrial`) or where the log lies (`TrialLog`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any, Protocol

import anyio
from anyio import to_thread

from nightschool.core.clock import Clock
from nightschool.core.errors import BudgetExceeded, InvalidInput, NightschoolError
from nightschool.core.ids import derived_id
from nightschool.core.retry import RetryPolicy, decide
from nightschool.core.usage import Usage
from nightschool.events.experiment import (
    ExperimentCompleted,
    ExperimentCreated,
    TrialCompleted,
    TrialFailed,
    TrialStarted,
)
from nightschool.events.union import Event
from nightschool.experiments.design import Manifest, TrialSpec, manifest_hash, trial_order
from nightschool.experiments.failures import deciding, describe, stopping
from nightschool.experiments.ledger import Ledger, Only, fold, result_hash
from nightschool.experiments.pace import Pace
from nightschool.experiments.progress import OnProgress, Tracker
from nightschool.experiments.purse import Purse
from nightschool.experiments.regrading import document_digest
from nightschool.experiments.scoring import grade
from nightschool.experiments.stop_rule import StopRule
from nightschool.experiments.suite import Drawn, Suite
from nightschool.models.pricing import cost

__all__ = ["ArmResult", "RunOutcome", "RunTrial", "TrialLog", "run"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmResult:
    """What an arm hands in for one trial, and what that took."""

    answer: dict[str, Any]
    usage: Usage
    tool_calls: int
    model_calls: int
    root_session_id: str
    running_seconds: float | None = None
    """Running time summed over the trial's sessions, for their price; None: as long as the trial took."""


class RunTrial(Protocol):
    """Does one trial. Called again with the same trial id after a crash, it must repeat nothing finished."""

    async def __call__(self, trial: TrialSpec, drawn: Drawn) -> ArmResult:
        """Work on the drawn document and return the answer."""


class TrialLog(Protocol):
    """The experiment's own log. An append returns once it is safe; a known event id is not appended again."""

    async def get_events(self) -> Sequence[Event]:
        """Return the experiment's events in order."""

    async def emit_event(self, *events: Event) -> object:
        """Append events, all or none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOutcome:
    """What a run that was not stopped comes to."""

    experiment_id: str
    expected: int
    completed: int
    errored: int
    retryable: int
    """Of the errored, those that failed for reasons outside: a resume tries them again."""
    result_hash: str
    stopped: str = ""
    """Why no more trials were begun, where it was not because all were."""
    is_decided: bool = False
    """Whether its stop rule had its answer before the last trial."""

    @property
    def is_final(self) -> bool:
        """Whether every trial is recorded and nothing is left that a resume could do."""
        return self.completed + self.errored == self.expected and not self.retryable


async def run(  # noqa: PLR0913 - all but the first by keyword; a bag of options would only hide them
    manifest: Manifest,
    *,
    experiment_id: str,
    log: TrialLog,
    suite: Suite,
    run_trial: RunTrial,
    clock: Clock,
    trials_at_once: int = 1,
    retry: RetryPolicy | None = None,
    on_progress: OnProgress | None = None,
    only: Only | None = None,
) -> RunOutcome:
    """Run what is not yet done of an experiment, from nothing or from where it was stopped.

    A trial that fails counts as errored and the run goes on; only errors from outside (a server overloaded,
    a store busy) are tried again, never a result that was scored. Cancellation leaves the log resumable.

    Args:
        manifest: the declaration; that of the log, when it has one.
        experiment_id: the experiment (`exp_...`).
        log: its log.
        suite: draws samples and scores answers.
        run_trial: does a trial.
        clock: measures durations and the time left.
        trials_at_once: how many trials may be under way together.
        retry: how often and after which pause an error from outside is tried again.
        on_progress: told at the start and after each trial.
        only: run only this part of what has no result.

    Raises:
        InvalidInput: the log holds another declaration, or the suite is not the declared one any more.
        StoreError: the log or a session cannot be written; what was acknowledged is kept, resume later.
        StaleWriter: the experiment was taken over by another process.
        ConfigurationMissing: a trial needs a setting that no trial has.
        Interrupted: a trial was asked to stop.
    """
    if trials_at_once < 1:
        raise InvalidInput(f"trials_at_once must be at least 1, not {trials_at_once}")
    ledger = await _open(manifest, experiment_id, log, suite)
    stop_rule = StopRule(manifest, experiment_id, ledger)
    overlooked = stop_rule.look_back()
    if overlooked is not None:
        await log.emit_event(overlooked)
        ledger = replace(ledger, stopped=overlooked)
    pending = ledger.pending(trial_order(manifest, experiment_id), only)
    purse = Purse(budget=manifest.budget)
    for result in ledger.results():
        purse.pay(result)
    tracker = Tracker(
        total=manifest.expected,
        done=manifest.expected - len(pending),
        errored=len(
            {failure.trial_id for failure in ledger.failures()} - {spec.trial_id for spec in pending}
        ),
        clock=clock,
        tell=on_progress,
    )
    pace = Pace(trials_at_once, clock)
    trials = _Trials(log, suite, run_trial, clock, retry or RetryPolicy(), tracker, purse, pace, stop_rule)
    tracker.report()
    stopped = await trials.run_all(pending)
    return replace(await _close(manifest, experiment_id, log), stopped=stop_rule.reason or stopped)


async def _open(manifest: Manifest, experiment_id: str, log: TrialLog, suite: Suite) -> Ledger:
    if suite.content_hash != manifest.suite_hash:
        raise InvalidInput(
            f"the files of suite `{suite.name}` are not those the experiment was declared with; put them "
            "back to resume it, or start a new experiment"
        )
    ledger, declared_hash = fold(await log.get_events()), manifest_hash(manifest)
    if ledger.created is None:
        await log.emit_event(
            ExperimentCreated(
                id=derived_id("event", experiment_id, "experiment.created"),
                experiment_id=experiment_id,
                manifest=manifest.model_dump(mode="json"),
                manifest_hash=declared_hash,
            )
        )
    elif manifest_hash(ledger.manifest) != declared_hash:
        raise InvalidInput(f"{experiment_id} was declared otherwise; resume it with the manifest in its log")
    return ledger


async def _close(manifest: Manifest, experiment_id: str, log: TrialLog) -> RunOutcome:
    ledger = fold(await log.get_events())
    outcome = RunOutcome(
        experiment_id=experiment_id,
        expected=manifest.expected,
        completed=len(ledger.results()),
        errored=len(ledger.failures()),
        retryable=ledger.retryable_count,
        result_hash=result_hash(ledger),
        is_decided=ledger.stopped is not None,
    )
    if outcome.is_final and ledger.completed is None:
        await log.emit_event(
            ExperimentCompleted(
                id=derived_id("event", experiment_id, "experiment.completed"),
                experiment_id=experiment_id,
                result_hash=outcome.result_hash,
            )
        )
    return outcome


@dataclass(frozen=True, slots=True)
class _Trials:
    log: TrialLog
    suite: Suite
    run_trial: RunTrial
    clock: Clock
    retry: RetryPolicy
    tracker: Tracker
    purse: Purse
    pace: Pace
    stop_rule: StopRule

    async def run_all(self, pending: Sequence[TrialSpec]) -> str:
        """Start the trials in order, as the pace allows; return why it stopped before the end."""
        try:
            async with anyio.create_task_group() as tasks:
                for spec in pending:
                    await self.pace.begin(spec.trial_id)
                    stopped = self.stop_rule.reason or self.purse.used_up(self.pace.under_way - 1)
                    if stopped:
                        self.pace.end(spec.trial_id)
                        return stopped
                    tasks.start_soon(self._run_one, spec)
        except BaseExceptionGroup as group:
            stop = stopping(group)
            if stop is None:
                raise
            # It cancelled the other trials; the caller is owed the error itself, not the bundle.
            raise stop from group
        return ""

    async def _run_one(self, spec: TrialSpec) -> None:
        try:
            errored = await self._try(spec)
        finally:
            self.pace.end(spec.trial_id)
        self.tracker.ended(errored=errored)

    async def _try(self, spec: TrialSpec) -> bool:
        """Attempt the trial until it has a result or may not be tried again; return whether it errored."""
        tries = 1
        while (error := await self._attempt(spec)) is not None:
            hint = error.details.get("retry_after_seconds") if isinstance(error, NightschoolError) else None
            self.pace.failed(error, hint)
            self.tracker.paced(self.pace.width)
            self.tracker.failed(str(error))
            decision = decide(self.retry, attempt=tries, error=error, server_hint_seconds=hint)
            if not decision.retry:
                return True
            await anyio.sleep(decision.delay_seconds)
            tries, spec = tries + 1, replace(spec, attempt=spec.attempt + 1)
        return False

    async def _attempt(self, spec: TrialSpec) -> Exception | None:
        await self.log.emit_event(TrialStarted(id=_event_id(spec, "trial.started"), **_key(spec)))
        began = self.clock.monotonic()
        try:
            drawn = await to_thread.run_sync(self.suite.module.draw, spec.sample_id, spec.epoch, spec.seed)
            began = self.clock.monotonic()  # drawing the world is not the arm's time
            result = await self._within_time(spec, drawn)
            seconds = self.clock.monotonic() - began
            # A trial that ended is worth keeping even if a stop was asked for meanwhile.
            with anyio.CancelScope(shield=True):
                ended = await to_thread.run_sync(partial(self._completed, spec, drawn, result, seconds))
        except Exception as error:  # noqa: BLE001 - whatever went wrong in a trial is recorded as its failure
            stop = stopping(error)
            if stop is not None:
                raise stop from (None if stop is error else error)
            await self._record(self._failed(spec, error, self.clock.monotonic() - began))
            return deciding(error)
        broken = self.purse.over_trial_cap(ended)
        self.purse.pay(ended)
        self.tracker.spent(usd=self.purse.spent["usd"], tokens=self.purse.spent["tokens"])
        if broken is not None:
            over = BudgetExceeded(broken)
            await self._record(self._failed(spec, over, ended.duration_seconds))
            return over
        await self._record(ended)
        self.pace.went_well()
        self.tracker.paced(self.pace.width)
        return None

    async def _within_time(self, spec: TrialSpec, drawn: Drawn) -> ArmResult:
        cap = self.purse.budget.get("trial_seconds")
        try:
            with anyio.fail_after(None if cap is None else float(cap)):
                return await self.run_trial(spec, drawn)
        except TimeoutError as error:
            if cap is None:
                raise
            raise BudgetExceeded(f"the trial took longer than its {float(cap):g} seconds") from error

    async def _record(self, event: TrialCompleted | TrialFailed) -> None:
        decision = self.stop_rule.ended(event)
        with anyio.CancelScope(shield=True):
            await self.log.emit_event(event, *([] if decision is None else [decision]))

    def _completed(self, spec: TrialSpec, drawn: Drawn, result: ArmResult, seconds: float) -> TrialCompleted:
        graded = grade(
            self.suite,
            drawn,
            result.answer,
            usage=result.usage,
            tool_calls=result.tool_calls,
            # After an interruption only the last stretch was timed, which would flatter the arm.
            seconds=seconds if spec.attempt == 1 else None,
        )
        price = cost(spec.brain, result.usage, result.running_seconds or seconds)
        return TrialCompleted(
            # One id whatever the attempt: the log itself keeps a second completion out.
            id=derived_id("event", spec.trial_id, "trial.completed"),
            **_key(spec),
            session_id=result.root_session_id,
            brain=spec.brain,
            scores=graded.scores,
            metrics=graded.metrics,
            tiers=graded.tiers,
            usage=asdict(result.usage),
            tool_calls=result.tool_calls,
            model_calls=result.model_calls,
            duration_seconds=seconds,
            cost_usd=None if price is None else str(price),
            answer=result.answer,
            digests={
                "document": document_digest(drawn),
                "playbook": hashlib.sha256(self.suite.module.playbook_text().encode()).hexdigest(),
            },
            sample=dict(drawn.facts),
        )

    def _failed(self, spec: TrialSpec, error: Exception, seconds: float) -> TrialFailed:
        return TrialFailed(
            id=_event_id(spec, "trial.failed"), **_key(spec), error=describe(error), duration_seconds=seconds
        )


def _key(spec: TrialSpec) -> dict[str, Any]:
    return {
        "experiment_id": spec.experiment_id,
        "trial_id": spec.trial_id,
        "arm": spec.arm,
        "sample_id": spec.sample_id,
        "epoch": spec.epoch,
        "attempt": spec.attempt,
    }


def _event_id(spec: TrialSpec, step: str) -> str:
    return derived_id("event", spec.trial_id, step, spec.attempt)
