"""`nightschool sql`: any question, over everything committed so far."""

from __future__ import annotations

import json
import sys

import click
import polars as pl
from polars import selectors
from rich.markup import escape
from rich.table import Table

from nightschool.bootstrap import connect_reader
from nightschool.cli.console import messages, results
from nightschool.settings import Settings

__all__ = ["sql"]

_ROWS_SHOWN = 200
"""Rows of a table on a screen; the other formats are never cut."""


@click.command()
@click.argument("query", required=False)
@click.option(
    "--format", "form", default="table", show_default=True, type=click.Choice(["table", "json", "csv"])
)
@click.option("--json", "form", flag_value="json", help="The same as --format json.")
@click.option("--timeout", "timeout_seconds", type=float, help="Give up after this many seconds.")
@click.pass_obj
def sql(settings: Settings, *, query: str | None, form: str, timeout_seconds: float | None) -> None:
    """Answer QUERY (read from standard input when absent) from the views in docs/reference/sql.md."""
    question = query if query is not None else sys.stdin.read()
    with connect_reader(settings) as reader:
        frame = reader.query(question, timeout_seconds=timeout_seconds)
    if form == "json":
        # A decimal is a number to whoever reads JSON; polars would write it as a text.
        click.echo(frame.with_columns(selectors.decimal().cast(pl.Float64)).write_json())
    elif form == "csv":
        click.echo(_flat(frame).write_csv(), nl=False)
    else:
        _print_table(frame)


def _flat(frame: pl.DataFrame) -> pl.DataFrame:
    """Write lists and structs as JSON: a CSV field is a text."""
    nested = [name for name, kind in frame.schema.items() if kind.is_nested()]
    as_json = [
        pl.Series(name, [_json(value) for value in frame[name].to_list()], dtype=pl.String) for name in nested
    ]
    return frame.with_columns(as_json)


def _json(value: object) -> str | None:
    return None if value is None else json.dumps(value, ensure_ascii=False, default=str)


def _print_table(frame: pl.DataFrame) -> None:
    table = Table(*map(escape, frame.columns), box=None)
    for row in frame.head(_ROWS_SHOWN).iter_rows():
        table.add_row(*[_cell(value) for value in row])
    results().print(table)
    if frame.height > _ROWS_SHOWN:
        messages().print(f"{_ROWS_SHOWN} of {frame.height:,} rows shown; --format csv or json gives all")


def _cell(value: object) -> str:
    if value is None:
        return "[dim]null[/]"
    text = f"{value:.4g}" if isinstance(value, float) else str(value)
    return escape(text)
