"""`nightschool grader`: how far its verdicts can be trusted."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict
from functools import partial

import anyio
import click
from rich.markup import escape
from rich.table import Table

from nightschool.bootstrap import connect_model, open_workspace
from nightschool.cli.console import results, show_json
from nightschool.cli.exits import Exit
from nightschool.experiments.domains import load_domains
from nightschool.experiments.grader_report import by_examiner, calibrate_grader, calibration_json, planted
from nightschool.experiments.labelled import LabelledSet, load_labelled
from nightschool.experiments.probes import ProbeResult, gaming_probes, probe_suite
from nightschool.experiments.suite import known_suites, load_suite
from nightschool.harness.loop import Harness, Limits
from nightschool.models.embed import MiniLmEmbedder
from nightschool.outcomes.calibration import Calibration, Spread
from nightschool.outcomes.domain import DomainClassifier, HeldOut, held_out
from nightschool.outcomes.examiner import Examiner
from nightschool.settings import Settings

__all__ = ["domain", "grader", "probe", "report"]

_MOST_REQUESTS = 8
"""Requests for one grading: a grader whose quotes are refused may try again, and not for ever."""


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


@grader.command()
@click.option("--brain", help="The model that grades (claude-..., or any with --base-url).")
@click.option("--planted-sd", type=click.FloatRange(min=0), help="Simulate a grader that scatters so much.")
@click.option("--repeats", type=click.IntRange(min=2), default=5, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
@click.pass_obj
def report(
    settings: Settings, *, brain: str | None, planted_sd: float | None, repeats: int, as_json: bool
) -> None:
    """Have answers of known worth graded again and again, and say how far the grader can be trusted.

    Without --brain the grader is simulated (SD 0.05 unless given): that shows the method, not a grader.
    """
    labelled = load_labelled(settings.suite_dirs)
    if brain is None:
        sd = 0.05 if planted_sd is None else planted_sd
        name = f"simulated grader, planted SD {sd:g}"
        found = anyio.run(partial(calibrate_grader, labelled, planted(sd), repeats=repeats))
    elif planted_sd is not None:
        raise click.UsageError("--planted-sd simulates a grader; --brain asks one: give one of them")
    else:
        name, found = brain, anyio.run(_asked, settings, labelled, brain, repeats)
    if as_json:
        show_json(calibration_json(found, grader=name, simulated=brain is None))
    else:
        _print_calibration(name, found, simulated=brain is None)


async def _asked(settings: Settings, labelled: LabelledSet, brain: str, repeats: int) -> Calibration:
    with open_workspace(settings) as workspace:
        model = connect_model(settings, brain, context_limit_tokens=None)
        try:
            limits = Limits(max_model_calls=_MOST_REQUESTS)
            harness = Harness(log=workspace.log, model=model, clock=workspace.clock, limits=limits)
            examiner = Examiner(log=workspace.log, harness=harness, rubric=labelled.rubric, models=(brain,))
            return await calibrate_grader(labelled, by_examiner(examiner, brain), repeats=repeats)
        finally:
            await model.aclose()


def _print_calibration(name: str, found: Calibration, *, simulated: bool) -> None:
    console = results()
    if simulated:
        console.print("[bold yellow]SIMULATED: these grades were drawn; they say nothing about any model[/]")
    console.print(f"{name}: {found.gradings} gradings of {found.answers} answers", markup=False)
    table = Table("measure", "value", box=None)
    for measure, value in _measures(found):
        table.add_row(measure, escape(value))
    console.print(table)


def _measures(found: Calibration) -> Iterator[tuple[str, str]]:
    parts = found.parts
    total = math.fsum(parts) or 1.0
    yield "SD of one grading", f"{parts.grader_sd:.3f}"
    yield (
        "variance by task / answer / grader",
        " / ".join(f"{part / total:.0%}" for part in parts),
    )
    yield "κ with the labels (accept or reject)", _number(found.kappa)
    yield "Krippendorff's α of the gradings", _number(found.alpha)
    yield "false accepts, adversarial answers", _spread(found.false_accepts, percent=True)
    yield "false rejects", _spread(found.false_rejects, percent=True)
    yield "length bias (rank correlation)", _number(found.length_bias)
    yield "position bias (same answer, other order)", _number(found.position_bias)
    for kind, spread in found.error_by_kind.items():
        yield f"error on {kind} answers", _spread(spread, percent=False)


def _number(value: float | None) -> str:
    return "not defined" if value is None else f"{value:+.2f}"


def _spread(spread: Spread | None, *, percent: bool) -> str:
    if spread is None:
        return "none to judge by"
    form = "{:.0%}" if percent else "{:+.2f}"
    value, low, high = (form.format(each) for each in spread[:3])
    return f"{value} [{low}, {high}] of {spread.n}"


@grader.command()
@click.argument("task", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
@click.pass_obj
def domain(settings: Settings, *, task: str | None, as_json: bool) -> None:
    """Infer the tier of TASK from the field it belongs to; without TASK, say how well that works."""
    known, embedder = load_domains(settings.suite_dirs), MiniLmEmbedder()
    if task is None:
        found = held_out(known.examples, known.tiers, embedder)
        _show_held_out(found, as_json=as_json)
        return
    guess = DomainClassifier(known.examples, known.tiers, embedder).guess(task)
    if as_json:
        show_json(asdict(guess) | {"reason": guess.reason})
    else:
        results().print(guess.reason, markup=False)


def _show_held_out(found: HeldOut, *, as_json: bool) -> None:
    if as_json:
        confusions = [
            {"domain": a, "taken_for": b, "times": times} for (a, b), times in found.confusions.items()
        ]
        show_json(asdict(found) | {"confusions": confusions})
        return
    table = Table("measure", f"on {found.examples} held-out tasks", box=None)
    table.add_row("right field", f"{found.accuracy:.0%}")
    table.add_row("abstains (then Standard)", f"{found.abstained:.0%}")
    table.add_row("right field where it does not", f"{found.accuracy_when_sure:.0%}")
    table.add_row("should be Strict and would not be", f"{found.missed_strict:.0%}")
    table.add_row("calibration error", f"{found.calibration_error:.2f}")
    results().print(table)
