from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nightschool.core.clock import FrozenClock
from nightschool.core.errors import (
    ConfigurationMissing,
    InvalidInput,
    ModelRefusedRequest,
    ModelUnavailable,
    NightschoolError,
    StaleWriter,
    StoreBusy,
    StoreCorrupt,
    StoreFull,
    StoreUnwritable,
)
from nightschool.core.retry import RetryPolicy
from nightschool.events.experiment import ExperimentCreated, TrialCompleted, TrialFailed, TrialStarted
from nightschool.events.union import dump_event
from nightschool.experiments.design import Manifest, TrialSpec, trial_order
from nightschool.experiments.ledger import Only
from nightschool.experiments.progress import Progress
from nightschool.experiments.runner import ArmResult, RunOutcome, RunTrial, run
from nightschool.experiments.suite import Drawn, Reference
from tests.unit.experiments.fakes import GOLD, Adder, Killed, Marks, MemoryLog, Sums, manifest, suite

pytestmark = pytest.mark.anyio

AT_ONCE = RetryPolicy(first_delay_seconds=0.0)
EXPERIMENT = "exp_one"


async def go(log: MemoryLog, arm: RunTrial | None = None, **options: Any) -> RunOutcome:
    declared: Manifest = options.pop("declared", None) or manifest()
    chosen: dict[str, Any] = {
        "suite": suite(),
        "clock": FrozenClock(),
        "experiment_id": EXPERIMENT,
        "retry": AT_ONCE,
    } | options
    return await run(declared, log=log, run_trial=arm or Adder(), **chosen)


async def killed(log: MemoryLog, **options: Any) -> None:
    with pytest.raises(BaseExceptionGroup) as caught:
        await go(log, **options)
    assert caught.group_contains(Killed)


def completed(log: MemoryLog) -> list[TrialCompleted]:
    return [event for event in log.events if isinstance(event, TrialCompleted)]


def failed(log: MemoryLog) -> list[TrialFailed]:
    return [event for event in log.events if isinstance(event, TrialFailed)]


async def test_each_trial_is_run_once_in_the_declared_order_between_creation_and_completion() -> None:
    log, arm = MemoryLog(), Adder()
    outcome = await go(log, arm)
    assert trial_order(manifest(), EXPERIMENT) == arm.worked
    assert [
        "experiment.created",
        *["trial.started", "trial.completed"] * 12,
        "experiment.completed",
    ] == log.types()
    assert (12, 12, 0, True) == (outcome.expected, outcome.completed, outcome.errored, outcome.is_final)


async def test_a_result_is_kept_with_all_that_was_measured() -> None:
    log, arm = MemoryLog(), Adder()
    reference = Reference(tokens_per_page=50, seconds_per_page=1.0)
    await go(log, arm, suite=suite(reference), clock=arm.clock)
    result = next(r for r in completed(log) if (r.arm, r.sample_id, r.epoch) == ("pool", "bb", 1))
    assert pytest.approx(1 / 7) == result.scores["accuracy"]
    assert pytest.approx(1 / 7 * (1.0 + 3 / 10) / 2) == result.scores["efficiency"]
    assert {"recall": pytest.approx(1 / 7), "false_flags": 2.0} == result.metrics
    assert {"strict": False, "standard": False, "lenient": False} == result.tiers
    assert (1, 2, 10.0, "reader") == (
        result.tool_calls,
        result.model_calls,
        result.duration_seconds,
        result.brain,
    )
    assert {"pages": 3} == result.sample
    assert f"sesn_{result.trial_id}" == result.session_id


