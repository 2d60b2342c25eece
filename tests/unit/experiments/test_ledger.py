from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nightschool.core.errors import NotFound
from nightschool.events.experiment import TrialCompleted, TrialFailed, TrialStarted
from nightschool.events.union import Event
from nightschool.experiments.design import trial_order
from nightschool.experiments.ledger import Only, TrialStatus, fold, result_hash
from tests.unit.experiments.fakes import completed as result_of
from tests.unit.experiments.fakes import failed as failure_of
from tests.unit.experiments.fakes import manifest

SPECS = trial_order(manifest(), "exp_one")
STEP = st.tuples(st.sampled_from(["started", "completed", "failed"]), st.integers(0, 3), st.integers(1, 3))


def event(step: str, trial: int = 0, attempt: int = 1, **changes: Any) -> Event:
    spec = SPECS[trial]
    key: dict[str, Any] = {
        "id": f"sevt_{step}_{trial}_{attempt}",
        "experiment_id": "exp_one",
        "trial_id": spec.trial_id,
        "arm": spec.arm,
        "sample_id": spec.sample_id,
        "epoch": spec.epoch,
        "attempt": attempt,
    }
    match step:
        case "started":
            return TrialStarted(**key)
        case "failed":
            error = {"code": "model_unavailable", "message": "overloaded", "retryable": True}
            return TrialFailed(**{**key, "error": error, **changes})
    result: dict[str, Any] = {
        "brain": "reader",
        "scores": {"accuracy": 0.5, "efficiency": 0.1 * attempt},
        "metrics": {"recall": 0.5},
        "tiers": {},
        "usage": {"input_tokens": 10},
        "tool_calls": 1,
        "model_calls": 1,
        "duration_seconds": float(attempt),
        "answer": {"positions": []},
        "sample": {},
    }
    return TrialCompleted(**{**key, **result, **changes})


@pytest.mark.parametrize(
    ("steps", "status", "attempt", "retried"),
    [
        ([("started", 1)], TrialStatus.STARTED, 1, True),
        ([("started", 1), ("completed", 1)], TrialStatus.COMPLETED, 1, False),
        ([("started", 1), ("failed", 1)], TrialStatus.ERRORED, 1, True),
        ([("started", 1), ("failed", 1), ("started", 2)], TrialStatus.STARTED, 2, True),
        ([("started", 1), ("started", 2), ("failed", 1)], TrialStatus.STARTED, 2, True),
        ([("started", 1), ("failed", 1), ("started", 2), ("completed", 2)], TrialStatus.COMPLETED, 2, False),
        ([("started", 1), ("completed", 1), ("failed", 2)], TrialStatus.COMPLETED, 1, False),
        ([("completed", 1), ("started", 2)], TrialStatus.COMPLETED, 1, False),
    ],
)
def test_a_trial_stands_where_its_latest_attempt_left_it(
    steps: list[tuple[str, int]], status: TrialStatus, attempt: int, *, retried: bool
) -> None:
    (state,) = fold(event(step, attempt=number) for step, number in steps).trials.values()
    assert (status, attempt, retried) == (state.status, state.attempt, state.may_be_retried)


def test_a_failure_that_lies_in_the_trial_is_not_pending() -> None:
    final = event("failed", error={"code": "unexpected", "message": "x", "retryable": False})
    ledger = fold([event("started"), final])
    assert SPECS[1:] == ledger.pending(SPECS)
    assert (1, 0) == (len(ledger.failures()), ledger.retryable_count)


@given(st.lists(STEP, max_size=30))
def test_every_trial_is_counted_in_one_place_and_its_first_result_stays(
    steps: list[tuple[str, int, int]],
) -> None:
    events = [event(*step) for step in steps]
    ledger = fold(events)
    results, failures = ledger.results(), ledger.failures()
    begun = [s for s in ledger.trials.values() if s.status is TrialStatus.STARTED]
    assert len(ledger.trials) == len(results) + len(failures) + len(begun)
    assert len(SPECS) == len(ledger.pending(SPECS)) + len(results)


@given(st.lists(STEP, max_size=20), STEP)
def test_a_result_once_recorded_is_never_replaced(
    steps: list[tuple[str, int, int]], last: tuple[str, int, int]
) -> None:
    events = [event(*step) for step in steps]
    before = {result.trial_id: result for result in fold(events).results()}
    after = {result.trial_id: result for result in fold([*events, event(*last)]).results()}
    assert before == {trial_id: after[trial_id] for trial_id in before}


@given(st.permutations(range(6)))
def test_the_hash_does_not_depend_on_the_order_in_which_trials_ended(order: list[int]) -> None:
    ordered = fold(event("completed", trial) for trial in range(6))
    assert result_hash(ordered) == result_hash(fold(event("completed", trial) for trial in order))


def test_the_hash_leaves_out_time_attempts_ids_and_words_of_errors() -> None:
    ours = fold([event("completed", 0, 1), event("failed", 1, 1)])
    error = {"code": "model_unavailable", "message": "other words", "retryable": True}
    theirs = fold([event("completed", 0, 2, session_id="sesn_x"), event("failed", 1, 3, error=error)])
    assert result_hash(ours) == result_hash(theirs)


@pytest.mark.parametrize(
    "change",
    [
        {"answer": {"positions": [1]}},
        {"metrics": {"recall": 0.6}},
        {"scores": {"accuracy": 0.6}},
        {"usage": {"input_tokens": 11}},
        {"tool_calls": 2},
    ],
)
def test_the_hash_follows_what_was_found(change: dict[str, Any]) -> None:
    assert result_hash(fold([event("completed")])) != result_hash(fold([event("completed", **change)]))


def test_the_hash_ignores_the_last_digits_of_a_sum() -> None:
    """Adding up in another order, on another number of cores, is not another finding."""
    ours = fold([event("completed", answer={"confidence": [0.1 + 0.2, -0.0]})])
    theirs = fold([event("completed", answer={"confidence": [0.3, 0.0]})])
    assert result_hash(ours) == result_hash(theirs)


def test_a_log_without_a_declaration_is_no_experiments() -> None:
    with pytest.raises(NotFound, match="not an experiment's"):
        fold([event("started")]).manifest  # noqa: B018


@pytest.mark.parametrize(("only", "expected"), [(None, 3), (Only.MISSING, 3), (Only.ERRORS, 1)])
def test_a_part_of_what_has_no_result_can_be_asked_for(only: Only | None, expected: int) -> None:
    """Of twelve trials eight have a result, one errored for good, and three were never begun."""
    declared = manifest()
    order = trial_order(declared, "exp_1")
    ended = [result_of(t.arm, t.sample_id, t.epoch, 0.5, trial_id=t.trial_id) for t in order[:8]]
    broken = failure_of(order[8].arm, order[8].sample_id, order[8].epoch)
    ledger = fold([*ended, broken.model_copy(update={"trial_id": order[8].trial_id})])
    pending = ledger.pending(order, only)
    assert expected == len(pending)
    assert not {spec.trial_id for spec in pending} & {spec.trial_id for spec in order[:8]}
