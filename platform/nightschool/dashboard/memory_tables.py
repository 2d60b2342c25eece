"""What a store holds and a dream would change, as tables of the page *Dreaming*.

Pure: values in, frames or HTML out. Knows nothing about where they come from.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import polars as pl

from nightschool.dashboard.markup import Cell, Column, data_table
from nightschool.dashboard.memories import said
from nightschool.dashboard.provenance import address
from nightschool.dashboard.wording import ABSENT, count, moment, short_id
from nightschool.memory.edit import Edit

__all__ = ["change_rows", "gate_table", "json_of", "version_table"]

_SHOWN: Final = 300
"""Characters of a text in a row."""
_STATES: Final = ("active", "candidate", "quarantined", "archived", "hidden")


def version_table(versions: pl.DataFrame, *, store: str, head: str | None, before: Sequence[str]) -> str:
    """Return the versions of a store, newest first, with what each holds and whether it is recalled from.

    Args:
        versions: rows of ``questions.sql: store_versions``.
        store: the store's name.
        head: the version that sessions recall from; None where that is not known.
        before: versions they recalled from earlier.
    """
    columns = [
        Column(name="Version", numeric=False),
        Column(name="Made (UTC)", numeric=False),
        Column(name="By", numeric=False),
        *(Column(name=state.capitalize(), unit="memories") for state in _STATES),
    ]
    rows = [_version(row, store, head, before) for row in versions.iter_rows(named=True)]
    return data_table(columns, rows, caption="Versions of the store")


def _version(row: Mapping[str, Any], store: str, head: str | None, before: Sequence[str]) -> list[Cell]:
    is_head = row["store_id"] == head
    note = "recalled from now" if is_head else "recalled from before" if row["store_id"] in before else ""
    dream_id = row["dream_id"]
    by = (
        Cell(text=short_id(dream_id), link=address(store=store, dream=dream_id), title=dream_id)
        if dream_id
        else Cell(text="hand")
    )
    return [
        Cell(
            text=short_id(row["store_id"]), note=note, tone="good" if is_head else "", title=row["store_id"]
        ),
        Cell(text=moment(row["made_at"])),
        by,
        *(Cell(text=count(row[state])) for state in _STATES),
    ]


def gate_table(gates: Mapping[str, int]) -> str:
    """Return why findings were not promoted, a row a gate."""
    columns = [
        Column(name="Finding", numeric=False),
        Column(name="Why it is not recalled", numeric=False, wraps=True),
        Column(name="Held back", unit="findings"),
    ]
    rows = []
    for gate, number in sorted(gates.items(), key=lambda each: (-each[1], each[0])):
        kind, colon, why = gate.partition(": ")
        rows.append([Cell(text=kind if colon else ABSENT), Cell(text=why or gate), Cell(text=count(number))])
    return data_table(columns, rows, caption="What was not promoted, and why")


def change_rows(changes: Iterable[Edit]) -> pl.DataFrame:
    """Return the changes as a table."""
    return pl.DataFrame(
        [_change(change) for change in changes],
        schema={
            "what": pl.String,
            "state": pl.String,
            "kind": pl.String,
            "sure": pl.Float64,
            "says": pl.String,
            "why": pl.String,
            "for": pl.Float64,
            "against": pl.Float64,
            "path": pl.String,
        },
    )


def _change(change: Edit) -> dict[str, Any]:
    memory = change.memory
    known = memory.attributes
    return {
        "what": change.what,
        "state": "purged" if change.after is None else str(known.state),
        "kind": str(known.kind),
        "sure": known.confidence,
        "says": said(memory)[:_SHOWN],
        "why": known.reason,
        "for": known.successes,
        "against": known.failures,
        "path": change.path,
    }


def json_of(text: str | None) -> Any:
    """Return the value of a JSON column; empty when it is absent."""
    return json.loads(text) if text else {}
