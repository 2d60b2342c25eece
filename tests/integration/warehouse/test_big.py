"""A drawn warehouse answers as a real one does."""

from __future__ import annotations

from pathlib import Path

import pytest

from nightschool.core.errors import InvalidInput
from nightschool.warehouse.big import LONG_SESSION, long_session_id, write_big
from nightschool.warehouse.reader import Reader, open_warehouse

EVENTS = 20_000

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Reader:
    path = tmp_path_factory.mktemp("big") / "nightschool.duckdb"
    write_big(path, EVENTS, manifest='{"suite": "drawn", "brain": "simulated"}', digest="d")
    return open_warehouse(path)


def test_every_session_has_its_events_and_the_long_one_has_many(drawn: Reader) -> None:
    sessions = drawn.query("SELECT session_id, events, status FROM v1_sessions ORDER BY events DESC")

    assert EVENTS // 20 + 1 == sessions.height
    assert (long_session_id(EVENTS), LONG_SESSION) == sessions.row(0)[:2]
    assert {20} == set(sessions["events"][1:])


def test_no_event_stands_twice_and_places_grow(drawn: Reader) -> None:
    total, ids, places = drawn.query(
        "SELECT count(*), count(DISTINCT event_id), count(DISTINCT position) FROM v1_events"
    ).row(0)

    assert total == ids == places


def test_trials_keep_the_rules_of_trials_and_call_themselves_simulated(drawn: Reader) -> None:
    trials = drawn.trials()

    assert EVENTS // 100 == trials.height
    assert trials["simulated"].all()
    assert trials.select("arm", "sample_id", "epoch").is_duplicated().sum() == 0


def test_every_result_answers_the_call_before_it(drawn: Reader) -> None:
    calls = drawn.query("SELECT status, count(*) AS n FROM v1_tool_calls GROUP BY status")

    assert 0 < calls["n"].sum()


def test_a_file_that_exists_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "nightschool.duckdb"
    path.write_bytes(b"mine")

    with pytest.raises(InvalidInput, match="exists"):
        write_big(path, EVENTS, manifest="{}", digest="")

    assert b"mine" == path.read_bytes()


def test_too_few_events_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="less than one trial"):
        write_big(tmp_path / "nightschool.duckdb", 99, manifest="{}", digest="")
