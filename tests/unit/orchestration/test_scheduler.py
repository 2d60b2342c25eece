from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nightschool.core.clock import FrozenClock, SystemClock
from nightschool.core.errors import InvalidInput, Malformed, ModelError, ModelUnavailable, StoreFull
from nightschool.events.base import EventBase
from nightschool.events.lock import LockConflict
from nightschool.events.plan import (
    EscalationDecided,
    PlanCompleted,
    PlanCreated,
    PlanRevised,
    PoolResized,
    TaskFailed,
    TaskGraded,
    TaskStarted,
)
from nightschool.orchestration.agent_choice import ChoicePolicy
from nightschool.orchestration.aggregate import answer_of
from nightschool.orchestration.board import Board, Status
from nightschool.orchestration.conflicts import conflicts
from nightschool.orchestration.escalation import Action, Decision, Escalation
from nightschool.orchestration.experience import Experience
from nightschool.orchestration.plan import OnFailure, Plan
from nightschool.orchestration.plan_log import MemoryPlanLog
from nightschool.orchestration.pools import Pool
from nightschool.orchestration.scheduler import Scheduler
from nightschool.orchestration.slots import Order, Slots
from nightschool.orchestration.staff import Staff
from nightschool.outcomes.grader import Verdict
from tests.unit.orchestration.workers import Killed, KilledLog, Recorder, agent, random_plan, run, task

pytestmark = pytest.mark.anyio


def _of(log: MemoryPlanLog, kind: type[EventBase]) -> list[Any]:
    return [event for event in log.events if isinstance(event, kind)]


def _always(*names: str) -> Any:
    return lambda order: ModelError(f"{order.task.id} broke") if order.task.id in names else None


async def test_three_strategies_in_one_plan_each_keep_their_promise() -> None:
    log = MemoryPlanLog()
    tasks = [
        task("best"),
        task("again", on_failure=OnFailure.RETRY),
        task("critical", on_failure=OnFailure.CRITICAL),
        task("other"),
        task("from_best", "best", "other"),
        task("from_again", "again"),
        task("from_critical", "critical"),
    ]
    rescued = Recorder(
        fails=lambda order: (
            ModelError("broke")
            if order.task.id in ("best", "critical") or (order.task.id == "again" and order.tries < 2)
            else None
        )
    )

    board = await run(tasks, rescued, log=log)

    assert Status.DONE is board.tasks["from_best"].status
    assert board.tasks["again"].is_fallback
    assert Status.DONE is board.tasks["from_again"].status
    assert Status.FAILED is board.tasks["from_critical"].status
    answer = answer_of(board)
    assert {"best": "broke", "critical": "broke"}.items() <= answer["failed"].items()
    assert "waits for critical, which failed" in answer["failed"]["from_critical"]
    assert "No result of best: it failed" in next(
        order.context for order in rescued.orders if order.task.id == "from_best"
    )


async def test_the_fallback_queue_waits_until_nothing_else_is_ready() -> None:
    worker = Recorder(
        fails=lambda order: ModelError("x") if order.task.id == "a" and order.tries < 2 else None
    )
    staff = Staff(agents=(agent("first", price=1), agent("second", price=2)), fallback="second")

    await run([task("a", on_failure=OnFailure.RETRY), task("b"), task("c", "b")], worker, staff=staff)

    assert "a" == worker.orders[-1].task.id
    assert "second" == (worker.orders[-1].agent and worker.orders[-1].agent.name)


async def test_a_task_that_took_too_long_is_given_to_another_agent() -> None:
    worker = Recorder(hangs=lambda order: order.agent is not None and order.agent.name == "slow")
    staff = Staff(agents=(agent("slow", price=1), agent("quick", price=9)))

    board = await run([task("a", max_seconds=0.01)], worker, staff=staff)

    assert ("slow", "quick") == board.tasks["a"].agents
    assert Status.DONE is board.tasks["a"].status


async def test_never_more_at_work_than_twenty() -> None:
    worker = Recorder()

    await run([task(str(number)) for number in range(60)], worker)

    assert 20 == max(map(len, worker.together))


async def test_tasks_that_write_the_same_are_never_at_work_together() -> None:
    worker = Recorder()
    tasks = [task("a", writes=("file:out",)), task("b", writes=("file:out/*/x",)), task("c")]

    await run(tasks, worker)

    assert not any({"a", "b"} <= together for together in worker.together)
    assert any({"a", "c"} <= together for together in worker.together)


async def _by_length(order: Order, value: Mapping[str, Any]) -> Verdict:
    good = value["tries"] >= 2
    return Verdict(scores={"accuracy": 0.9 if good else 0.3}, satisfied=good, feedback=("too short",))


