"""Processes that write, copy and read, all killed at random moments: the log and its copy are as promised."""

from __future__ import annotations

import random
from itertools import islice
from pathlib import Path

import pytest

from nightschool.journal.entry import Entry
from tests.integration.log.nursery import Nursery
from tests.integration.log.parts import appends
from tests.integration.log.sound import Folder, assert_warehouse_is_journal, catch_up, everything

pytestmark = [pytest.mark.integration, pytest.mark.crash]

PARTS = ("write", "sync", "read")
LONGEST_MILLISECONDS = 250


def _kill_in_turn(nursery: Nursery, moments: random.Random, *, at_work: bool) -> None:
    """Start all three and kill each at its own moment, in any order; soon, or once all are at work."""
    for part in PARTS:
        nursery.start(part)
    if at_work:
        nursery.await_more("synced")
        nursery.await_more("answered")
    for part in moments.sample(PARTS, len(PARTS)):
        status = nursery.kill(part, after_milliseconds=moments.randrange(LONGEST_MILLISECONDS))
        assert -9 == status, nursery.error(part)


def _assert_kept(folder: Folder, entries: list[Entry]) -> None:
    """What is stored is whole appends in their order, none twice, and all that were acknowledged."""
    stored = [(entry.session_id, entry.event_id) for entry in entries]
    acknowledged = _last(folder, "acknowledged")
    expected: list[tuple[str, str]] = []
    for number, session_id, events in appends():
        if len(expected) >= len(stored):
            assert number > acknowledged, f"append {acknowledged} was acknowledged and is lost"
            break
        expected += [(session_id, event.id) for event in events]
    assert expected == stored


def _last(folder: Folder, notes: str) -> int:
    path = folder.path / notes
    lines = path.read_text().splitlines() if path.exists() else []
    return int(lines[-1]) if lines else -1


def _torment(path: Path, *, seed: int, rounds: int) -> None:
    folder, moments = Folder(path), random.Random(seed)
    with Nursery(folder) as nursery:
        for number in range(rounds):
            _kill_in_turn(nursery, moments, at_work=number % 2 == 1)
            if folder.journal.exists():
                entries = everything(folder)
                _assert_kept(folder, entries)
                catch_up(folder)
                assert_warehouse_is_journal(folder, entries)
        for part, notes in (("write", "acknowledged"), ("read", "answered")):
            assert "" == nursery.error(part)
            assert _last(folder, notes) > 0, "it must really have been at work"
    assert (folder.path / "synced").exists()


def test_eight_random_moments(tmp_path: Path) -> None:
    _torment(tmp_path, seed=8, rounds=8)


@pytest.mark.nightly
@pytest.mark.timeout(600)
@pytest.mark.parametrize("seed", range(10))
def test_a_hundred_random_moments(tmp_path: Path, seed: int) -> None:
    """Ten moments in each of ten folders."""
    _torment(tmp_path, seed=seed, rounds=10)


def test_the_writers_appends_are_counted_as_the_reader_counts_them() -> None:
    from tests.integration.log.parts import _events_of

    sizes = [len(events) for _, _, events in islice(appends(), 20)]

    assert [sum(sizes[: last + 1]) for last in range(20)] == [_events_of(last) for last in range(20)]
