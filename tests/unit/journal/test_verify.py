"""Damage is found and named."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nightschool.core.clock import FrozenClock
from nightschool.core.ids import IdSource
from nightschool.events.agent import AgentMessage
from nightschool.events.base import TextBlock
from nightschool.journal.chain import START, digest, link
from nightschool.journal.journal import Journal
from nightschool.journal.verify import Row, examine, verify


@pytest.fixture
def filled(journal: Journal, ids: IdSource) -> Journal:
    """Two sessions of five events each, written in turns."""
    for number in range(5):
        for session_id in ("sesn_a", "sesn_b"):
            text = TextBlock(text=f"{session_id} {number}")
            journal.append(session_id, [AgentMessage(id=ids.new("event"), content=(text,))], epoch=1)
    return journal


def _damage(path: Path, statement: str) -> None:
    connection = sqlite3.connect(path)
    with connection:
        connection.execute(statement)
    connection.close()


def test_a_sound_journal_is_found_sound(filled: Journal) -> None:
    found = verify(filled)

    assert found.is_sound
    assert () == found.problems
    assert (2, 10) == (found.sessions, found.events)
    assert {"sesn_a": 5, "sesn_b": 5} == dict(found.last_seq)


def test_an_empty_journal_is_sound(journal: Journal) -> None:
    assert (True, 0) == (verify(journal).is_sound, verify(journal).events)


@pytest.mark.parametrize(
    "change",
    [
        "body = replace(body, 'sesn_a 2', 'sesn_a 7')",
        "epoch = 2",
        "recorded_at = recorded_at + 1",
        "hash = zeroblob(32)",
    ],
)
def test_a_changed_row_is_named(filled: Journal, path: Path, change: str) -> None:
    _damage(path, f"UPDATE event SET {change} WHERE position = 5")

    first = verify(filled).problems[0]

    assert ("sesn_a", 3, 5) == (first.session_id, first.seq, first.position)
    assert str(first).startswith("session sesn_a, event 3 (position 5): its hash does not fit")


def test_a_changed_body_does_not_make_its_successors_suspect(filled: Journal, path: Path) -> None:
    _damage(path, "UPDATE event SET body = replace(body, 'sesn_a 2', 'sesn_a 7') WHERE position = 5")

    assert [5] == [problem.position for problem in verify(filled).problems]


def test_a_missing_row_is_named(filled: Journal, path: Path) -> None:
    _damage(path, "DELETE FROM event WHERE position = 5")

    found = verify(filled)

    assert "event 3 is missing before it" == found.problems[0].what
    assert {("sesn_a", 4)} == {(problem.session_id, problem.seq) for problem in found.problems}


def test_several_missing_rows_are_one_gap(filled: Journal, path: Path) -> None:
    _damage(path, "DELETE FROM event WHERE position IN (1, 3)")

    assert "events 1 to 2 are missing before it" == verify(filled).problems[0].what


def test_swapped_rows_are_noticed(filled: Journal, path: Path) -> None:
    """Each row by itself would still look well."""
    _damage(path, "UPDATE event SET seq = -seq WHERE position IN (3, 5)")
    _damage(path, "UPDATE event SET seq = CASE position WHEN 3 THEN 3 ELSE 2 END WHERE position IN (3, 5)")

    assert not verify(filled).is_sound


def test_an_event_of_no_session_is_noticed(filled: Journal, path: Path) -> None:
    _damage(path, "DELETE FROM session WHERE session_id = 'sesn_b'")

    found = verify(filled)

    assert "belongs to no session" in found.problems[0].what
    assert (5, 1) == (found.problem_count, found.sessions)


def test_columns_that_contradict_the_body_are_noticed(filled: Journal, path: Path) -> None:
    _damage(path, "UPDATE event SET type = 'user.message' WHERE position = 1")

    assert ["its body says type 'agent.message', its row says 'user.message'"] == [
        problem.what for problem in verify(filled).problems
    ]


def test_a_body_that_is_no_json_object_is_noticed(filled: Journal, path: Path) -> None:
    _damage(path, "UPDATE event SET body = '[1' WHERE position = 1")

    assert "its body is not a JSON object" in [problem.what for problem in verify(filled).problems]


def test_only_the_first_hundred_problems_are_named_but_all_are_counted(journal: Journal, path: Path) -> None:
    events = [AgentMessage(id=f"sevt_{number}", content=()) for number in range(150)]
    journal.append("sesn_a", events, epoch=1)
    _damage(path, "UPDATE event SET type = 'x'")

    found = verify(journal)

    assert (100, 150) == (len(found.problems), found.problem_count)


def test_a_torn_page_is_reported_not_raised(filled: Journal, path: Path, clock: FrozenClock) -> None:
    filled.close()
    data = bytearray(path.read_bytes())
    place = data.rindex(b"sesn_a 4")
    page = place // 4096 * 4096
    data[page : page + 64] = b"\xff" * 64
    path.write_bytes(data)
    journal = Journal.open(path, clock=clock)

    found = verify(journal)

    assert not found.is_sound
    assert "is not a sound journal" in found.problems[-1].what
    journal.close()


def _chain(bodies: list[str]) -> list[Row]:
    rows, before = [], START
    for seq, body in enumerate(bodies, start=1):
        before = link(before, digest(body), session_id="s", seq=seq, epoch=1, recorded_at=seq)
        rows.append(Row(seq, "s", seq, 1, seq, f"e{seq}", "t", body, before))
    return rows


BODIES = st.lists(st.text(max_size=5), min_size=1, max_size=8)


@settings(deadline=None)
@given(BODIES, st.data())
def test_any_change_of_any_row_is_found(texts: list[str], data: st.DataObject) -> None:
    bodies = [f'{{"id": "e{seq}", "type": "t", "x": {len(text)}}}' for seq, text in enumerate(texts, start=1)]
    rows = _chain(bodies)
    assert [] == [problem for _, found in examine(rows) for problem in found]

    place = data.draw(st.integers(0, len(rows) - 1))
    row = rows[place]
    changes = [
        row._replace(body=row.body + " "),
        row._replace(epoch=9),
        row._replace(recorded_at=99),
        row._replace(hash=START),
        row._replace(seq=99),
    ]
    rows[place] = data.draw(st.sampled_from(changes))

    assert any(found for _, found in examine(rows))