async def test_a_result_below_its_tier_is_sent_back_with_the_feedback() -> None:
    log, worker = MemoryPlanLog(), Recorder()
    worker.answer = lambda _order: {"tries": len(worker.orders)}

    board = await run([task("a")], worker, log=log, grade=_by_length)

    assert Status.DONE is board.tasks["a"].status
    assert ["rerun", "accept"] == [event.next for event in _of(log, TaskGraded)]
    assert "too short" not in worker.orders[0].context
    assert "too short" in worker.orders[1].context


async def _never(_order: Order, _value: Mapping[str, Any]) -> Verdict:
    return Verdict(scores={"accuracy": 0.1}, satisfied=False, feedback=("no good",))


async def test_past_its_reruns_a_result_is_reassigned_and_then_accepted_with_a_note() -> None:
    log, worker = MemoryPlanLog(), Recorder()
    staff = Staff(agents=(agent("a", price=1), agent("b", price=2)))

    board = await run([task("t")], worker, log=log, grade=_never, staff=staff, slots=Slots(max_reruns=1))

    assert ["reassign", "accept"] == [event.action for event in _of(log, EscalationDecided)]
    assert ["a", "a", "b", "b"] == [order.agent.name for order in worker.orders if order.agent]
    assert {"t": "no good; accepted all the same"} == answer_of(board)["notes"]


async def test_the_orchestrator_may_plan_anew() -> None:
    log = MemoryPlanLog()

    async def halve(escalation: Escalation) -> Decision:
        halves = (task("left"), task("right"), task("big", "left", "right", merge={"strategy": "join"}))
        return Decision(action=Action.REPLAN, note="too big", tasks=halves)

    async def grade(order: Order, value: Mapping[str, Any]) -> Verdict:
        good = order.task.id != "big" or order.task.merge is not None
        return Verdict(scores={"accuracy": 1.0}, satisfied=good, feedback=("too big",))

    worker = Recorder(answer=lambda order: {order.task.id: 1})
    tasks = [task("big"), task("after", "big")]
    board = await run(tasks, worker, log=log, grade=grade, decide=halve, slots=Slots(max_reruns=0))

    assert {"left": 1, "right": 1} == board.tasks["big"].result
    assert Status.DONE is board.tasks["after"].status
    assert 1 == len(_of(log, PlanRevised))


async def test_a_new_plan_that_cannot_be_run_is_not_followed() -> None:
    async def nonsense(escalation: Escalation) -> Decision:
        circle = (task("big", "other"), task("other", "big"))
        return Decision(action=Action.REPLAN, note="try", tasks=circle)

    board = await run([task("big")], Recorder(), grade=_never, decide=nonsense, slots=Slots(max_reruns=0))

    assert "wait for one another" in str(board.tasks["big"].note)


async def test_the_orchestrator_may_stop_the_plan() -> None:
    async def stop(escalation: Escalation) -> Decision:
        return Decision(action=Action.STOP, note="pointless")

    worker = Recorder()
    tasks = [task("a"), task("b", "a"), task("c", "b")]
    board = await run(tasks, worker, grade=_never, decide=stop, slots=Slots(max_reruns=0))

    assert ["a"] == worker.done
    assert {"b", "c"} == set(answer_of(board)["failed"])


async def test_a_task_is_not_decided_about_for_ever() -> None:
    async def again(escalation: Escalation) -> Decision:
        return Decision(action=Action.REASSIGN, note="again", agent="a")

    worker = Recorder()
    staff = Staff(agents=(agent("a"),))
    slots = Slots(max_reruns=0, max_escalations=2)
    board = await run([task("t")], worker, grade=_never, decide=again, staff=staff, slots=slots)

    assert 3 == len(worker.orders)
    assert Status.DONE is board.tasks["t"].status


async def test_a_result_that_does_not_fit_its_schema_is_sent_back() -> None:
    worker = Recorder(answer=lambda order: {"n": "many"} if not order.attempt > 1 else {"n": 3})
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}

    board = await run([task("a", returns=schema)], worker)

    assert {"n": 3} == board.tasks["a"].result
    assert "n: 'many' is not of type 'integer'" in worker.orders[1].context


async def test_a_task_is_given_its_own_words_and_the_results_it_waits_for_and_nothing_else() -> None:
    log = MemoryPlanLog()
    secrets = {name: f"secret-of-{name}" for name in "abcd"}
    worker = Recorder(answer=lambda order: {"found": secrets[order.task.id]})
    tasks = [
        task("a", prompt="words of a"), task("b", prompt="words of b"),
        task("c", "a", prompt="words of c"), task("d", "c", prompt="words of d"),
    ]  # fmt: skip

    await run(tasks, worker, log=log)

    received = {event.task_id: event.received for event in _of(log, TaskStarted)}
    assert {order.task.id: order.context for order in worker.orders} == received
    assert "words of a" == received["a"]
    assert 'words of c\n\nResult of a: {"found":"secret-of-a"}' == received["c"]
    assert 'words of d\n\nResult of c: {"found":"secret-of-c"}' == received["d"]


