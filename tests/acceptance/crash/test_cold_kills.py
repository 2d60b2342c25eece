"""Cold storage whose process is killed at any of its writes: no text is lost, and none is there twice."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from nightschool.core.clock import FrozenClock
from nightschool.core.ids import IdSource
from nightschool.dreaming.cold_storage import store_cold
from nightschool.dreaming.lifecycle import Lifetimes
from nightschool.journal.journal import Journal
from nightschool.memory.heads import Heads
from nightschool.memory.memory import Attributes, State
from nightschool.memory.store import MemoryStore

pytestmark = [pytest.mark.integration, pytest.mark.crash, pytest.mark.timeout(300)]
SAID = "Refunds take 5 days."
RESTORED = Attributes(reason="active by hand")


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(datetime(2026, 2, 1, tzinfo=UTC))


@pytest.fixture
def store(tmp_path: Path, clock: FrozenClock, ids: IdSource) -> Iterator[MemoryStore]:
    """One memory that expired long ago and is cold, and one that is recalled."""
    journal = Journal.open(tmp_path / "journal.sqlite", clock=clock)
    head = Heads(journal=journal, clock=clock).get("default")
    made = MemoryStore(journal=journal, clock=clock, ids=ids, store_id=head.store_id)
    made.create("default")
    expired = (clock.now() - timedelta(days=100)).isoformat()
    made.write("/refunds", SAID, Attributes(state=State.COLD, expires_at=expired))
    made.write("/note", "We are kind.", Attributes())
    yield made
    journal.close()


def _places(store: MemoryStore) -> tuple[bool, bool]:
    """Return whether the memory's text is in the journal, and in cold storage."""
    texts = store.texts
    return SAID in texts.live().values(), SAID in {each.text for each in texts.cold.rows().values()}


def _put_away(store: MemoryStore) -> None:
    store_cold(store.journal, clock=store.clock, ids=store.ids, lifetimes=Lifetimes())


KILLED = """
import os, signal, sys
from datetime import datetime, timedelta
from pathlib import Path
from nightschool.core.clock import FrozenClock
from nightschool.core.ids import IdSource
from nightschool.dreaming.cold_storage import store_cold
from nightschool.dreaming.lifecycle import Lifetimes
from nightschool.journal.journal import Journal
from nightschool.journal.writer import Writer

seen, point = 0, int(sys.argv[2])

def killing(whole):
    def called(*given, **named):
        global seen
        for step in (lambda: None, lambda: whole(*given, **named)):
            done = step()
            seen += 1
            if seen == point:
                os.kill(os.getpid(), signal.SIGKILL)
        return done
    return called

clock = FrozenClock(datetime.fromisoformat(sys.argv[3]))
journal = Journal.open(Path(sys.argv[1]), clock=clock)
Writer.execute = killing(Writer.execute)
Path.rename = killing(Path.rename)
Path.unlink = killing(Path.unlink)
os.fsync = killing(os.fsync)
store_cold(journal, clock=clock, ids=IdSource(clock=clock), lifetimes=Lifetimes())
journal.close()
"""


def _killed_at(point: int, store: MemoryStore) -> bool:
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(store.journal.path), str(point), store.clock.now().isoformat()],
        check=False,
        capture_output=True,
        env={**os.environ, "POLARS_MAX_THREADS": "1"},
    )
    assert done.returncode in {0, -signal.SIGKILL}, done.stderr.decode()
    return done.returncode == -signal.SIGKILL


def test_killed_at_any_write_no_text_is_lost_and_none_is_there_twice(
    store: MemoryStore, clock: FrozenClock
) -> None:
    """Moved there and back: after each kill the store says the same, and doing it again finishes it."""
    before, memory = store.hash(), store.memory("/refunds")
    points = 0
    while _killed_at(points := points + 1, store):
        assert before == store.hash() and SAID == store.memory(memory.path).text, points
        _put_away(store)
        assert (False, True) == _places(store), points
        store.texts.put(SAID)
        with store.texts.cold.held():
            store.texts.cold.replace([])
    assert points > 8
    assert 1 == len(store.journal.read(store.store_id, types=["memory.moved_to_cold"]))

    store.write(memory.path, SAID, RESTORED, actor="user")
    store.texts.remove_live(memory.sha256)
    points = 0
    while _killed_at(points := points + 1, store):
        assert SAID == store.memory(memory.path).text, points
        _put_away(store)
        assert (True, False) == _places(store), points
        store.annotate(memory.path, memory.attributes)
        _put_away(store)
        store.annotate(memory.path, RESTORED)
    assert points > 4


def test_a_purge_that_was_killed_is_finished_by_the_next(store: MemoryStore, clock: FrozenClock) -> None:
    _put_away(store)
    clock.advance(timedelta(days=365).total_seconds())
    path, points = "/refunds", 0
    while _killed_at(points := points + 1, store):
        """Each one goes on from where the last was killed, a point later."""
    _put_away(store)

    assert (False, False) == _places(store) and path not in store.memories()
    assert 1 == len(store.journal.read(store.store_id, types=["memory.redacted"]))
    assert 1 == len(store.journal.read(store.store_id, types=["memory.deleted"]))
