"""`nightschool doctor` and `nightschool verify`: can it be used, and is it what was written?"""

from __future__ import annotations

from collections.abc import Sequence

import click

from nightschool.bootstrap import open_workspace
from nightschool.cli.console import messages, results
from nightschool.cli.exits import Exit
from nightschool.journal.check import check
from nightschool.journal.verify import Verification
from nightschool.journal.verify import verify as verify_journal
from nightschool.settings import Settings
from nightschool.warehouse.verify import Comparison, compare

__all__ = ["doctor", "verify"]

_SHOWN = 10


@click.command()
@click.option("--quick", is_flag=True, help="Do not read the whole file.")
@click.pass_obj
def doctor(settings: Settings, *, quick: bool) -> int:
    """Look for what is wrong with the data folder and say what to do. Changes nothing."""
    console = results()
    findings = check(settings.journal_path, deep=not quick)
    for finding in findings:
        mark = "[green]well[/]" if finding.ok else "[red]wrong[/]"
        console.print(f"{mark}  {finding.name}: ", end="")
        console.print(finding.message, markup=False)
    return int(Exit.SUCCESS if all(finding.ok for finding in findings) else Exit.STORE)


@click.command()
@click.pass_obj
def verify(settings: Settings) -> int:
    """Check that every stored event is what was written: hashes in the journal, copies in the warehouse."""
    with open_workspace(settings, read_only=True) as workspace:
        found = verify_journal(workspace.journal)
        _print_journal(found)
        copied = (
            compare(settings.warehouse_path, workspace.journal) if settings.warehouse_path.exists() else None
        )
    if copied is None:
        messages().print("warehouse: none yet; `nightschool sync` makes it")
        return int(Exit.SUCCESS if found.is_sound else Exit.STORE)
    _print_warehouse(copied)
    return int(Exit.SUCCESS if found.is_sound and copied.is_sound else Exit.STORE)


def _print_journal(found: Verification) -> None:
    counts = f"journal: {found.sessions:,} sessions, {found.events:,} events"
    _print(counts, [str(problem) for problem in found.problems], found.problem_count)


def _print_warehouse(found: Comparison) -> None:
    waiting = f", {found.waiting:,} waiting for the next sync" if found.waiting else ""
    _print(f"warehouse: {found.events:,} events{waiting}", found.problems, found.problem_count)


def _print(counts: str, problems: Sequence[str], problem_count: int) -> None:
    verdict = f"{problem_count:,} problems" if problem_count else "every one is as it was written"
    results().print(f"{counts} · {verdict}")
    for problem in problems[:_SHOWN]:
        messages().print(problem, markup=False, style="red")
    if problem_count > _SHOWN:
        messages().print(f"... and {problem_count - _SHOWN:,} more")
