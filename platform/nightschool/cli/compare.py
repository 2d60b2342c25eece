"""`nightschool compare`: what an experiment found."""

from __future__ import annotations

from collections.abc import Sequence

import anyio
import click

from nightschool.bootstrap import Workspace, open_workspace
from nightschool.cli.console import results, show_json
from nightschool.cli.exits import Exit
from nightschool.cli.report import print_report
from nightschool.experiments.examination import examine
from nightschool.experiments.integrity import OF_THE_LOG, Severity, Threat, Weakness, refusals
from nightschool.experiments.live import look_line
from nightschool.experiments.lookup import read_live, read_report
from nightschool.experiments.report import Report
from nightschool.experiments.report_json import to_json
from nightschool.experiments.statistics import Verdict
from nightschool.outcomes.noise import GraderNoise
from nightschool.outcomes.tiers import DIMENSIONS
from nightschool.settings import Settings

__all__ = ["compare", "gate_code"]


@click.command()
@click.argument("experiment", default="LAST")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
@click.option(
    "--gate", is_flag=True, help="Exit 3 when an arm is worse than the baseline, 4 when none can be told."
)
@click.option(
    "--grader-sd",
    type=click.FloatRange(min=0),
    help="Read the verdicts as if each score came from a grader with this standard deviation.",
)
@click.option(
    "--live", is_flag=True, help="Look while it runs, by intervals that allow it; the look is recorded."
)
@click.pass_obj
def compare(  # one parameter per option
    settings: Settings, /, *, experiment: str, as_json: bool, gate: bool, grader_sd: float | None, live: bool
) -> int:
    """Show what EXPERIMENT found (its id, the beginning of it, or LAST)."""
    if live:
        return _look(settings, experiment)
    noise = None if grader_sd is None else GraderNoise(sd=dict.fromkeys(DIMENSIONS, grader_sd))

    async def read(workspace: Workspace) -> tuple[Report, list[Threat]]:
        found = await examine(workspace, experiment)
        report = found.report if noise is None else await read_report(workspace, experiment, noise=noise)
        return report, [threat for threat in found.threats if _is_told(threat)]

    with open_workspace(settings, read_only=True) as workspace:
        report, threats = anyio.run(read, workspace)
    if as_json:
        show_json(to_json(report) | {"threats": [_as_json(threat) for threat in threats]})
    else:
        print_report(report, lengths=True)
        for threat in threats:
            results().print(f"{threat.severity}: {threat}", markup=False)
    return int(gate_code(report, threats)) if gate else int(Exit.SUCCESS)


def _is_told(threat: Threat) -> bool:
    """Return whether a reader of the comparison must know it; the report says the rest."""
    return threat.severity is Severity.REFUSAL or threat.weakness in OF_THE_LOG


def _as_json(threat: Threat) -> dict[str, str]:
    return {"name": str(threat.weakness), "severity": str(threat.severity), "text": threat.text}


def _look(settings: Settings, experiment: str) -> int:
    with open_workspace(settings) as workspace:
        found = anyio.run(read_live, workspace, experiment)
    results().print(f"{found.recorded} of {found.expected} trials have ended; this look is recorded")
    for each in found.looks:
        results().print(look_line(each), markup=False)
    return int(Exit.SUCCESS)


def gate_code(report: Report, threats: Sequence[Threat]) -> Exit:
    """Return what the declared comparisons mean to a pipeline: one worse arm is a regression."""
    verdicts = {contrast.verdict for contrast in report.confirmatory}
    # Too few pairs decide nothing, and say so themselves.
    broken = [threat for threat in refusals(threats) if threat.weakness is not Weakness.TOO_FEW_PAIRS]
    if broken or not report.is_complete:
        return Exit.INVALID
    if Verdict.WORSE in verdicts:
        return Exit.REGRESSION
    return Exit.SUCCESS if verdicts <= {Verdict.BETTER, Verdict.EQUIVALENT} else Exit.INCONCLUSIVE
