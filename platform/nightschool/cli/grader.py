"""`nightschool grader`: how far its verdicts can be trusted."""

from __future__ import annotations

from dataclasses import asdict

import click
from rich.table import Table

from nightschool.cli.console import results, show_json
from nightschool.cli.exits import Exit
from nightschool.experiments.probes import ProbeResult, gaming_probes, probe_suite
from nightschool.experiments.suite import known_suites, load_suite
from nightschool.settings import Settings

__all__ = ["grader"]


@click.group()
def grader() -> None:
    """Say how far verdicts can be trusted."""


@grader.command()
@click.argument("suite", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
@click.pass_obj
def probe(settings: Settings, *, suite: str | None, as_json: bool) -> int:
    """Try SUITE (or every suite) with answers that do no work; exit 5 when one of them passes Standard."""
    names = [suite] if suite else known_suites(settings.suite_dirs)
    found = {name: _probed(settings, name) for name in names}
    if as_json:
        show_json({name: [asdict(each) for each in probes] for name, probes in found.items()})
    else:
        for name, probes in found.items():
            _print_probes(name, probes)
    return int(Exit.INVALID if any(map(gaming_probes, found.values())) else Exit.SUCCESS)


def _probed(settings: Settings, name: str) -> list[ProbeResult]:
    suite = load_suite(name, settings.suite_dirs)
    return probe_suite(suite, [sample.id for sample in suite.module.samples(suite.config)])


def _print_probes(name: str, probes: list[ProbeResult]) -> None:
    table = Table("shortcut", "samples", "pass Standard", "nearest margin", box=None)
    for each in probes:
        if each.best_margin is None:
            table.add_row(each.probe, "–", "does not apply", each.reason)
        else:
            table.add_row(each.probe, str(each.samples), str(each.passed), f"{each.best_margin:+.2f}")
    results().print(table)
    passing = gaming_probes(probes)
    verdict = f"GAMEABLE by {', '.join(passing)}" if passing else "no shortcut passes"
    results().print(f"{name}: {verdict}", markup=False)
