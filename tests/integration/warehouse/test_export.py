"""A log that leaves, is read by others, and comes back."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import polars as pl
import pytest

from nightschool.core.clock import FrozenClock
from nightschool.core.errors import InvalidInput, Malformed, NotFound, StoreBusy
from nightschool.events.union import parse_event
from nightschool.journal.journal import Journal
from nightschool.warehouse.export import export_log, import_log, read_manifest
from nightschool.warehouse.reader import open_warehouse
from nightschool.warehouse.schema import VIEWS
from nightschool.warehouse.store import Warehouse
from tests.integration.warehouse.memory_journal import a_session
from tests.integration.warehouse.other_process import held_elsewhere

ODD = '{"type":"future.thing","id":"sevt_odd","deep":{"a":[1,null,"\\n"]},"none":null}'


@pytest.fixture
def written(tmp_path: Path, clock: FrozenClock) -> Iterator[Journal]:
    """A journal with two interleaved sessions."""
    journal = Journal.open(tmp_path / "journal.sqlite", clock=clock)
    for event_a, event_b in zip(a_session("sesn_a"), a_session("sesn_b"), strict=True):
        journal.append("sesn_a", [event_a], epoch=1)
        journal.append("sesn_b", [event_b], epoch=1)
    journal.append("sesn_b", [parse_event(ODD)], epoch=1)
    yield journal
    journal.close()


@pytest.fixture
def exported(written: Journal, warehouse: Warehouse, tmp_path: Path) -> Path:
    """Its export."""
    export_log(tmp_path / "out", warehouse, written)
    return tmp_path / "out"


def test_an_export_is_readable_without_us(exported: Path, written: Journal) -> None:
    lines = [json.loads(line) for line in (exported / "events.jsonl").read_text().splitlines()]
    assert [json.loads(entry.body) for entry in written.tail(0, 100)] == [line["event"] for line in lines]
    assert {"position", "session_id", "seq", "epoch", "recorded_at", "event"} == set(lines[0])
    assert 2 == pl.read_parquet(exported / "v1_sessions.parquet").height
    assert 15 == pl.read_parquet(exported / "v1_events.parquet").height


def test_the_manifest_counts_and_hashes_everything(exported: Path) -> None:
    manifest = read_manifest(exported)
    assert (15, 2) == (manifest.events, manifest.sessions)
    assert {"events.jsonl", *(f"{view}.parquet" for view in VIEWS)} == set(manifest.files)


def test_a_log_that_comes_back_answers_the_same(
    exported: Path, written: Journal, path: Path, tmp_path: Path, clock: FrozenClock
) -> None:
    """Twice is once."""
    back = Journal.open(tmp_path / "back" / "journal.sqlite", clock=clock)
    for _ in range(2):
        import_log(exported, back)
    assert written.sessions() == back.sessions()
    for session in written.sessions():
        texts = [[(entry.seq, entry.body) for entry in log.read(session)] for log in (written, back)]
        assert texts[0] == texts[1]
    asked = "SELECT * EXCLUDE (position, recorded_at) FROM v1_events ORDER BY session_id, seq"
    with (
        open_warehouse(path, journal=written) as before,
        open_warehouse(tmp_path / "back" / "nightschool.duckdb", journal=back) as after,
    ):
        assert before.query(asked).rows() == after.query(asked).rows()
    back.close()


def test_an_export_does_not_overwrite(written: Journal, warehouse: Warehouse, exported: Path) -> None:
    with pytest.raises(InvalidInput, match="is not empty"):
        export_log(exported, warehouse, written)


def test_an_export_waits_for_nobody(
    written: Journal, warehouse: Warehouse, path: Path, tmp_path: Path
) -> None:
    warehouse.sync(written)
    written.append("sesn_a", [parse_event({"type": "user.interrupt", "id": "sevt_new"})], epoch=1)
    with held_elsewhere(path), pytest.raises(StoreBusy, match="open elsewhere"):
        export_log(tmp_path / "out", warehouse, written)


def _cut(folder: Path) -> None:
    (folder / "manifest.json").unlink()


def _change(folder: Path) -> None:
    path = folder / "events.jsonl"
    path.write_text(path.read_text().replace("read_section", "read_chapter"))


def _lose(folder: Path) -> None:
    (folder / "v1_trials.parquet").unlink()


def _garble(folder: Path) -> None:
    (folder / "manifest.json").write_text('{"format": "zip"}')


@pytest.mark.parametrize(
    ("damage", "kind", "complaint"),
    [
        (_cut, NotFound, r"it has no manifest\.json"),
        (_change, Malformed, r"events\.jsonl is not what was exported"),
        (_lose, Malformed, r"v1_trials\.parquet is missing"),
        (_garble, Malformed, r"manifest\.json is not the manifest"),
    ],
)
def test_a_damaged_export_is_refused_whole(
    exported: Path,
    tmp_path: Path,
    clock: FrozenClock,
    damage: Callable[[Path], None],
    kind: type[Exception],
    complaint: str,
) -> None:
    damage(exported)
    back = Journal.open(tmp_path / "back.sqlite", clock=clock)
    with pytest.raises(kind, match=complaint):
        import_log(exported, back)
    assert 0 == back.last_position()
    back.close()


def test_cold_sessions_leave_too(
    written: Journal, warehouse: Warehouse, tmp_path: Path, clock: FrozenClock
) -> None:
    from nightschool.warehouse.retention import archive

    warehouse.sync(written)
    clock.advance(100)
    archive(warehouse, before=clock.now())
    export_log(tmp_path / "out", warehouse, written)
    with duckdb.connect() as connection:
        count = connection.execute(
            f"SELECT count(*) FROM '{tmp_path / 'out' / 'v1_events.parquet'}'"
        ).fetchall()
    assert [(15,)] == count
