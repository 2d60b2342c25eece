"""Which rows are refused, and which odd ones are not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import polars as pl
import pyarrow as pa
import pytest

from nightschool.core.errors import StoreCorrupt
from nightschool.warehouse.batch import Batch, batch_of
from nightschool.warehouse.guards import check_batch, check_trials
from tests.integration.warehouse.memory_journal import MemoryJournal, a_session


def batch_with(**columns: list[Any]) -> Batch:
    journal = MemoryJournal()
    journal.append("sesn_a", *a_session("sesn_a")[:3])
    batch = batch_of(journal.entries)
    events = batch.events
    for name, values in columns.items():
        index = events.schema.get_field_index(name)
        events = events.set_column(index, name, pa.array(values, events.schema.field(name).type))
    return replace(batch, events=events)


def trials_with(**columns: Any) -> pl.DataFrame:
    row: dict[str, Any] = {
        "experiment_id": "exp_1",
        "trial_id": "trial_1",
        "arm": "single",
        "sample_id": "c-1",
        "epoch": 0,
        "status": "completed",
        "simulated": False,
        "brain": "reader",
        "duration_seconds": 1.0,
        "cost_usd": None,
        **dict.fromkeys(("accuracy", "completeness", "consistency", "efficiency"), 0.5),
        **dict.fromkeys(("format", "recall", "precision"), 1.0),
        **dict.fromkeys(("input_tokens", "output_tokens", "tool_calls", "model_calls"), 1),
    }
    schema = {"cost_usd": pl.Float64}
    return pl.DataFrame([{**row, **columns}], schema_overrides=schema)


def test_a_sound_batch_passes() -> None:
    batch = batch_with()
    assert batch is check_batch(batch)


@pytest.mark.parametrize(
    ("columns", "complaint"),
    [
        ({"position": [2, 2, 3]}, "growing"),
        ({"position": [0, 1, 2]}, "position"),
        ({"seq": [1, 1, 2]}, "seq"),
        ({"seq": [0, 1, 2]}, "seq"),
        ({"event_id": ["a", "", "c"]}, "event_id"),
        ({"session_id": ["a", None, "c"]}, "session_id"),
        ({"recorded_at": [None, None, None]}, "recorded_at"),
    ],
)
def test_rows_that_would_make_the_log_ambiguous_are_refused(columns: dict[str, Any], complaint: str) -> None:
    with pytest.raises(StoreCorrupt, match=f"the journal breaks its rule: .*{complaint}"):
        check_batch(batch_with(**columns))


def test_odd_values_of_an_event_are_the_events_own() -> None:
    batch = batch_with(duration_ms=[-1.0, None, None], input_tokens=[-5, None, None])
    assert batch is check_batch(batch)


def test_sound_trials_pass() -> None:
    frame = trials_with()
    assert frame is check_trials(frame)


@pytest.mark.parametrize(
    ("columns", "complaint"),
    [
        ({"accuracy": 1.5}, "accuracy"),
        ({"status": "done"}, "status"),
        ({"brain": None}, "a result names its brain"),
        ({"epoch": -1}, "epoch"),
    ],
)
def test_trials_that_would_make_a_mean_wrong_are_refused(columns: dict[str, Any], complaint: str) -> None:
    with pytest.raises(StoreCorrupt, match=f"v1_trials breaks its rule: (.|\n)*{complaint}"):
        check_trials(trials_with(**columns))


def test_a_trial_twice_is_refused() -> None:
    with pytest.raises(StoreCorrupt, match="trial_id"):
        check_trials(pl.concat([trials_with(), trials_with()]))
