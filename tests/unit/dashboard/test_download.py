"""Frames as files."""

from __future__ import annotations

import io
import json

import polars as pl
from polars.testing import assert_frame_equal

from nightschool.dashboard.charts import Difference, Estimate
from nightschool.dashboard.download import csv_of, numbers_of, parquet_of


def test_a_part_of_a_row_is_spread_over_columns_that_carry_its_name() -> None:
    estimate = Estimate(value=0.1, low=-0.2, high=0.3, n=8)

    frame = numbers_of([Difference(treatment="b", baseline="a", estimate=estimate, verdict="undecided")])

    assert {
        "treatment": "b",
        "baseline": "a",
        "estimate_value": 0.1,
        "estimate_low": -0.2,
        "estimate_high": 0.3,
        "estimate_n": 8,
        "verdict": "undecided",
    } == frame.row(0, named=True)


def test_lists_and_structures_are_json_in_a_csv_field() -> None:
    frame = pl.DataFrame({"a": [[1, 2], None], "b": [{"x": "ä,\n"}, {"x": None}]})

    back = pl.read_csv(io.StringIO(csv_of(frame)))

    assert [1, 2] == json.loads(back["a"][0])
    assert back["a"][1] is None
    assert {"x": "ä,\n"} == json.loads(back["b"][0])


def test_a_parquet_file_gives_back_the_frame() -> None:
    frame = pl.DataFrame({"a": [1, 2], "b": [[1.5], []], "c": ["x", None]})

    assert_frame_equal(frame, pl.read_parquet(io.BytesIO(parquet_of(frame))))
