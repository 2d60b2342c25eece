"""`nightschool grader`: how far its verdicts can be trusted."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, replace
from functools import partial

import anyio
import click
from rich.markup import escape
from rich.table import Table

from nightschool.bootstrap import Workspace, connect_model, open_workspace
from nightschool.cli.console import results, show_json
from nightschool.cli.exits import Exit
from nightschool.cli.label import label
from nightschool.experiments.calibrations import keep_calibration
from nightschool.experiments.domains import load_domains
from nightschool.experiments.grader_report import (
    by_examiner,
    calibration_json,
    grade_all,
    people_json,
    planted,
)
from nightschool.experiments.labelled import LabelledSet, load_labelled
from nightschool.experiments.people import PeoplesLabels, read_peoples_labels
from nightschool.experiments.probes import ProbeResult, gaming_probes, probe_suite
from nightschool.experiments.suite import known_suites, load_suite
from nightschool.harness.loop import Harness, Limits
from nightschool.models.embed import MiniLmEmbedder
from nightschool.outcomes.calibration import Calibration, Graded, Spread, calibrate
from nightschool.outcomes.domain import DomainClassifier, HeldOut, held_out
from nightschool.outcomes.examiner import Examiner
from nightschool.outcomes.labels import PeopleAgreement, agreement_with_people
from nightschool.outcomes.tiers import THRESHOLDS, Tier
from nightschool.settings import Settings

__all__ = ["domain", "grader", "probe", "report"]

_MOST_REQUESTS = 8
"""Requests for one grading: a grader whose quotes are refused may try again, and not for ever."""
_THRESHOLD = THRESHOLDS[Tier.STANDARD]
"""From where on an answer counts as accepted."""


@click.group()
def grader() -> None:
    """Say how far verdicts can be trusted."""


grader.add_command(label)


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

    Results that people have labelled here are graded with them. Without --brain the grader is simulated
    (SD 0.05 unless given): that shows the method, not a grader. Each report is kept in the log.
    """
    if brain is not None and planted_sd is not None:
        raise click.UsageError("--planted-sd simulates a grader; --brain asks one: give one of them")
    labelled = load_labelled(settings.suite_dirs)
    sd = 0.05 if planted_sd is None else planted_sd
    name = brain or f"simulated grader, planted SD {sd:g}"
    with open_workspace(settings) as workspace:
        people = anyio.run(read_peoples_labels, workspace)
        answers = (*labelled.answers, *people.answers)
        if brain is None:
            graded = anyio.run(partial(grade_all, answers, planted(sd), repeats=repeats))
        else:
            graded = anyio.run(_asked, workspace, replace(labelled, answers=answers), brain, repeats)
        keep = partial(
            keep_calibration, graded=graded, grader=name, simulated=brain is None, threshold=_THRESHOLD
        )
        anyio.run(keep, workspace.log)
    found, agreement = calibrate(graded, threshold=_THRESHOLD), agreement_with_people(people.verdicts)
    if as_json:
        sent = calibration_json(found, grader=name, simulated=brain is None)
        show_json(sent | {"people": people_json(people, agreement)})
    else:
        _print_calibration(name, found, simulated=brain is None)
        _print_people(people, agreement)


async def _asked(workspace: Workspace, labelled: LabelledSet, brain: str, repeats: int) -> list[Graded]:
    model = connect_model(workspace.settings, brain, context_limit_tokens=None)
    try:
        limits = Limits(max_model_calls=_MOST_REQUESTS)
        harness = Harness(log=workspace.log, model=model, clock=workspace.clock, limits=limits)
        examiner = Examiner(log=workspace.log, harness=harness, rubric=labelled.rubric, models=(brain,))
        return await grade_all(labelled.answers, by_examiner(examiner, brain), repeats=repeats)
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


def _print_people(people: PeoplesLabels, agreement: PeopleAgreement | None) -> None:
    console = results()
    if not people.verdicts:
        console.print("no result here was labelled by a person yet; see: nightschool grader label")
        return
    names = sorted({name for _, _, said in people.verdicts for name in said.people})
    console.print(
        f"labelled by people: {len(people.verdicts)} results, by {', '.join(names)};"
        f" {len(people.answers)} of them are among the answers above",
        markup=False,
    )
    if people.left_out:
        console.print(
            f"{people.left_out} left out: disputed, or of a suite without a rubric or one that changed",
            markup=False,
        )
    if agreement is None:
        return
    table = Table("recorded verdicts against people", "value", box=None)
    table.add_row("κ", _number(agreement.kappa))
    table.add_row("passed though people reject", _spread(agreement.false_accepts, percent=True))
    table.add_row("failed though people accept", _spread(agreement.false_rejects, percent=True))
    table.add_row("score minus people's score", _spread(agreement.mean_error, percent=False))
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