async def test_an_experiment_killed_after_any_event_is_finished_with_the_hash_of_an_unbroken_run() -> None:
    whole = MemoryLog()
    expected = (await go(whole)).result_hash
    for survived in range(len(whole.events)):
        log = MemoryLog(dies_after=survived)
        if survived in (0, len(whole.events) - 1):  # outside of any trial
            with pytest.raises(Killed):
                await go(log)
        else:
            await killed(log)
        outcome = await go(MemoryLog(log.events))
        assert expected == outcome.result_hash
        assert {1} == set(Counter(result.trial_id for result in completed(log)).values())
        assert 12 == len(completed(log))
        assert 1 == log.types().count("experiment.created") == log.types().count("experiment.completed")


@given(st.lists(st.integers(1, 24), max_size=4), st.integers(1, 5))
@settings(max_examples=40, deadline=None)
async def test_any_number_of_kills_at_any_width_changes_nothing(kills: list[int], at_once: int) -> None:
    expected = (await go(MemoryLog())).result_hash
    log = MemoryLog()
    for survived in kills:
        log = MemoryLog(log.events, dies_after=survived)
        try:
            await go(log, trials_at_once=at_once)
        except (Killed, BaseExceptionGroup):
            continue
    outcome = await go(MemoryLog(log.events), trials_at_once=at_once)
    assert expected == outcome.result_hash
    assert 12 == len(completed(log)) == len({result.trial_id for result in completed(log)})


async def test_a_resumed_run_does_no_finished_trial_again() -> None:
    log = MemoryLog(dies_after=9)
    await killed(log)
    arm = Adder()
    await go(MemoryLog(log.events), arm)
    finished_before = {event.trial_id for event in completed(log)[:4]}
    assert 8 == len(arm.worked)
    assert not finished_before & {spec.trial_id for spec in arm.worked}


async def test_an_interrupted_trial_begins_again_under_its_own_id_as_the_next_attempt() -> None:
    log = MemoryLog(dies_after=2)
    await killed(log)
    await go(MemoryLog(log.events))
    first = [event for event in log.events if isinstance(event, TrialStarted)][:2]
    assert first[0].trial_id == first[1].trial_id
    assert [1, 2] == [event.attempt for event in first]
    assert [2] + [1] * 11 == [result.attempt for result in completed(log)]


async def test_the_time_of_an_interrupted_trial_does_not_enter_its_efficiency() -> None:
    """Only its last stretch was timed; counting that would flatter the arm."""
    log, reference = MemoryLog(dies_after=2), Reference(seconds_per_page=1e-6)
    await killed(log, suite=suite(reference))
    arm = Adder()
    await go(MemoryLog(log.events), arm, suite=suite(reference), clock=arm.clock)
    assert [False] + [True] * 11 == ["efficiency" in result.scores for result in completed(log)]


async def test_a_finished_experiment_run_again_is_left_as_it_is() -> None:
    log = MemoryLog()
    first = await go(log)
    before, arm = list(log.events), Adder()
    assert first == await go(log, arm)
    assert ([], before) == (arm.worked, log.events)


async def test_a_second_run_of_the_same_plan_has_the_same_hash() -> None:
    """Other ids, another day, other durations: none of them is a finding."""
    arm = Adder()
    first = await go(MemoryLog(), arm, clock=arm.clock, suite=suite(Reference(seconds_per_page=1.0)))
    later = manifest(declared_at="2027-01-01T00:00:00Z")
    second = await go(
        MemoryLog(), declared=later, experiment_id="exp_two", suite=suite(Reference(seconds_per_page=1.0))
    )
    assert first.result_hash == second.result_hash


@pytest.mark.parametrize("changed", ["answer", "usage", "tool_calls"])
async def test_another_finding_in_one_trial_gives_another_hash(changed: str) -> None:
    class Deviant(Adder):
        async def __call__(self, trial: TrialSpec, drawn: Drawn) -> ArmResult:
            result = await super().__call__(trial, drawn)
            if len(self.worked) != 5:
                return result
            other: dict[str, Any] = {
                "answer": {**result.answer, "more": 1},
                "usage": result.usage + result.usage,
                "tool_calls": result.tool_calls + 1,
            }
            return replace(result, **{changed: other[changed]})

    assert (await go(MemoryLog())).result_hash != (await go(MemoryLog(), Deviant())).result_hash


