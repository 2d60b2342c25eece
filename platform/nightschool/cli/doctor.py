"""`nightschool doctor` and `nightschool verify`: can it be used, and is it what was written?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import click

from nightschool.bootstrap import open_workspace
from nightschool.cli.console import json_option, messages, results, show_json
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
@json_option
@click.pass_obj
def doctor(settings: Settings, *, quick: bool, as_json: bool) -> int:
    """Look for what is wrong with the data folder and say what to do. Changes nothing."""
    console = results()
    findings = check(settings.journal_path, deep=not quick)
    if as_json:
        show_json([asdict(finding) for finding in findings])
    for finding in () if as_json else findings:
        mark = "[green]well[/]" if finding.ok else "[red]wrong[/]"
        console.print(f"{mark}  {finding.name}: ", end="")
        console.print(finding.message, markup=False)
    return int(Exit.SUCCESS if all(finding.ok for finding in findings) else Exit.STORE)


@click.command()
@json_option
@click.pass_obj
def verify(settings: Settings, *, as_json: bool) -> int:
    """Check that every stored event is what was written: hashes in the journal, copies in the warehouse."""
    with open_workspace(settings, read_only=True) as workspace:
        found = verify_journal(workspace.journal)
        copied = (
            compare(settings.warehouse_path, workspace.journal) if settings.warehouse_path.exists() else None
        )
    is_sound = found.is_sound and (copied is None or copied.is_sound)
    if as_json:
        show_json(
            {"is_sound": is_sound, "journal": _as_json(found), "warehouse": copied and _as_json(copied)}
        )
    else:
        _print_both(found, copied)
    return int(Exit.SUCCESS if is_sound else Exit.STORE)


def _as_json(found: Verification | Comparison) -> dict[str, Any]:
    return {
        "events": found.events,
        "problem_count": found.problem_count,
        "problems": list(map(str, found.problems)),
    }


def _print_both(found: Verification, copied: Comparison | None) -> None:
    _print_journal(found)
    if copied is None:
        messages().print("warehouse: none yet; `nightschool sync` makes it")
    else:
        _print_warehouse(copied)


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
