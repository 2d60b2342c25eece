"""`nightschool gate`: one number that tells a pipeline whether a change may pass.

0 pass, 1 regression, 2 inconclusive, 3 invalid, and nothing else: a mistyped option and a damaged file are
invalid too, because a pipeline must never take them for a verdict.
"""

from __future__ import annotations

import traceback
from enum import IntEnum
from pathlib import Path
from typing import Any, Final

import anyio
import click

from nightschool.bootstrap import Workspace, open_workspace
from nightschool.cli.console import results, show_error, show_json
from nightschool.core.errors import InvalidInput, NightschoolError
from nightschool.experiments.design import Manifest
from nightschool.experiments.examination import Examination, examine
from nightschool.experiments.gate import Gate, GateResult, judge_gate
from nightschool.experiments.gate_output import gate_json, gate_junit, gate_markdown
from nightschool.experiments.integrity import OF_THE_LOG, threats
from nightschool.experiments.ledger import Ledger
from nightschool.experiments.rivals import rivals_report
from nightschool.settings import Settings

__all__ = ["GateExit", "gate"]


class GateExit(IntEnum):
    """The exit codes of this command, and of this command alone."""

    PASS = 0
    REGRESSION = 1
    INCONCLUSIVE = 2
    INVALID = 3


_EXITS: Final = {
    GateResult.PASS: GateExit.PASS,
    GateResult.REGRESSION: GateExit.REGRESSION,
    GateResult.INCONCLUSIVE: GateExit.INCONCLUSIVE,
    GateResult.INVALID: GateExit.INVALID,
}


class _GateCommand(click.Command):
    """Ends with `INVALID` whatever else goes wrong, in the command line or behind it."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        try:
            return super().make_context(info_name, args, parent, **extra)
        except click.UsageError as error:
            error.show()
            raise click.exceptions.Exit(int(GateExit.INVALID)) from error

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except NightschoolError as error:
            show_error(error)
        except click.ClickException as error:
            error.show()
        except Exception:  # noqa: BLE001  # a defect must not end with the code of a verdict
            traceback.print_exc()
        return int(GateExit.INVALID)


@click.command(cls=_GateCommand)
@click.argument("experiment", default="LAST")
@click.option("--baseline", help="Compare every arm with this one (default: the comparisons declared).")
@click.option("--against", metavar="EXPERIMENT", help="Compare with this earlier experiment instead.")
@click.option("--arm", help="With --against: the arm to compare (default: the only one).")
@click.option("--baseline-arm", help="With --against: the earlier experiment's arm (default: the same).")
@click.option(
    "--min-effect",
    type=click.FloatRange(min=0),
    help="The smallest loss that matters, in the metric's units (default: what was declared, else 0).",
)
@click.option(
    "--alpha",
    type=click.FloatRange(min=0, max=1, min_open=True, max_open=True),
    help="The level of the tests (default: what was declared).",
)
@click.option("--junit", type=click.Path(dir_okay=False, path_type=Path), help="Write JUnit XML here.")
@click.option("--markdown", type=click.Path(dir_okay=False, path_type=Path), help="Write Markdown here.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
@click.pass_obj
def gate(
    settings: Settings,
    /,
    *,
    experiment: str,
    junit: Path | None,
    markdown: Path | None,
    as_json: bool,
    **how: Any,
) -> int:
    """Say whether EXPERIMENT lets a change pass: exit 0 pass, 1 regression, 2 inconclusive, 3 invalid."""
    if how["against"] is None and (how["arm"] or how["baseline_arm"]):
        raise click.UsageError("--arm and --baseline-arm go with --against")
    with open_workspace(settings, read_only=True) as workspace:
        judged = anyio.run(_judged, workspace, experiment, how)
    for path, text in ((junit, gate_junit(judged)), (markdown, gate_markdown(judged))):
        if path is not None:
            _write(path, text)
    if as_json:
        show_json(gate_json(judged))
    else:
        results().print(_text(judged), markup=False)
    return int(_EXITS[judged.result])


async def _judged(workspace: Workspace, name: str, how: dict[str, Any]) -> Gate:
    found = await examine(workspace, name, **({"alpha": how["alpha"]} if how["alpha"] else {}))
    manifest = found.report.manifest
    effect = how["min_effect"] if how["min_effect"] is not None else manifest.smallest_effect or 0.0
    if how["against"] is not None:
        return await _rivals(workspace, found, how, effect)
    if how["baseline"] is not None:
        family = _family(manifest, how["baseline"])
        found = await examine(workspace, name, alpha=manifest.alpha, family=family)
    return judge_gate(found.report, found.threats, min_effect=effect)


def _family(manifest: Manifest, baseline: str) -> tuple[Any, ...]:
    if baseline not in manifest.arms:
        raise InvalidInput(f"there is no arm `{baseline}`; there are: {', '.join(manifest.arms)}")
    fields = [{"treatment": arm, "baseline": baseline} for arm in manifest.arms if arm != baseline]
    return Manifest.model_validate(manifest.model_dump() | {"family": fields}).family


async def _rivals(workspace: Workspace, found: Examination, how: dict[str, Any], effect: float) -> Gate:
    before = await examine(workspace, how["against"])
    arm = how["arm"] or _only_arm(found)
    report = rivals_report(
        found.ledger,
        before.ledger,
        arm=arm,
        baseline_arm=how["baseline_arm"] or arm,
        alpha=found.report.manifest.alpha,
        names=(found.experiment_id, before.experiment_id),
    )
    own = threats(report, Ledger())
    # What concerns a log as a whole was found by looking at each of them.
    of_logs = [t for each in (found, before) for t in each.threats if t.weakness in OF_THE_LOG]
    subject = f"{found.experiment_id} against {before.experiment_id}"
    return judge_gate(report, [*own, *of_logs], min_effect=effect, subject=subject)


def _only_arm(found: Examination) -> str:
    arms = found.report.manifest.arms
    if len(arms) > 1:
        raise click.UsageError(f"name one --arm of {', '.join(arms)}")
    return arms[0]


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InvalidInput(f"{path} cannot be written: {error.strerror}") from error


def _text(judged: Gate) -> str:
    lines = [f"{judged.result}: {judged.subject}" + (" (simulated)" if judged.simulated else "")]
    lines += [
        f"  {check.result}: {check.treatment} − {check.baseline}, {check.metric}: {check.reason}"
        for check in judged.checks
    ]
    return "\n".join([*lines, *[f"  {threat.severity}: {threat}" for threat in judged.threats]])