async def test_the_summary_says_what_happened() -> None:
    log = MemoryPlanLog()
    worker = Recorder(fails=lambda order: ModelUnavailable("busy") if order.attempt == 1 else None)

    await run([task("a"), task("b", "a")], worker, log=log)

    (completed,) = _of(log, PlanCompleted)
    summary = completed.summary
    assert (2, 2, 4, 20) == tuple(summary[k] for k in ("tasks", "completed", "attempts", "tokens"))
    assert {"model_unavailable": 2} == summary["failed_attempts"]
    assert {} == summary["failed"]


async def test_a_full_disk_stops_the_plan() -> None:
    with pytest.raises(StoreFull):
        await run([task("a"), task("b")], Recorder(fails=lambda _order: StoreFull()))


async def test_a_pool_without_a_place_is_refused() -> None:
    with pytest.raises(InvalidInput, match="no agent may be at work"):
        await run([task("a")], Recorder(), pool=Pool(static=0, dynamic=0))


async def test_a_static_pool_is_warm_and_a_dynamic_one_grows_with_the_load() -> None:
    for pool, first, largest in ((Pool(static=3, dynamic=0), 3, 3), (Pool(static=1, dynamic=5), 4, 4)):
        log = MemoryPlanLog()
        await run([task(str(n)) for n in range(4)], Recorder(), log=log, pool=pool)
        sizes = [event.size for event in _of(log, PoolResized)]
        assert (first, largest) == (sizes[0], max(sizes))


async def test_who_was_idle_too_long_is_released_while_others_work() -> None:
    clock, log = FrozenClock(), MemoryPlanLog()

    def answer(order: Order) -> dict[str, Any]:
        clock.advance(20)
        return {}

    tasks = [
        *(task(f"w{n}") for n in range(4)),
        task("x", "w0", "w1", "w2", "w3"),
        task("y", "x"),
        task("z", "y"),
    ]
    pool = Pool(static=1, dynamic=5, ttl_seconds=30)
    await run(tasks, Recorder(answer=answer), log=log, clock=clock, pool=pool)

    assert 4 == _of(log, PoolResized)[0].size
    assert 1 == _of(log, PoolResized)[-1].size


async def test_a_log_of_another_plan_is_refused() -> None:
    log = MemoryPlanLog()
    await run([task("a")], Recorder(), log=log)
    scheduler = Scheduler(worker=Recorder(), log=log, clock=SystemClock())

    with pytest.raises(InvalidInput, match="holds plan plan_x, not plan_y"):
        await scheduler.run(Plan(id="plan_y", goal="g", tasks=(task("a"),)))


async def test_a_merge_that_cannot_be_read_is_refused_beforehand() -> None:
    from nightschool.orchestration.plan import validate

    with pytest.raises(Malformed, match="task 'a': merge: field `strategy`"):
        validate(Plan(id="p", goal="g", tasks=(task("a", merge={"strategy": "guess"}),)))


# ------------------------------------------------------------------------------------- interruption


def _thirty() -> tuple[Plan, Recorder]:
    """Return a plan of 30 tasks in which things go wrong, and its worker."""
    return random_plan(random.Random(7), 30)


def _outcome(board: Board) -> dict[str, Any]:
    return {name: (state.status, state.result) for name, state in board.tasks.items()}


async def test_a_plan_cut_off_after_any_event_ends_as_the_unbroken_one() -> None:
    plan, whole_worker = _thirty()
    whole = MemoryPlanLog()
    expected = _outcome(await Scheduler(worker=whole_worker, log=whole, clock=SystemClock()).run(plan))

    for cut in range(len(whole.events) + 1):
        log = MemoryPlanLog(events=whole.events[:cut])
        finished = {e.task_id for e in log.events if e.type == "task.completed" and hasattr(e, "task_id")}
        begun = {e.task_id: e.attempt for e in log.events if isinstance(e, TaskStarted)}
        _, worker = _thirty()
        worker.fails = whole_worker.fails

        board = await Scheduler(worker=worker, log=log, clock=SystemClock()).run(plan)

        assert expected == _outcome(board), cut
        assert not finished & {order.task.id for order in worker.orders}
        assert all(order.attempt > begun.get(order.task.id, 0) for order in worker.orders)


