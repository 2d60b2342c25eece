"""Frames as files to take away. Pure; knows nothing about pages."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, is_dataclass
from typing import Any

import polars as pl

__all__ = ["csv_of", "numbers_of", "parquet_of"]


def csv_of(frame: pl.DataFrame) -> str:
    """Return a frame as CSV; lists and structures inside it become JSON."""
    return _with_text(frame).write_csv()


def parquet_of(frame: pl.DataFrame) -> bytes:
    """Return a frame as a Parquet file, with its types."""
    file = io.BytesIO()
    frame.write_parquet(file)
    return file.getvalue()


def _with_text(frame: pl.DataFrame) -> pl.DataFrame:
    nested = [name for name, kind in frame.schema.items() if kind.is_nested()]
    texts = (pl.Series(name, list(map(_json, frame[name].to_list())), dtype=pl.String) for name in nested)
    return frame.with_columns(texts)


def _json(value: Any) -> str | None:
    return None if value is None else json.dumps(value, ensure_ascii=False, default=str)


def numbers_of(rows: Iterable[Any]) -> pl.DataFrame:
    """Return dataclasses or mappings as a flat frame; a part's fields carry its name: ``estimate_low``."""
    return pl.DataFrame([_flat(row) for row in rows], infer_schema_length=None)


def _flat(row: Any, prefix: str = "") -> dict[str, Any]:
    fields: Mapping[str, Any] = row if isinstance(row, Mapping) else asdict(row)
    flat: dict[str, Any] = {}
    for name, value in fields.items():
        if isinstance(value, Mapping) or (is_dataclass(value) and not isinstance(value, type)):
            flat |= _flat(value, f"{prefix}{name}_")
        else:
            flat[f"{prefix}{name}"] = value
    return flat
