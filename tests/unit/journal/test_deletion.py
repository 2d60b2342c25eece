from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from nightschool.core.clock import FrozenClock
from nightschool.core.ids import IdSource
from nightschool.events.base import TextBlock
from nightschool.events.user import UserMessage
from nightschool.journal.deletion import delete_sessions
from nightschool.journal.journal import Journal
from nightschool.journal.verify import verify


@pytest.fixture
def journal(tmp_path: Path, clock: FrozenClock) -> Iterator[Journal]:
    opened = Journal.open(tmp_path / "journal.sqlite", clock=clock)
    yield opened
    opened.close()


def _message(ids: IdSource) -> UserMessage:
    return UserMessage(id=ids.new("event"), content=(TextBlock(text="hello"),))


def test_a_deleted_session_is_gone_and_the_others_stay(journal: Journal, ids: IdSource) -> None:
    journal.append("sesn_a", [_message(ids), _message(ids)], epoch=1)
    journal.append("sesn_b", [_message(ids)], epoch=1)

    deletion = delete_sessions(journal, ["sesn_a", "sesn_ghost"])

    assert (2, 3) == (deletion.events, deletion.upto_position)
    assert ["sesn_b"] == journal.sessions()
    assert verify(journal).is_sound


def test_no_position_is_given_out_twice(journal: Journal, ids: IdSource) -> None:
    journal.append("sesn_a", [_message(ids)], epoch=1)
    delete_sessions(journal, ["sesn_a"])

    (entry,) = journal.append("sesn_c", [_message(ids)], epoch=1)

    assert 2 == entry.position


def test_a_session_of_the_same_id_starts_anew(journal: Journal, ids: IdSource) -> None:
    journal.append("sesn_a", [_message(ids)], epoch=7)
    delete_sessions(journal, ["sesn_a"])

    (entry,) = journal.append("sesn_a", [_message(ids)], epoch=1)

    assert (1, 1) == (entry.seq, entry.epoch)


def test_deleting_twice_is_deleting_once(journal: Journal, ids: IdSource) -> None:
    journal.append("sesn_a", [_message(ids)], epoch=1)
    delete_sessions(journal, ["sesn_a"])

    assert 0 == delete_sessions(journal, ["sesn_a"]).events
