"""Many threads, one commit: batching, refusals, failures, interrupts."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from threading import Event, Thread, main_thread

import pytest

from nightschool.core.errors import InvalidInput, StoreError, StoreFull
from nightschool.journal.commit import GroupCommit


class Disk:
    """Executes batches slowly enough for others to queue: each waits until the test lets it go on."""

    def __init__(self) -> None:
        """Nothing has been executed."""
        self.batches: list[list[int]] = []
        self.entered = Event()
        self.go = Event()
        self.failure: BaseException | None = None

    def execute(self, works: Sequence[int]) -> list[object]:
        """Double every number; refuse negative ones."""
        self.batches.append(list(works))
        if len(self.batches) == 1:
            self.entered.set()
            assert self.go.wait(10)
        failure, self.failure = self.failure, None
        if failure is not None:
            raise failure
        return [work * 2 if work >= 0 else InvalidInput("negative") for work in works]


class Caller(Thread):
    """A thread that submits one work and keeps what came back."""

    def __init__(self, group: GroupCommit[int], work: int) -> None:
        """Start at once."""
        super().__init__(daemon=True)
        self.group, self.work = group, work
        self.result: object = None
        self.start()

    def run(self) -> None:
        """Submit."""
        try:
            self.result = self.group.submit(self.work)
        except BaseException as error:  # noqa: BLE001  the test looks at it
            self.result = error

    def outcome(self) -> object:
        """Wait for the result."""
        self.join(10)
        assert not self.is_alive()
        return self.result


@pytest.fixture
def disk() -> Disk:
    """A disk that waits in its first batch."""
    return Disk()


@pytest.fixture
def group(disk: Disk) -> GroupCommit[int]:
    """Group commit on it."""
    return GroupCommit(disk.execute, max_batch=3)


def _queue(group: GroupCommit[int], disk: Disk, works: Sequence[int]) -> list[Caller]:
    """Let one caller lead with work 100, and the others wait behind it in order."""
    callers = [Caller(group, 100)]
    assert disk.entered.wait(10)
    for number, work in enumerate(works, start=1):
        callers.append(Caller(group, work))
        _until(group, number)
    return callers


def _until(group: GroupCommit[int], waiting: int) -> None:
    pause = Event()
    for _ in range(10_000):
        if len(group._waiting) == waiting:
            return
        pause.wait(0.001)
    raise AssertionError("the callers never queued")


def test_a_caller_alone_is_served_at_once(group: GroupCommit[int], disk: Disk) -> None:
    disk.go.set()

    assert 14 == group.submit(7)
    assert 16 == group.submit(8)
    assert [[7], [8]] == disk.batches


def test_those_who_come_meanwhile_share_the_next_batches_in_order(
    group: GroupCommit[int], disk: Disk
) -> None:
    callers = _queue(group, disk, [1, 2, 3, 4])
    disk.go.set()

    assert [200, 2, 4, 6, 8] == [caller.outcome() for caller in callers]
    assert [[100], [1, 2, 3], [4]] == disk.batches


def test_a_refusal_is_its_own_callers_alone(group: GroupCommit[int], disk: Disk) -> None:
    callers = _queue(group, disk, [1, -1, 2])
    disk.go.set()

    first, refused, last = (caller.outcome() for caller in callers[1:])
    assert (2, 4) == (first, last)
    assert isinstance(refused, InvalidInput)


def test_a_failed_batch_fails_its_callers_and_the_next_goes_on(group: GroupCommit[int], disk: Disk) -> None:
    callers = _queue(group, disk, [1, 2, 3, 4])
    disk.failure = StoreFull("no room", path="p")
    disk.go.set()

    assert isinstance(callers[0].outcome(), StoreFull)
    assert [2, 4, 6, 8] == [caller.outcome() for caller in callers[1:]]


def test_every_caller_of_a_failed_batch_gets_an_error_of_its_own(disk: Disk) -> None:
    def fail(works: Sequence[int]) -> list[object]:
        if works != [100]:
            raise StoreFull("no room", path="p")
        return disk.execute(works)

    group = GroupCommit(fail, max_batch=3)
    callers = _queue(group, disk, [1, 2])
    disk.go.set()

    first, second = (caller.outcome() for caller in callers[1:])
    assert isinstance(first, StoreFull)
    assert isinstance(second, StoreFull)
    assert first is not second
    assert {"path": "p"} == first.details == second.details


def test_an_interrupted_leader_leaves_the_others_their_turn(group: GroupCommit[int], disk: Disk) -> None:
    """Ctrl-C raises in the main thread only; its followers in other threads must not notice."""
    disk.go.set()
    assert 2 == group.submit(1)
    disk.entered.clear()
    disk.go.clear()
    disk.batches.clear()
    callers = _queue(group, disk, [1, 2, 3])
    disk.failure = KeyboardInterrupt()
    disk.go.set()

    assert isinstance(callers[0].outcome(), KeyboardInterrupt)
    assert [2, 4, 6] == [caller.outcome() for caller in callers[1:]]


def test_followers_in_an_interrupted_batch_are_served_by_the_next_leader(disk: Disk) -> None:
    def interrupt(works: Sequence[int]) -> list[object]:
        if works == [1, 2, 3]:
            raise KeyboardInterrupt
        return disk.execute(works)

    group = GroupCommit(interrupt, max_batch=3)
    callers = _queue(group, disk, [1, 2, 3])
    disk.go.set()

    assert isinstance(callers[1].outcome(), KeyboardInterrupt)
    assert [200, 4, 6] == [caller.outcome() for caller in (callers[0], *callers[2:])]


def test_an_interrupted_follower_withdraws_its_work(group: GroupCommit[int], disk: Disk) -> None:
    leader = Caller(group, 100)
    assert disk.entered.wait(10)

    taken = Event()

    def interrupt() -> None:
        _until(group, 1)
        identity = main_thread().ident
        assert identity is not None
        # A signal that comes just before the thread blocks is noticed only when something wakes it.
        while not taken.wait(0.5):
            signal.pthread_kill(identity, signal.SIGINT)

    Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        group.submit(1)
    taken.set()
    disk.go.set()

    assert 200 == leader.outcome()
    assert 4 == group.submit(2)
    assert [[100], [2]] == disk.batches


def test_closing_waits_for_the_work_at_hand_and_refuses_more(group: GroupCommit[int], disk: Disk) -> None:
    callers = _queue(group, disk, [1])
    closing = Thread(target=group.close, daemon=True)
    closing.start()
    disk.go.set()
    closing.join(10)

    assert [200, 2] == [caller.outcome() for caller in callers]
    with pytest.raises(StoreError, match="closed"):
        group.submit(1)
