"""What a dream found, for people. Knows nothing about how it was found."""

from __future__ import annotations

from rich.markup import escape
from rich.table import Table

from nightschool.cli.console import messages, results
from nightschool.dreaming.mine import Findings
from nightschool.dreaming.rules import Rules
from nightschool.dreaming.strata import StrategyTable

__all__ = ["show_findings"]

_SHOWN = 8


def show_findings(findings: Findings, rules: Rules) -> None:
    """Print what sessions showed, the most frequent first."""
    console = results()
    judged = ", ".join(f"{count} {name}" for name, count in findings.results.items() if count)
    console.print(f"{len(findings.episodes)} sessions ({judged or 'none judged'}), rules {rules.name}")
    if not findings.episodes:
        messages().print("nothing to learn from; `nightschool experiments` and `import` bring sessions in")
        return
    _show_errors(findings)
    _show_failing(findings)
    _show_economy(findings)
    _show_templates(findings)
    for strategy in findings.strategies:
        if rules.stratified and strategy.objection:
            _show_strategy(strategy)


def _table(title: str, *columns: str) -> Table:
    return Table(*columns, title=title, title_justify="left", box=None, pad_edge=False)


def _show_errors(findings: Findings) -> None:
    table = _table("\nWhy calls failed", "calls", "sessions", "failed", "class", "tool", "error")
    for each in findings.errors[:_SHOWN]:
        table.add_row(
            str(each.count),
            str(each.sessions),
            str(each.failed_sessions),
            each.cause,
            escape(each.tool),
            escape(each.template),
        )
    results().print(table)


def _show_failing(findings: Findings) -> None:
    table = _table("\nTask types that failed three times or more", "type", "failed", "of", "lesson")
    for each in findings.failing_types[:_SHOWN]:
        told = each.gate or f"{each.causes[0][0]}: {each.causes[0][1]}"
        table.add_row(
            escape(each.task_type),
            str(each.failures),
            str(each.sessions),
            escape(f"none: {told}" if each.gate else told),
        )
    results().print(table)
    results().print(f"the same single task: {len(findings.failing_tasks)} tasks failed three times or more")


def _show_economy(findings: Findings) -> None:
    repeats = findings.economy.repeats
    results().print(
        f"\n{findings.economy.calls} calls. Repeated reads: {repeats.reads}, of them needless"
        f" {repeats.needless_reads} (after a change {repeats.after_change}, waiting {repeats.polling},"
        f" after an error {repeats.read_retries}). Repeated writes: {repeats.writes} (after an error"
        f" {repeats.write_retries}, after a success {repeats.double_writes}). Loops:"
        f" {len(findings.economy.loops)}. Results nobody used:"
        f" {sum(count for _, count in findings.economy.unused)}."
    )


def _show_templates(findings: Findings) -> None:
    table = _table("\nPaths that succeeded", "type", "won", "lost", "path", "why not promoted")
    for each in findings.templates[:_SHOWN]:
        table.add_row(
            escape(each.task_type),
            str(each.successes),
            str(each.failures),
            escape(" → ".join(step.partition("(")[0] for step in each.steps)),
            escape(each.gate),
        )
    results().print(table)


def _show_strategy(strategy: StrategyTable) -> None:
    title = f"\nNot promoted: {strategy.strategy}: {strategy.objection}"
    table = _table(escape(title), "where", "with it", "without", "lift")
    for row in (strategy.overall, *strategy.rows, strategy.needed):
        table.add_row(
            row.stratum,
            f"{row.with_successes}/{row.with_sessions}",
            f"{row.without_successes}/{row.without_sessions}",
            "" if row.lift is None else f"{row.lift:+.0%}",
        )
    results().print(table)