class Failing(Adder):
    """Fails on one sample of one arm, as often as there are errors left."""

    def __init__(self, *errors: Exception) -> None:
        super().__init__()
        self.errors = list(errors)
        self.before = self.fail

    def fail(self, spec: TrialSpec) -> None:
        if (spec.arm, spec.sample_id, spec.epoch) == ("pool", "bb", 0) and self.errors:
            raise self.errors.pop(0)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ModelRefusedRequest("no such tool"), "model_refused_request"),
        (ZeroDivisionError("by zero"), "unexpected"),
        (ExceptionGroup("tasks", [ModelRefusedRequest("no such tool")]), "model_refused_request"),
    ],
)
async def test_a_failed_trial_is_recorded_and_the_others_go_on(error: Exception, code: str) -> None:
    log = MemoryLog()
    outcome = await go(log, Failing(error))
    assert (11, 1, 0, True) == (outcome.completed, outcome.errored, outcome.retryable, outcome.is_final)
    assert code == failed(log)[0].error["code"]
    assert "experiment.completed" == log.types()[-1]


async def test_a_failure_says_where_it_was_raised() -> None:
    log = MemoryLog()
    await go(log, Failing(ZeroDivisionError("by zero")))
    error = failed(log)[0].error
    assert ("ZeroDivisionError: by zero", False) == (error["message"], error["retryable"])
    assert error["where"].startswith("test_runner.py:")


async def test_a_trial_that_failed_for_its_own_reasons_is_never_tried_again() -> None:
    log = MemoryLog()
    first = await go(log, Failing(ModelRefusedRequest("no")))
    arm = Adder()
    assert first == await go(log, arm)
    assert [] == arm.worked


async def test_a_bad_score_is_a_result_and_never_tried_again() -> None:
    arm = Adder()
    await go(MemoryLog(), arm)
    assert 12 == len({spec.trial_id for spec in arm.worked}) == len(arm.worked)


async def test_an_error_from_outside_is_tried_again_and_every_attempt_is_kept() -> None:
    log = MemoryLog()
    outcome = await go(log, Failing(ModelUnavailable("overloaded"), StoreBusy("locked")))
    assert (12, 0) == (outcome.completed, outcome.errored)
    assert ["model_unavailable", "store_busy"] == [event.error["code"] for event in failed(log)]
    assert [3] == [r.attempt for r in completed(log) if (r.arm, r.sample_id, r.epoch) == ("pool", "bb", 0)]


async def test_an_outage_leaves_the_experiment_open_for_a_resume() -> None:
    log = MemoryLog()
    outcome = await go(log, Failing(*[ModelUnavailable("overloaded")] * 3))
    assert (11, 1, 1, False) == (outcome.completed, outcome.errored, outcome.retryable, outcome.is_final)
    assert "experiment.completed" not in log.types()
    after = await go(log)
    assert (12, 0, True) == (after.completed, after.errored, after.is_final)
    assert (await go(MemoryLog())).result_hash == after.result_hash


async def test_a_bundle_with_one_final_error_is_not_tried_again() -> None:
    log = MemoryLog()
    both = ExceptionGroup("tasks", [ModelUnavailable("overloaded"), ModelRefusedRequest("no")])
    outcome = await go(log, Failing(both))
    assert (1, 0) == (outcome.errored, outcome.retryable)


STOPPING = [StoreFull(), StoreUnwritable(), StaleWriter(), ConfigurationMissing("ANTHROPIC_API_KEY")]


