"""`nightschool doctor` and `nightschool verify`: can it be used, and is it what was written?"""

from __future__ import annotations

import click
from rich.console import Console

from nightschool.bootstrap import open_workspace
from nightschool.cli.console import messages, results
from nightschool.cli.exits import Exit
from nightschool.journal.check import check
from nightschool.journal.verify import Verification
from nightschool.journal.verify import verify as verify_journal
from nightschool.settings import Settings

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
    """Check that every event in the journal stands in its place and is what was written. Changes nothing."""
    console = results()
    with open_workspace(settings, read_only=True) as workspace:
        found = verify_journal(workspace.journal)
    _print(console, found)
    return int(Exit.SUCCESS if found.is_sound else Exit.STORE)


def _print(console: Console, found: Verification) -> None:
    console.print(f"journal: {found.sessions:,} sessions, {found.events:,} events", end="")
    console.print(
        " · every one is as it was written" if found.is_sound else f" · {found.problem_count:,} problems"
    )
    for problem in found.problems[:_SHOWN]:
        messages().print(str(problem), markup=False, style="red")
    if found.problem_count > _SHOWN:
        messages().print(f"... and {found.problem_count - _SHOWN:,} more")