async def test_a_process_killed_at_any_commit_is_finished_by_the_next() -> None:
    plan, unbroken = _thirty()
    expected = _outcome(await Scheduler(worker=unbroken, log=MemoryPlanLog(), clock=SystemClock()).run(plan))
    appends = 0
    while True:
        log = KilledLog(appends_left=appends)
        worker = Recorder(fails=unbroken.fails)
        try:
            board = await Scheduler(worker=worker, log=log, clock=SystemClock()).run(plan)
        except (Killed, BaseExceptionGroup):
            log.appends_left = 10_000
            board = await Scheduler(worker=Recorder(fails=unbroken.fails), log=log, clock=SystemClock()).run(
                plan
            )
        else:
            break
        assert expected == _outcome(board)
        appends += 1
    assert appends > 10


# ------------------------------------------------------------------------------------- any plan


@settings(max_examples=500)
@given(st.integers(0, 10**9), st.integers(1, 24), st.integers(1, 6))
async def test_any_plan_ends_and_keeps_every_promise(seed: int, size: int, width: int) -> None:
    plan, worker = random_plan(random.Random(seed), size)
    log = MemoryPlanLog()
    scheduler = Scheduler(
        worker=worker, log=log, clock=SystemClock(), slots=Slots(max_parallel_agents=width, max_attempts=2)
    )

    board = await scheduler.run(plan)

    assert all(state.status.is_over for state in board.tasks.values())
    assert width >= max(map(len, worker.together))
    apart = conflicts(plan)
    assert not any(
        apart.get(name, frozenset()) & together for together in worker.together for name in together
    )
    for name, state in board.tasks.items():
        failed = {n for n in plan.task(name).depends_on if board.tasks[n].status is Status.FAILED}
        blocked = any(plan.task(n).on_failure is OnFailure.CRITICAL for n in failed)
        assert blocked == ((state.error or {}).get("code") == "task_blocked")
        assert not (blocked and state.attempts)
        if plan.task(name).on_failure is OnFailure.RETRY and state.status is Status.FAILED and not blocked:
            assert state.is_fallback
    assert board.tasks == Board.of(plan, log.events).tasks
    assert set(answer_of(board).get("failed", {})) == {
        name for name, state in board.tasks.items() if state.status is Status.FAILED
    }


async def test_what_was_learnt_before_is_on_record_and_a_woken_plan_keeps_to_it() -> None:
    log = KilledLog(appends_left=2)
    staff = Staff(agents=(agent("a"), agent("b")), policy=ChoicePolicy.LEARNED)
    before = Experience(verdicts={"task": {"a": (40, 0), "b": (0, 40)}})
    tasks = [task("1"), task("2", "1")]

    with pytest.raises(Killed):
        await run(tasks, Recorder(), log=log, staff=staff, learnt=before)
    log.appends_left = 99
    await run(tasks, Recorder(), log=log, staff=staff, learnt=Experience())

    assert {"verdicts": {"task": {"a": [40, 0], "b": [0, 40]}}} == _of(log, PlanCreated)[0].learnt
    assert all(event.probabilities["a"] > 0.99 for event in _of(log, TaskStarted))
    assert {"task": {"a": (40, 0), "b": (0, 40)}} == before.verdicts


@pytest.mark.parametrize("policy", ChoicePolicy)
async def test_every_policy_puts_agents_to_work_and_logs_how_probable_each_was(policy: ChoicePolicy) -> None:
    log = MemoryPlanLog()
    staff = Staff(agents=(agent("a", price=1), agent("b", price=2)), policy=policy)

    await run([task(str(n)) for n in range(6)], Recorder(), log=log, staff=staff)

    for event in _of(log, TaskStarted):
        assert event.policy == policy
        assert 1.0 == pytest.approx(sum(event.probabilities.values()))
        assert event.probabilities[event.agent_id] > 0


async def test_nobody_is_asked_about_a_failed_attempt_that_says_nothing_follows() -> None:
    log = MemoryPlanLog()

    await run([task("a")], Recorder(fails=_always("a")), log=log)

    assert ["fail"] == [event.next for event in _of(log, TaskFailed)]


async def test_the_summary_counts_what_tasks_noted_themselves_once() -> None:
    log = MemoryPlanLog()
    refused = LockConflict(
        id="sevt_lock", resource="file:a", task_id="a", expected=1, present=2, conflicts=1
    )  # fmt: skip

    def conflicting(_order: Order) -> dict[str, Any]:
        log.events.append(refused)
        return {}

    await run([task("a"), task("b", "a")], Recorder(answer=conflicting), log=log)

    (completed,) = _of(log, PlanCompleted)
    assert (1, 2) == (completed.summary["write_conflicts"], completed.summary["attempts"])
