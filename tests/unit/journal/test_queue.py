"""Queues: order, leases, tokens, dead letters."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from threading import Thread

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nightschool.core.clock import FrozenClock
from nightschool.core.errors import InvalidInput, LeaseLost, NotFound
from nightschool.journal.journal import Journal
from nightschool.journal.queue import ItemState, Lease, Queue


@pytest.fixture
def queue(journal: Journal, clock: FrozenClock) -> Queue:
    """An empty queue whose items are tried twice."""
    return Queue(journal=journal, clock=clock, name="tasks", max_attempts=2)


def _take(queue: Queue, worker: str = "w1", lease_seconds: float = 60.0) -> Lease:
    lease = queue.take(worker, lease_seconds=lease_seconds)
    assert lease is not None
    return lease


def _state(queue: Queue, key: str) -> ItemState:
    item = queue.item(key)
    assert item is not None
    return item.state


def test_an_item_is_taken_done_and_not_taken_again(queue: Queue) -> None:
    queue.put("a", {"n": 1})

    lease = _take(queue)
    queue.complete(lease)

    assert ("tasks", "a", {"n": 1}, 5, 1, 1, "w1") == (
        lease.queue,
        lease.key,
        lease.payload,
        lease.priority,
        lease.attempt,
        lease.token,
        lease.worker,
    )
    assert queue.take("w2") is None
    assert ItemState.DONE == _state(queue, "a")


def test_a_leased_item_is_nobody_elses(queue: Queue) -> None:
    queue.put("a", {})
    _take(queue)

    assert queue.take("w2") is None


def test_higher_priority_goes_first_then_what_came_first(queue: Queue) -> None:
    for key, priority in (("low", 0), ("first", 5), ("second", 5), ("urgent", 9)):
        queue.put(key, {}, priority=priority)

    assert ["urgent", "first", "second", "low"] == [_take(queue).key for _ in range(4)]


def test_the_same_key_is_put_in_once_even_when_done(queue: Queue) -> None:
    assert queue.put("a", {"n": 1})
    assert not queue.put("a", {"n": 2})
    queue.complete(_take(queue))

    assert not queue.put("a", {"n": 3})
    assert queue.take("w") is None


def test_queues_do_not_see_each_others_items(queue: Queue, journal: Journal, clock: FrozenClock) -> None:
    other = Queue(journal=journal, clock=clock, name="other")
    queue.put("a", {})

    assert other.take("w") is None
    assert other.put("a", {})


def test_a_delayed_item_waits(queue: Queue, clock: FrozenClock) -> None:
    queue.put("later", {}, priority=9, delay_seconds=10)
    queue.put("now", {}, priority=0)

    assert "now" == _take(queue).key
    assert queue.take("w") is None
    clock.advance(10)
    assert "later" == _take(queue).key


def test_a_lease_that_ran_out_goes_to_the_next_worker_with_a_higher_token(
    queue: Queue, clock: FrozenClock
) -> None:
    queue.put("a", {})
    old = _take(queue, "w1", lease_seconds=30)
    clock.advance(30)

    new = _take(queue, "w2")

    assert (2, True) == (new.attempt, new.token > old.token)
    with pytest.raises(
        LeaseLost, match=r"lease of w1 on a \(token 1\) is over: it is leased with token 2, last held by w2"
    ):
        queue.complete(old)
    with pytest.raises(LeaseLost):
        queue.renew(old)
    with pytest.raises(LeaseLost):
        queue.fail(old, "late")
    queue.complete(new)


def test_a_late_worker_may_finish_when_nobody_took_over(queue: Queue, clock: FrozenClock) -> None:
    queue.put("a", {})
    lease = _take(queue, lease_seconds=30)
    clock.advance(31)

    queue.complete(lease)

    assert queue.take("w2") is None


def test_a_renewed_lease_lasts_longer(queue: Queue, clock: FrozenClock) -> None:
    queue.put("a", {})
    lease = _take(queue, lease_seconds=30)
    clock.advance(20)

    assert clock.now() + timedelta(seconds=30) == queue.renew(lease, lease_seconds=30)
    clock.advance(20)

    assert queue.take("w2") is None


def test_completing_twice_is_completing_once(queue: Queue) -> None:
    queue.put("a", {})
    lease = _take(queue)

    queue.complete(lease)
    queue.complete(lease)

    assert 1 == queue.counts()[ItemState.DONE]


def test_a_failed_item_is_tried_again_after_a_while_and_buried_after_the_last_attempt(
    queue: Queue, clock: FrozenClock
) -> None:
    queue.put("a", {})

    assert ItemState.READY == queue.fail(_take(queue), "flaky", retry_in_seconds=5)
    assert queue.take("w") is None
    clock.advance(5)
    assert ItemState.DEAD == queue.fail(_take(queue), "still flaky")

    (dead,) = queue.items(ItemState.DEAD)
    assert ("a", "still flaky", 2) == (dead.key, dead.reason, dead.attempts)
    assert queue.take("w") is None


def test_a_final_failure_is_not_tried_again(queue: Queue) -> None:
    queue.put("a", {})

    assert ItemState.DEAD == queue.fail(_take(queue), "cannot work", final=True)


def test_a_worker_that_failed_an_item_has_lost_it(queue: Queue) -> None:
    queue.put("a", {})
    lease = _take(queue)
    queue.fail(lease, "no")

    with pytest.raises(LeaseLost):
        queue.complete(lease)


def test_leases_that_keep_running_out_end_in_the_dead_letters(queue: Queue, clock: FrozenClock) -> None:
    queue.put("a", {})
    for worker in ("w1", "w2"):
        _take(queue, worker, lease_seconds=1)
        clock.advance(1)

    assert queue.take("w3") is None
    (dead,) = queue.items(ItemState.DEAD)
    assert "the lease of w2 ran out, attempt 2 of 2" == dead.reason


def test_a_dead_item_can_be_revived_with_all_its_attempts(queue: Queue) -> None:
    queue.put("a", {})
    old = _take(queue)
    queue.fail(old, "no", final=True)

    queue.revive("a")

    new = _take(queue)
    assert (1, True) == (new.attempt, new.token > old.token)
    with pytest.raises(NotFound, match="no dead item a"):
        queue.revive("a")


def test_a_released_item_has_not_used_up_an_attempt(queue: Queue) -> None:
    queue.put("a", {})
    queue.release(_take(queue))

    assert 1 == _take(queue).attempt


def test_done_items_can_be_forgotten_and_then_come_again(queue: Queue, clock: FrozenClock) -> None:
    queue.put("a", {})
    queue.complete(_take(queue))
    clock.advance(60)

    assert 0 == queue.forget_done(before=clock.now() - timedelta(seconds=61))
    assert 1 == queue.forget_done(before=clock.now())
    assert queue.put("a", {})


@pytest.mark.parametrize("priority", [-1, 10])
def test_a_priority_out_of_range_is_refused(queue: Queue, priority: int) -> None:
    with pytest.raises(InvalidInput, match=rf"priority {priority} of a is not in 0\.\.9"):
        queue.put("a", {}, priority=priority)


@pytest.mark.parametrize("payload", [{"x": object()}, {"x": float("nan")}])
def test_a_payload_that_is_not_json_is_refused(queue: Queue, payload: dict[str, object]) -> None:
    with pytest.raises(InvalidInput, match="payload of a is not JSON"):
        queue.put("a", payload)


def test_many_workers_share_the_work_without_doing_any_twice(queue: Queue) -> None:
    for number in range(60):
        queue.put(f"item{number}", {})
    taken: list[list[str]] = [[] for _ in range(6)]

    def work(mine: list[str]) -> None:
        while lease := queue.take("w"):
            mine.append(lease.key)
            queue.complete(lease)

    threads = [Thread(target=work, args=(mine,)) for mine in taken]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)

    assert sorted(f"item{number}" for number in range(60)) == sorted(key for mine in taken for key in mine)
    assert 60 == queue.counts()[ItemState.DONE]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, FrozenClock, Journal]]:
    """One journal for many examples, each with a queue of its own."""
    path, clock = tmp_path_factory.mktemp("queue") / "journal.sqlite", FrozenClock()
    journal = Journal.open(path, clock=clock)
    yield path, clock, journal
    journal.close()


STEPS = st.lists(
    st.sampled_from(["put", "take", "complete", "fail", "release", "renew", "expire", "revive"]), max_size=40
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS, numbers=st.randoms(use_true_random=False))
def test_tokens_only_grow_and_one_lease_at_most_is_good(
    shared: tuple[Path, FrozenClock, Journal], steps: list[str], numbers: object
) -> None:
    """Whatever happens to an item, only the newest lease of it can settle it, and tokens never fall."""
    _, clock, journal = shared
    queue = Queue(
        journal=journal, clock=clock, name=f"q{id(numbers)}-{clock.elapsed_seconds}", max_attempts=3
    )
    clock.advance(1000)
    leases: list[Lease] = []
    for step in steps:
        if step == "put":
            queue.put("a", {})
        elif step == "expire":
            clock.advance(61)
        elif step == "revive" and queue.items(ItemState.DEAD):
            queue.revive("a")
        elif step == "take":
            lease = queue.take("w")
            if lease is not None:
                assert all(lease.token > old.token for old in leases)
                leases.append(lease)
        elif leases and step in ("complete", "fail", "release", "renew"):
            for old in leases[:-1]:
                with pytest.raises(LeaseLost):
                    queue.complete(old)
            _settle(queue, leases[-1], step)


def _settle(queue: Queue, lease: Lease, step: str) -> None:
    actions: dict[str, Callable[[], object]] = {
        "complete": lambda: queue.complete(lease),
        "fail": lambda: queue.fail(lease, "no"),
        "release": lambda: queue.release(lease),
        "renew": lambda: queue.renew(lease),
    }
    try:
        actions[step]()
    except LeaseLost:
        item = queue.item(lease.key)
        assert item is not None
        assert item.token > lease.token or item.state in (ItemState.DONE, ItemState.DEAD)
