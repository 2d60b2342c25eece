"""A dream that is killed at any of fifty points ends, when it is done again, as the unbroken one."""

from __future__ import annotations

import os
import shutil
import signal
import time
from pathlib import Path

import pytest

from nightschool.core.clock import FrozenClock
from nightschool.core.ids import IdSource
from nightschool.dreaming.adopt import Adoption
from nightschool.dreaming.pipeline import Dreamer
from nightschool.dreaming.rules import SHARPENED
from nightschool.journal.journal import Journal
from nightschool.journal.writer import Writer
from nightschool.memory.heads import Heads
from nightschool.memory.store import MemoryStore
from tests.unit.dreaming.sessions import Sessions

pytestmark = [pytest.mark.integration, pytest.mark.crash, pytest.mark.timeout(300)]
POINTS = 50
WRITES = 16
"""Points right before and right after each of the dream's writes; the others are spread over its time."""


def _write(file: Path) -> None:
    journal = Journal.open(file, clock=FrozenClock())
    sessions = Sessions(journal)
    for number in range(12):
        sessions.add(
            f"s{number}",
            *("get_order", "check_stock", "update_order")
            if number % 3
            else ("get_order", "book_seat!sold out"),
            passed=number % 3 != 0,
            comment=f"Refunds take {number % 4} days.",
            on=number + 1,
        )
    journal.close()


def _dream(file: Path) -> str:
    """Dream and adopt what there is to adopt; return the hash of what sessions recall."""
    clock = FrozenClock()
    journal = Journal.open(file, clock=clock)
    ids = IdSource(clock=clock)
    result = Dreamer(journal=journal, clock=clock, ids=ids, rules=SHARPENED, name="default").dream()
    adoption = Adoption(journal=journal, clock=clock, ids=ids)
    if result.completed.status != "completed_no_change" and adoption.dreamt(result.dream_id).verdict is None:
        adoption.adopt(result.dream_id)
    head = Heads(journal=journal, clock=clock).get("default")
    store = MemoryStore(journal=journal, clock=clock, ids=ids, store_id=head.store_id)
    found = store.hash()
    journal.close()
    return found


def _die_at(file: Path, point: int) -> bool:
    """Dream in a process that kills itself at its ``point``-th write; return whether it got there."""
    child = os.fork()
    if child == 0:
        seen = 0
        whole = Writer.execute

        def execute(self: Writer, changes: object) -> object:
            nonlocal seen
            seen += 1
            if seen == (point + 1) // 2 and point % 2:
                os.kill(os.getpid(), signal.SIGKILL)
            done = whole(self, changes)  # type: ignore[arg-type]
            if seen == point // 2 and not point % 2:
                os.kill(os.getpid(), signal.SIGKILL)
            return done

        Writer.execute = execute  # type: ignore[assignment,method-assign]
        try:
            _dream(file)
        finally:
            os._exit(0)
    return os.waitpid(child, 0)[1] == signal.SIGKILL


def _die_after(file: Path, seconds: float) -> bool:
    """Dream in a process that is killed after a while; return whether it was still at it."""
    child = os.fork()
    if child == 0:
        try:
            _dream(file)
        finally:
            os._exit(0)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    return os.waitpid(child, 0)[1] == signal.SIGKILL


def test_a_killed_dream_ends_as_the_unbroken_one(tmp_path: Path) -> None:
    killed = 0
    original = tmp_path / "original.sqlite"
    _write(original)
    whole = tmp_path / "whole.sqlite"
    shutil.copy(original, whole)
    started = time.monotonic()
    expected = _dream(whole)
    took = time.monotonic() - started
    for point in range(1, POINTS + 1):
        file = tmp_path / f"killed{point}.sqlite"
        shutil.copy(original, file)
        killed += _die_at(file, point) if point <= WRITES else _die_after(file, took * point / POINTS)

        assert expected == _dream(file), point
    assert killed >= POINTS // 2
