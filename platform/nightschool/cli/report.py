"""How a report looks in a terminal."""

from __future__ import annotations

import re

from rich.table import Table as RichTable

from nightschool.cli.console import results
from nightschool.experiments.report import Report
from nightschool.experiments.report_text import Table, arm_table, contrast_line, counts_table, length_table

__all__ = ["print_report"]

_INTERVAL = re.compile(r" (\[[^]]*\])")


def print_report(report: Report, *, lengths: bool = False) -> None:
    """Print the arms, the declared comparisons and what a reader must be told beside them."""
    console = results()
    if report.is_simulated:
        console.print("[bold yellow]SIMULATED: every number below was drawn, none was measured[/]")
    console.print(_rich(arm_table(report)))
    if not report.is_complete:
        console.print(_rich(counts_table(report)))
    for contrast in report.confirmatory:
        console.print(contrast_line(contrast), markup=False)
    if lengths and report.lengths:
        console.print(_rich(length_table(report)))
    for note in report.notes:
        console.print(f"note: {note}", markup=False, style="dim")


def _rich(table: Table) -> RichTable:
    """Lay a table out; an interval goes under its number, so that a row fits a screen."""
    laid_out = RichTable(*table.columns, box=None)
    for row in table.rows:
        laid_out.add_row(*[_INTERVAL.sub(r"\n[dim]\\\1[/]", cell) for cell in row])
    return laid_out
