"""Appending to one journal and reading it back."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from threading import Thread

import pytest

from nightschool.core.clock import FrozenClock
from nightschool.core.errors import (
    InvalidInput,
    Malformed,
    NotFound,
    StaleWriter,
    StoreBusy,
    StoreCorrupt,
    StoreError,
    StoreUnwritable,
)
from nightschool.events.agent import AgentMessage
from nightschool.events.union import UnknownEvent, dump_event, parse_event
from nightschool.journal.connection import connect
from nightschool.journal.journal import Journal
from nightschool.journal.verify import verify

Say = Callable[[str], AgentMessage]


def test_an_appended_event_is_read_back_with_its_place(
    journal: Journal, clock: FrozenClock, say: Say
) -> None:
    event = say("hello")

    (appended,) = journal.append("sesn_a", [event], epoch=1)
    (entry,) = journal.read("sesn_a")

    assert appended == entry
    assert event == entry.event
    assert dump_event(event) == entry.body
    assert (1, 1, 1) == (entry.position, entry.seq, entry.epoch)
    assert clock.now() == entry.recorded_at
    assert (event.id, event.type) == (entry.event_id, entry.type)


def test_every_session_counts_from_one_and_positions_run_through_all(journal: Journal, say: Say) -> None:
    journal.append("sesn_a", [say("1"), say("2")], epoch=1)
    journal.append("sesn_b", [say("3")], epoch=1)
    journal.append("sesn_a", [say("4")], epoch=1)

    assert [1, 2, 3] == [entry.seq for entry in journal.read("sesn_a")]
    assert [1] == [entry.seq for entry in journal.read("sesn_b")]
    assert [1, 2, 3, 4] == [entry.position for entry in journal.tail(0, 100)]
    assert 4 == journal.last_position()


def test_the_same_event_again_is_its_first_entry(journal: Journal, say: Say) -> None:
    first, second = say("first"), say("second")
    stored = journal.append("sesn_a", [first], epoch=1)

    again = journal.append("sesn_a", [first, second, second], epoch=2)

    assert stored == again[:1]
    assert [1, 2, 2] == [entry.seq for entry in again]
    assert [1, 2] == [entry.seq for entry in journal.read("sesn_a")]


def test_an_event_id_belongs_to_one_session(journal: Journal, say: Say) -> None:
    event = say("mine")
    journal.append("sesn_a", [event], epoch=1)

    with pytest.raises(InvalidInput, match=f"{event.id} belongs to session sesn_a"):
        journal.append("sesn_b", [say("other"), event], epoch=1)

    assert [] == journal.read("sesn_b")
    assert ["sesn_a"] == journal.sessions()


def test_a_writer_of_an_older_epoch_is_refused_and_nothing_written(journal: Journal, say: Say) -> None:
    journal.append("sesn_a", [say("old writer")], epoch=1)
    assert 2 == journal.raise_epoch("sesn_a")

    with pytest.raises(StaleWriter) as refused:
        journal.append("sesn_a", [say("too late")], epoch=1)

    assert {"session_id": "sesn_a", "epoch": 1, "current_epoch": 2} == refused.value.details
    assert "epoch is 1, the session's is now 2" in refused.value.message
    assert 1 == len(journal.read("sesn_a"))
    assert 2 == journal.append("sesn_a", [say("new writer")], epoch=2)[0].seq


def test_a_new_session_has_epoch_zero(journal: Journal, say: Say) -> None:
    assert 0 == journal.epoch("sesn_a")
    journal.append("sesn_a", [say("x")], epoch=1)
    assert 1 == journal.epoch("sesn_a")


def test_a_raised_epoch_alone_makes_no_session(journal: Journal) -> None:
    assert 1 == journal.raise_epoch("sesn_a")
    assert [] == journal.sessions()


@pytest.mark.parametrize(
    ("bounds", "expected"),
    [
        ({}, [1, 2, 3, 4, 5]),
        ({"after": 2}, [3, 4, 5]),
        ({"before": 3}, [1, 2]),
        ({"after": 1, "before": 5}, [2, 3, 4]),
        ({"limit": 2}, [1, 2]),
        ({"after": 1, "limit": 2}, [2, 3]),
        ({"before": 5, "limit": 2}, [3, 4]),
        ({"limit": 0}, []),
        ({"types": ["agent.message"]}, [1, 2, 3, 5]),
        ({"types": ["later.kind"]}, [4]),
        ({"types": []}, []),
    ],
)
def test_reading_is_bounded(
    journal: Journal, say: Say, bounds: dict[str, object], expected: list[int]
) -> None:
    odd = UnknownEvent(type="later.kind", id="sevt_odd")
    journal.append("sesn_a", [say("1"), say("2"), say("3"), odd, say("5")], epoch=1)

    assert expected == [entry.seq for entry in journal.read("sesn_a", **bounds)]  # type: ignore[arg-type]


def test_an_event_of_an_unknown_type_is_kept_whole(journal: Journal) -> None:
    event = parse_event('{"type": "later.kind", "id": "sevt_odd", "shape": {"a": [1, 2]}}')

    journal.append("sesn_a", [event], epoch=1)

    assert event == journal.read("sesn_a")[0].event


def test_the_tail_goes_on_from_a_position(journal: Journal, say: Say) -> None:
    journal.append("sesn_a", [say(str(number)) for number in range(5)], epoch=1)

    assert [3, 4] == [entry.position for entry in journal.tail(2, 2)]
    assert [] == journal.tail(5, 10)


def test_sessions_are_listed_oldest_first_by_prefix(journal: Journal, say: Say) -> None:
    for session_id in ("sesn_b", "exp_1", "sesn_a", "SESN_c"):
        journal.append(session_id, [say("x")], epoch=1)

    assert ["sesn_b", "exp_1", "sesn_a", "SESN_c"] == journal.sessions()
    assert ["sesn_b", "sesn_a"] == journal.sessions(prefix="sesn_")


def test_what_was_written_is_there_after_opening_again(path: Path, clock: FrozenClock, say: Say) -> None:
    first = Journal.open(path, clock=clock)
    written = first.append("sesn_a", [say("x")], epoch=1)
    first.close()

    again = Journal.open(path, clock=clock)

    assert written == again.read("sesn_a")
    assert 2 == again.append("sesn_a", [say("y")], epoch=1)[0].position
    again.close()


def test_a_reader_sees_each_commit_of_a_writer(
    path: Path, journal: Journal, clock: FrozenClock, say: Say
) -> None:
    reader = Journal.open(path, clock=clock, read_only=True)
    assert [] == reader.tail(0, 10)

    journal.append("sesn_a", [say("x")], epoch=1)

    assert 1 == len(reader.tail(0, 10))
    with pytest.raises(StoreUnwritable, match="reading only"):
        reader.append("sesn_a", [say("y")], epoch=1)
    reader.close()


def test_appends_of_many_threads_share_commits_and_leave_no_gap(journal: Journal, say: Say) -> None:
    events = {f"sesn_{name}": [say(f"{name}{number}") for number in range(20)] for name in "abcdefgh"}

    def write(session_id: str) -> None:
        for event in events[session_id]:
            journal.append(session_id, [event], epoch=1)
            journal.append("sesn_shared", [event.model_copy(update={"id": event.id + "s"})], epoch=1)

    _run_threads(partial(write, session_id) for session_id in events)

    for session_id, written in events.items():
        assert written == [entry.event for entry in journal.read(session_id)]
    shared = journal.read("sesn_shared")
    assert list(range(1, 161)) == [entry.seq for entry in shared]
    assert list(range(1, 321)) == [entry.position for entry in journal.tail(0, 1000)]


def test_one_refused_writer_does_not_hold_up_the_others(journal: Journal, say: Say) -> None:
    journal.raise_epoch("sesn_taken")
    journal.raise_epoch("sesn_taken")
    refused: list[StaleWriter] = []

    def stale() -> None:
        for _ in range(10):
            with pytest.raises(StaleWriter) as error:
                journal.append("sesn_taken", [say("x")], epoch=1)
            refused.append(error.value)

    def good(name: str) -> None:
        for _ in range(10):
            journal.append(name, [say("x")], epoch=1)

    _run_threads([stale, lambda: good("sesn_a"), lambda: good("sesn_b")])

    assert 10 == len(refused)
    assert 20 == journal.last_position()


def test_no_events_are_no_append(journal: Journal) -> None:
    assert [] == journal.append("sesn_a", [], epoch=1)
    assert 0 == journal.epoch("sesn_a")


def test_an_append_needs_ids(journal: Journal, say: Say) -> None:
    with pytest.raises(InvalidInput, match="session id"):
        journal.append("", [say("x")], epoch=1)
    with pytest.raises(InvalidInput, match=r"agent\.message event has an empty id"):
        journal.append("sesn_a", [say("x").model_copy(update={"id": ""})], epoch=1)


def test_opening_makes_the_folder(tmp_path: Path, clock: FrozenClock) -> None:
    Journal.open(tmp_path / "a" / "b" / "journal.sqlite", clock=clock).close()

    assert (tmp_path / "a" / "b" / "journal.sqlite").is_file()


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path, clock: FrozenClock) -> None:
    (tmp_path / "file").write_text("in the way")

    with pytest.raises(StoreUnwritable, match=r"file/data cannot be made: Not a directory.*--data"):
        Journal.open(tmp_path / "file" / "data" / "journal.sqlite", clock=clock)


def test_a_folder_in_place_of_the_file_is_named(tmp_path: Path, clock: FrozenClock) -> None:
    with pytest.raises(StoreUnwritable, match="is a folder"):
        Journal.open(tmp_path, clock=clock)


def test_reading_where_nothing_was_run_says_so(path: Path, clock: FrozenClock) -> None:
    with pytest.raises(NotFound, match="nothing has been run"):
        Journal.open(path, clock=clock, read_only=True)


def test_a_file_that_is_no_journal_is_named_and_left_alone(tmp_path: Path, clock: FrozenClock) -> None:
    path = tmp_path / "journal.sqlite"
    path.write_text("a letter to a friend\n" * 100)

    with pytest.raises(StoreCorrupt, match=r"journal\.sqlite is not a sound journal.*doctor"):
        Journal.open(path, clock=clock)

    assert path.read_text().startswith("a letter")


def test_a_file_of_a_newer_version_is_refused(path: Path, journal: Journal, clock: FrozenClock) -> None:
    connection = connect(path, read_only=False, busy_seconds=1)
    connection.execute("INSERT INTO schema_version VALUES (9999, 'future', 'then')")
    connection.close()

    with pytest.raises(StoreError, match=r"schema 9999.*newer nightschool"):
        Journal.open(path, clock=clock)


def test_a_full_disk_loses_nothing_acknowledged_and_writing_goes_on_later(
    path: Path, clock: FrozenClock, say: Say
) -> None:
    """SQLite's page limit stands in for the disk's end; the real thing is in tests/integration."""
    journal = Journal.open(path, clock=clock)
    journal.append("sesn_a", [say("kept")], epoch=1)
    pages = journal.transact(lambda connection: connection.execute("PRAGMA page_count").fetchone()[0])
    journal.transact(lambda connection: connection.execute(f"PRAGMA max_page_count = {pages}").fetchone()[0])

    with pytest.raises(StoreError) as full:
        journal.append("sesn_a", [say("too much" * 5000)], epoch=1)

    assert "store_full" == full.value.code
    assert str(path) in full.value.message
    journal.transact(lambda connection: connection.execute("PRAGMA max_page_count = 100000").fetchone()[0])
    journal.append("sesn_a", [say("more" * 5000)], epoch=1)
    assert [1, 2] == [entry.seq for entry in journal.read("sesn_a")]
    journal.close()


def test_a_file_held_too_long_by_somebody_else_is_busy(path: Path, clock: FrozenClock, say: Say) -> None:
    journal = Journal.open(path, clock=clock, busy_seconds=0.0)
    other = connect(path, read_only=False, busy_seconds=0.0)
    other.execute("BEGIN IMMEDIATE")

    with pytest.raises(StoreBusy, match="Try again") as busy:
        journal.append("sesn_a", [say("x")], epoch=1)

    assert busy.value.retryable
    other.execute("ROLLBACK")
    other.close()
    assert 1 == journal.append("sesn_a", [say("x")], epoch=1)[0].seq
    journal.close()


def test_a_change_that_fails_halfway_leaves_nothing_behind(journal: Journal, say: Say) -> None:
    def half(connection: sqlite3.Connection) -> None:
        connection.execute("INSERT INTO session VALUES (99, 'sesn_half', 1)")
        raise InvalidInput("changed its mind")

    with pytest.raises(InvalidInput, match="changed its mind"):
        journal.transact(half)

    assert [] == journal.sessions()
    assert 1 == journal.append("sesn_a", [say("x")], epoch=1)[0].position


def test_a_closed_journal_says_so(path: Path, clock: FrozenClock, say: Say) -> None:
    journal = Journal.open(path, clock=clock)
    journal.close()
    journal.close()

    with pytest.raises(StoreError, match="closed"):
        journal.append("sesn_a", [say("x")], epoch=1)
    with pytest.raises(StoreError, match="closed"):
        journal.read("sesn_a")


def test_a_thread_still_waiting_when_the_journal_closes_returns(journal: Journal) -> None:
    waited: list[bool] = []
    thread = Thread(target=lambda: waited.append(journal.wait_beyond(0, timeout_seconds=60)))
    thread.start()

    journal.close()
    thread.join(10)

    assert [False] == waited


def test_waiting_ends_with_a_new_entry_or_with_the_time(
    path: Path, journal: Journal, clock: FrozenClock, say: Say
) -> None:
    reader = Journal.open(path, clock=clock, read_only=True)
    assert not reader.wait_beyond(0, timeout_seconds=0.01)

    journal.append("sesn_a", [say("x")], epoch=1)

    assert reader.wait_beyond(0, timeout_seconds=0)
    assert not reader.wait_beyond(1, timeout_seconds=0)
    reader.close()


def test_an_event_is_read_with_what_is_around_it(journal: Journal, say: Say) -> None:
    events = [say(str(number)) for number in range(7)]
    journal.append("sesn_a", events, epoch=1)

    assert [3, 4, 5] == [entry.seq for entry in journal.around("sesn_a", events[3].id, radius=1)]
    assert [1, 2, 3] == [entry.seq for entry in journal.around("sesn_a", events[0].id, radius=2)]
    assert [4] == [entry.seq for entry in journal.around("sesn_a", events[3].id, radius=0)]
    with pytest.raises(NotFound, match="sesn_b has no event"):
        journal.around("sesn_b", events[0].id, radius=1)


def test_many_events_in_one_append_stay_in_order(journal: Journal, say: Say) -> None:
    events = [say(str(number)) for number in range(200)]

    entries = journal.append("sesn_a", events, epoch=1)

    assert events == [entry.event for entry in entries] == [entry.event for entry in journal.read("sesn_a")]


def test_heads_are_not_remembered_over_another_process_append(
    path: Path, journal: Journal, clock: FrozenClock, say: Say
) -> None:
    """What the writer remembers to save look-ups must not outlive somebody else's commit."""
    other = Journal.open(path, clock=clock)

    written = [
        writer.append("sesn_a", [say("x")], epoch=1)[0]
        for writer in (journal, journal, other, journal, other, other, journal)
    ]

    assert list(range(1, 8)) == [entry.seq for entry in written] == [entry.position for entry in written]
    other.raise_epoch("sesn_a")
    with pytest.raises(StaleWriter):
        journal.append("sesn_a", [say("x")], epoch=1)
    assert verify(journal).is_sound
    other.close()


def test_a_stored_body_that_cannot_be_read_names_its_event(path: Path, journal: Journal, say: Say) -> None:
    event = say("x")
    journal.append("sesn_a", [event], epoch=1)
    connection = connect(path, read_only=False, busy_seconds=1)
    connection.execute("UPDATE event SET body = '{}'")
    connection.close()

    with pytest.raises(Malformed, match=rf"session sesn_a, event 1 \({event.id}\).*nightschool verify"):
        _ = journal.read("sesn_a")[0].event


def _run_threads(works: Iterable[Callable[[], None]]) -> None:
    threads = [Thread(target=work) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=20)
    assert not any(thread.is_alive() for thread in threads)