@pytest.mark.parametrize("error", STOPPING, ids=lambda error: error.code)
@pytest.mark.parametrize("bundled", ["plain", "bundled"])
@pytest.mark.parametrize("at_once", [1, 4])
async def test_an_error_that_every_trial_would_meet_stops_the_run_and_a_resume_finishes_it(
    error: NightschoolError, bundled: str, at_once: int
) -> None:
    log = MemoryLog()
    raised = ExceptionGroup("tasks", [ValueError("first"), error]) if bundled == "bundled" else error
    with pytest.raises(type(error)):
        await go(log, Failing(raised), trials_at_once=at_once)
    assert [] == failed(log)
    outcome = await go(log)
    assert ((await go(MemoryLog())).result_hash, 12) == (outcome.result_hash, len(completed(log)))


@pytest.mark.parametrize("survived", [0, 1, 2, 8, 25])
async def test_a_full_disk_under_the_log_stops_the_run_with_that_error(survived: int) -> None:
    log = MemoryLog(dies_after=survived, error=StoreFull())
    with pytest.raises(StoreFull):
        await go(log)
    outcome = await go(MemoryLog(log.events))
    assert (await go(MemoryLog())).result_hash == outcome.result_hash


@pytest.mark.parametrize("at_once", [1, 3])
async def test_a_stop_in_the_middle_of_a_trial_leaves_it_open_and_not_failed(at_once: int) -> None:
    log, reached = MemoryLog(), anyio.Event()

    class Slow(Adder):
        async def __call__(self, trial: TrialSpec, drawn: Drawn) -> ArmResult:
            if len(self.worked) == 4:
                reached.set()
                await anyio.sleep_forever()
            return await super().__call__(trial, drawn)

    async with anyio.create_task_group() as tasks:

        async def begin() -> None:
            await go(log, Slow(), trials_at_once=at_once)

        tasks.start_soon(begin)
        await reached.wait()
        tasks.cancel_scope.cancel()
    assert (4, []) == (len(completed(log)), failed(log))
    outcome = await go(log)
    assert (await go(MemoryLog())).result_hash == outcome.result_hash


async def test_a_trial_that_ended_while_a_stop_was_asked_for_is_kept() -> None:
    log = MemoryLog()
    with anyio.CancelScope() as scope:

        class Last(Adder):
            async def __call__(self, trial: TrialSpec, drawn: Drawn) -> ArmResult:
                with anyio.CancelScope(shield=True):
                    result = await super().__call__(trial, drawn)
                scope.cancel()
                return result

        await go(log, Last())
    assert ["experiment.created", "trial.started", "trial.completed"] == log.types()


async def test_no_more_trials_are_under_way_than_allowed() -> None:
    under_way, widest, full = 0, 0, anyio.Event()

    class Counting(Adder):
        async def __call__(self, trial: TrialSpec, drawn: Drawn) -> ArmResult:
            nonlocal under_way, widest
            under_way += 1
            widest = max(widest, under_way)
            if under_way == 3:
                full.set()
            await full.wait()
            await anyio.wait_all_tasks_blocked()
            under_way -= 1
            return await super().__call__(trial, drawn)

    log = MemoryLog()
    outcome = await go(log, Counting(), trials_at_once=3)
    assert (3, 12) == (widest, outcome.completed)
    with pytest.raises(InvalidInput, match="at least 1, not 0"):
        await go(log, trials_at_once=0)


async def test_progress_counts_earlier_runs_and_estimates_from_this_one() -> None:
    log, arm, seen = MemoryLog(dies_after=9), Adder(), list[Progress]()
    await killed(log)
    await go(MemoryLog(log.events), arm, clock=arm.clock, on_progress=seen.append)
    assert [4, 5, 6, 7, 8, 9, 10, 11, 12] == [progress.done for progress in seen]
    assert [None, 70.0, 60.0] == [progress.eta_seconds for progress in seen[:3]]
    assert (12, 0, 80.0, 0.0) == (
        seen[-1].total,
        seen[-1].errored,
        seen[-1].elapsed_seconds,
        seen[-1].eta_seconds,
    )


