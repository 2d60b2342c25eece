"""Transcripts in the log and in the views."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from nightschool.core.clock import FrozenClock
from nightschool.core.errors import Malformed, NightschoolError
from nightschool.experiments.importers.imported import write, write_streamed
from nightschool.experiments.importers.tau_bench import SOURCE, parse
from nightschool.journal.append import Append, Placed
from nightschool.journal.journal import Journal
from nightschool.warehouse.reader import open_warehouse

SAMPLE = Path(__file__).parents[3] / "unit/experiments/importers/tau-bench-sample.json"
REAL = os.environ.get("NIGHTSCHOOL_TAU_BENCH")


@pytest.fixture
def journal(tmp_path: Path, clock: FrozenClock) -> Iterator[Journal]:
    opened = Journal.open(tmp_path / "journal.sqlite", clock=clock)
    yield opened
    opened.close()


def sample(journal: Journal) -> list[tuple[int, int]]:
    """Import the sample twice; return what each time found and added."""
    outcomes = [write(parse(SAMPLE, model="gpt-4o", domain="library"), journal) for _ in range(2)]
    return [(outcome.sessions, outcome.added) for outcome in outcomes]


def test_importing_again_adds_nothing(journal: Journal) -> None:
    assert [(2, 2), (2, 0)] == sample(journal)
    assert 2 == len(journal.sessions())


def test_an_import_that_was_killed_is_completed_by_the_next(journal: Journal) -> None:
    first = next(parse(SAMPLE, model="gpt-4o", domain="library"))
    write([first], journal)
    assert [(2, 1), (2, 0)] == sample(journal)


def test_a_session_woken_since_is_imported_again_without_harm(journal: Journal) -> None:
    sample(journal)
    journal.raise_epoch(journal.sessions()[0])
    assert [(2, 0), (2, 0)] == sample(journal)


def test_a_broken_file_leaves_nothing_behind(journal: Journal, tmp_path: Path) -> None:
    path = tmp_path / "gpt-4o-library.json"
    path.write_text(SAMPLE.read_text().replace('"trial": 1', '"trial": "x"'))
    with pytest.raises(Malformed, match="record 1, `trial`"):
        write(parse(path), journal)
    assert 0 == journal.last_position()


def test_imported_sessions_stand_in_the_same_views(journal: Journal, tmp_path: Path) -> None:
    sample(journal)
    with open_warehouse(tmp_path / "nightschool.duckdb", journal=journal) as reader:
        rows = reader.query(
            "SELECT source, agent, model, sample_id, sample_epoch, tool_calls, tool_errors, feedback,"
            " started_at FROM v1_sessions ORDER BY sample_epoch"
        ).rows()
    expected = [
        (SOURCE, "tau-bench-library", "gpt-4o", "0", 0, 2, 1, 1.0, None),
        (SOURCE, "tau-bench-library", "gpt-4o", "0", 1, 0, 0, 0.0, None),
    ]
    assert expected == rows


@pytest.mark.skipif(REAL is None, reason="NIGHTSCHOOL_TAU_BENCH names no file of 200 trajectories")
def test_the_published_airline_file_gives_two_hundred_sessions(journal: Journal) -> None:
    assert REAL is not None
    outcomes = [write(parse(Path(REAL)), journal) for _ in range(2)]
    assert [(200, 200), (200, 0)] == [(outcome.sessions, outcome.added) for outcome in outcomes]
    assert 200 == len(journal.sessions())


class Killed(BaseException):
    """The process is gone."""


class Dying:
    """A journal whose process dies after so many writes."""

    def __init__(self, journal: Journal, writes: int) -> None:
        self._journal, self._left = journal, writes
        self.epoch, self.last_position = journal.epoch, journal.last_position

    def append_all(self, appends: Sequence[Append], /) -> Sequence[Placed | NightschoolError]:
        if not self._left:
            raise Killed
        self._left -= 1
        return self._journal.append_all(appends)


@pytest.mark.parametrize("writes", [0, 1, 2])
def test_an_import_killed_between_writes_left_whole_sessions_and_is_completed(
    writes: int, journal: Journal, tmp_path: Path
) -> None:
    record = json.loads(SAMPLE.read_text("utf-8"))[0]
    path = tmp_path / "gpt-4o-library.json"
    path.write_text(json.dumps([{**record, "task_id": number} for number in range(150)]))
    whole = {each.session_id: len(each.events) for each in parse(path)}
    with pytest.raises(Killed):
        write_streamed(lambda: parse(path), Dying(journal, writes))
    kept = journal.sessions()
    assert 64 * writes == len(kept)
    assert [whole[each] for each in kept] == [len(journal.read(each)) for each in kept]
    again, once_more = (write_streamed(lambda: parse(path), journal) for _ in range(2))
    assert [150 - 64 * writes, 0] == [again.added, once_more.added]
    assert whole.keys() == set(journal.sessions())
