"""Many tasks of a loop, one commit: batching, refusals, failures, cancellation, several loops."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from threading import Event, Thread

import anyio
import pytest
from anyio.lowlevel import checkpoint

from nightschool.core.errors import InvalidInput, NightschoolError, StaleWriter
from nightschool.journal.append import Append, Placed, prepare
from nightschool.sessions.shared_commit import SharedCommit

pytestmark = pytest.mark.anyio


class Disk:
    """Commits what it is given, and waits in its first commit until it may go on."""

    def __init__(self) -> None:
        """Nothing has been committed."""
        self.batches: list[list[str]] = []
        self.entered = anyio.Event()
        self.go = Event()
        self.failure: Exception | None = None

    def append_all(self, appends: Sequence[Append]) -> list[Placed | NightschoolError]:
        """Place the appends; refuse those of the session `stale`."""
        self.batches.append([append.session_id for append in appends])
        if len(self.batches) == 1:
            anyio.from_thread.run_sync(self.entered.set)
            assert self.go.wait(10)
        failure, self.failure = self.failure, None
        if failure is not None:
            raise failure
        return [_placed(append) for append in appends]


def _placed(append: Append) -> Placed | NightschoolError:
    if append.session_id == "stale":
        return StaleWriter("too late")
    return Placed(append, append.epoch, 1, 1, datetime(2026, 1, 1, tzinfo=UTC))


@pytest.fixture
def disk() -> Disk:
    """A disk that waits in its first commit."""
    return Disk()


@pytest.fixture
def commits(disk: Disk) -> SharedCommit:
    """Shared commits on it."""
    return SharedCommit(disk, anyio.CapacityLimiter(2))


async def _append(commits: SharedCommit, name: str, found: dict[str, object]) -> None:
    try:
        found[name] = (await commits.append(prepare(name, ()))).append.session_id
    except (NightschoolError, RuntimeError) as error:
        found[name] = error


async def test_those_who_come_meanwhile_share_the_next_commit_in_order(
    commits: SharedCommit, disk: Disk
) -> None:
    found: dict[str, object] = {}
    async with anyio.create_task_group() as group:
        group.start_soon(_append, commits, "first", found)
        await disk.entered.wait()
        for name in ("a", "stale", "b"):
            group.start_soon(_append, commits, name, found)
        await checkpoint()
        disk.go.set()

    assert [["first"], ["a", "stale", "b"]] == disk.batches
    assert isinstance(found.pop("stale"), StaleWriter)
    assert {"first": "first", "a": "a", "b": "b"} == found


async def test_those_who_come_at_the_same_time_share_a_commit(commits: SharedCommit, disk: Disk) -> None:
    disk.go.set()
    found: dict[str, object] = {}

    async with anyio.create_task_group() as group:
        for name in ("a", "b", "c"):
            group.start_soon(_append, commits, name, found)

    assert [["a", "b", "c"]] == disk.batches


async def test_a_commit_that_breaks_off_is_its_leaders_and_the_others_try_again(
    commits: SharedCommit, disk: Disk
) -> None:
    disk.go.set()
    disk.failure = RuntimeError("a defect")
    found: dict[str, object] = {}

    async with anyio.create_task_group() as group:
        for name in ("a", "b", "c"):
            group.start_soon(_append, commits, name, found)

    assert isinstance(found.pop("a"), RuntimeError)
    assert {"b": "b", "c": "c"} == found
    assert [["a", "b", "c"], ["b", "c"]] == disk.batches


async def test_cancellation_waits_for_the_disk(commits: SharedCommit, disk: Disk) -> None:
    placed: list[Placed] = []

    async def append(name: str) -> None:
        placed.append(await commits.append(prepare(name, ())))

    async with anyio.create_task_group() as group:
        group.start_soon(append, "leads")
        await disk.entered.wait()
        group.start_soon(append, "follows")
        await checkpoint()
        group.cancel_scope.cancel()
        disk.go.set()

    assert ["leads", "follows"] == [each.append.session_id for each in placed]


async def test_who_is_cancelled_before_appends_nothing(commits: SharedCommit, disk: Disk) -> None:
    with anyio.CancelScope() as scope:
        scope.cancel()
        await commits.append(prepare("never", ()))

    assert [] == disk.batches


def test_two_loops_in_two_threads_do_not_wait_for_each_other() -> None:
    class Full:
        def append_all(self, appends: Sequence[Append]) -> list[Placed | NightschoolError]:
            return [InvalidInput("no") for _ in appends]

    commits = SharedCommit(Full(), anyio.CapacityLimiter(2))
    found: list[dict[str, object]] = [{}, {}]
    threads = [Thread(target=anyio.run, args=(_append, commits, "a", each)) for each in found]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)

    assert all(isinstance(each["a"], InvalidInput) for each in found)
