"""How a report looks in a terminal."""

from __future__ import annotations

import re

from rich.table import Table as RichTable
from rich.text import Text

from nightschool.cli.console import results
from nightschool.experiments.report import Report
from nightschool.experiments.report_text import (
    Table,
    arm_table,
    contrast_line,
    counts_table,
    length_table,
    memory_lines,
    noise_lines,
)

__all__ = ["print_report"]

_INTERVAL = re.compile(r" (\[[^]]*\])")
_WIDE = 118
"""Columns of text that a row per arm needs."""


def print_report(report: Report, *, lengths: bool = False) -> None:
    """Print the arms, the declared comparisons and what a reader must be told beside them."""
    console = results()
    if report.is_simulated:
        console.print("[bold yellow]SIMULATED: every number below was drawn, none was measured[/]")
    console.print(_arms(arm_table(report), console.width))
    if not report.is_complete:
        console.print(_rich(counts_table(report)))
    for contrast in report.confirmatory:
        console.print(contrast_line(contrast), markup=False)
    if lengths and report.lengths:
        console.print(_rich(length_table(report)))
    for line in (*memory_lines(report), *noise_lines(report)):
        console.print(line, markup=False)
    for note in report.notes:
        console.print(f"note: {note}", markup=False, style="dim")


def _arms(table: Table, width: int) -> RichTable:
    """Lay the arms out: a row each where the screen is wide, a column each where it is not."""
    if width >= _WIDE:
        return _rich(Table(table.columns, tuple(tuple(_stacked(cell) for cell in row) for row in table.rows)))
    columns = zip(table.columns, *table.rows, strict=True)
    head, *rows = columns
    return _rich(Table(head, tuple(rows)))


def _stacked(cell: str) -> str:
    """Put an interval under its number."""
    return _INTERVAL.sub(r"\n\1", cell)


def _rich(table: Table) -> RichTable:
    laid_out = RichTable(box=None, pad_edge=False)
    for column in table.columns:
        laid_out.add_column(Text(column, no_wrap=True))
    for row in table.rows:
        laid_out.add_row(*[_shaded(cell) for cell in row])
    return laid_out


def _shaded(cell: str) -> Text:
    text = Text(cell, no_wrap=True)
    text.highlight_regex(r"\[[^]]*\]", "dim")
    return text