async def test_the_log_of_another_declaration_is_refused() -> None:
    log = MemoryLog()
    await go(log)
    with pytest.raises(InvalidInput, match="declared otherwise"):
        await go(log, declared=manifest(seed=4))


async def test_a_suite_that_changed_since_the_declaration_is_refused() -> None:
    with pytest.raises(InvalidInput, match="files of suite `sums` are not those"):
        await go(MemoryLog(), suite=replace(suite(), content_hash="other"))


async def test_a_declaration_changed_behind_its_hash_is_refused() -> None:
    log = MemoryLog()
    await go(log)
    created = log.events[0]
    assert isinstance(created, ExperimentCreated)
    log.events[0] = created.model_copy(update={"manifest": {**created.manifest, "seed": 99}})
    with pytest.raises(StoreCorrupt, match="not the one that was hashed"):
        await go(log)


async def test_the_truth_is_in_no_event() -> None:
    log = MemoryLog()
    await go(log)
    assert not [event for event in log.events if str(GOLD) in dump_event(event)]


@pytest.mark.parametrize(
    ("quality", "says"), [(1.5, "accuracy 1.5; it must lie in 0 to 1"), (float("nan"), "accuracy nan")]
)
async def test_a_suite_that_scores_outside_its_scale_fails_the_trial_and_is_named(
    quality: float, says: str
) -> None:
    class Broken(Sums):
        def score(self, gold: Any, answer: dict[str, Any], document: str) -> Marks:
            return super().score(gold, {**answer, "quality": quality}, document)

    log = MemoryLog()
    outcome = await go(log, suite=suite(module=Broken()))
    assert (0, 12) == (outcome.completed, outcome.errored)
    assert says in failed(log)[0].error["message"]


async def test_no_trial_is_begun_that_a_cap_has_no_room_for() -> None:
    log, adder = MemoryLog(), Adder()
    outcome = await go(log, adder, clock=adder.clock, declared=manifest(budget={"seconds": 45}))
    assert (4, 12) == (outcome.completed, outcome.expected)
    assert "40 of 45 seconds" in outcome.stopped
    assert not outcome.is_final
    again = await go(log, adder, clock=adder.clock, declared=manifest(budget={"seconds": 45}))
    assert 4 == again.completed


async def test_a_trial_that_takes_more_than_its_cap_is_errored_and_not_tried_again() -> None:
    log = MemoryLog()
    outcome = await go(log, declared=manifest(budget={"trial_tokens": 300}))
    errors = [event for event in log.events if isinstance(event, TrialFailed)]
    assert {"budget_exceeded"} == {event.error["code"] for event in errors}
    assert len(errors) == outcome.errored > 0
    assert 0 == outcome.retryable


async def test_a_trial_is_cut_off_after_its_time() -> None:
    async def sleeper(trial: TrialSpec, drawn: Drawn) -> ArmResult:
        await anyio.sleep(30)
        raise AssertionError

    log = MemoryLog()
    outcome = await go(log, sleeper, declared=manifest(budget={"trial_seconds": 0.01}, repeats=1))
    assert outcome.errored == outcome.expected


async def test_progress_tells_cost_and_the_latest_error() -> None:
    told: list[Progress] = []

    async def fails(trial: TrialSpec, drawn: Drawn) -> ArmResult:
        raise ModelRefusedRequest("no such model")

    await go(MemoryLog(), fails, on_progress=told.append)
    assert "no such model" == told[-1].last_error
    told.clear()
    await go(MemoryLog(), on_progress=told.append)
    assert told[-1].tokens > 0


async def test_errors_that_are_tried_again_are_not_counted_as_errors_any_more() -> None:
    log, told = MemoryLog(), list[Progress]()
    await go(log, Failing(ModelRefusedRequest("no")))
    await go(log, on_progress=told.append, only=Only.ERRORS)
    assert [(11, 0), (12, 0)] == [(progress.done, progress.errored) for progress in told]
