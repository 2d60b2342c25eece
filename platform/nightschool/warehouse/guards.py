"""What must hold of the rows that enter, and of the trials that an analyst gets.

Knows nothing about where frames come from. Only what would make the log ambiguous or a mean wrong is refused;
odd values inside an event are the event's own.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

import polars as pl

from nightschool.core.errors import StoreCorrupt
from nightschool.warehouse.batch import Batch

if TYPE_CHECKING:  # takes 0.4 s to import: too long for every command, little for a sync
    from pandera.polars import Column, DataFrameSchema, PolarsData

__all__ = ["check_batch", "check_trials", "entering_schema", "trials_schema"]

_SCORES: Final = ("accuracy", "completeness", "consistency", "efficiency", "format", "recall", "precision")
_COUNTS: Final = ("input_tokens", "output_tokens", "tool_calls", "model_calls")


def check_batch(batch: Batch) -> Batch:
    """Return the batch as it is.

    Raises:
        StoreCorrupt: its rows would make the log ambiguous; names the column, the rule and a value.
    """
    schema = entering_schema()
    _hold(schema, pl.DataFrame(batch.events.select(list(schema.columns))), "the journal")
    return batch


def check_trials(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the frame as it is.

    Raises:
        StoreCorrupt: a score outside 0 to 1, a trial twice, or a result without its brain; names which.
    """
    _hold(trials_schema(), frame, "v1_trials")
    return frame


def _hold(schema: DataFrameSchema, frame: pl.DataFrame, what: str) -> None:
    from pandera.errors import SchemaError

    try:
        schema.validate(frame)
    except SchemaError as error:
        message = f"{what} breaks its rule: {error}. Run `nightschool verify`"
        raise StoreCorrupt(message, check=str(error.check)) from error


@cache
def entering_schema() -> DataFrameSchema:
    """Return what holds of every batch: places are there, grow and are given once; nothing is nameless."""
    from pandera.polars import Check, Column, DataFrameSchema

    named = Check.str_length(min_value=1)
    return DataFrameSchema(
        {
            "position": Column(pl.Int64, [Check.ge(1), Check(_is_growing, name="growing")]),
            "session_id": Column(pl.String, named),
            "seq": Column(pl.Int64, Check.ge(1)),
            "epoch": Column(pl.Int64, Check.ge(0)),
            "recorded_at": Column(pl.Datetime("us", "UTC")),
            "event_id": Column(pl.String, named),
            "type": Column(pl.String, named),
            "role": Column(pl.String, named),
        },
        unique=["session_id", "seq"],
    )


@cache
def trials_schema() -> DataFrameSchema:
    """Return what holds of every frame of trials."""
    from pandera.polars import Check, Column, DataFrameSchema

    columns: dict[str, Column] = {
        "experiment_id": Column(pl.String),
        "trial_id": Column(pl.String, unique=True),
        "arm": Column(pl.String),
        "sample_id": Column(pl.String),
        "epoch": Column(pl.Int64, Check.ge(0)),
        "status": Column(pl.String, Check.isin(["completed", "errored", "started"])),
        "simulated": Column(pl.Boolean),
        "duration_seconds": Column(pl.Float64, Check.ge(0), nullable=True),
        "cost_usd": Column(pl.Float64, Check.ge(0), nullable=True),
    }
    columns |= {name: Column(pl.Float64, Check.in_range(0, 1), nullable=True) for name in _SCORES}
    columns |= {name: Column(pl.Int64, Check.ge(0), nullable=True) for name in _COUNTS}
    return DataFrameSchema(columns, checks=Check(_results_name_their_brain, name="a result names its brain"))


def _is_growing(data: PolarsData) -> pl.LazyFrame:
    return data.lazyframe.select((pl.col(data.key).diff() > 0).fill_null(value=True))


def _results_name_their_brain(data: PolarsData) -> pl.LazyFrame:
    return data.lazyframe.select((pl.col("status") != "completed") | pl.col("brain").is_not_null())
