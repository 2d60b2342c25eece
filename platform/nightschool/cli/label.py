"""`nightschool grader label`: what a person says of a result, and which results ask for it most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from typing import Any, Final, Literal

import anyio
import click
from rich.markup import escape
from rich.table import Table

from nightschool.bootstrap import Workspace, open_workspace
from nightschool.cli.console import command, messages, results, show_json
from nightschool.core.errors import InvalidInput, NotFound
from nightschool.events.experiment import TrialCompleted
from nightschool.experiments.labelling import Judged, Queued, read_judged, record_label, review_queue
from nightschool.experiments.lookup import LAST, read_ledger
from nightschool.outcomes.findings import as_shown
from nightschool.outcomes.labels import Agreed, Label
from nightschool.outcomes.noise import GraderNoise
from nightschool.outcomes.tiers import DIMENSIONS, Tier
from nightschool.settings import Settings

__all__ = ["label"]

_SHOWN: Final = 20
"""Results listed on a screen; --json gives all."""

_Results = Sequence[tuple[Judged, TrialCompleted]]


@click.command()
@click.argument("trial", required=False)
@click.option("--experiment", default=LAST, show_default=True, help="Whose results (an id or its beginning).")
@click.option("--accept", "decision", flag_value="accept", help="The result is good enough.")
@click.option("--reject", "decision", flag_value="reject", help="It is not.")
@click.option("--score", type=click.FloatRange(0, 1), help="The score it deserves instead.")
@click.option("--note", default="", help="Why, in your words.")
@click.option("--by", help="Who says so (default: NIGHTSCHOOL_REVIEWER, or the login name).")
@click.option("--json", "as_json", is_flag=True, help="Print the queue as JSON.")
@click.pass_obj
def label(settings: Settings, /, *, trial: str | None, experiment: str, as_json: bool, **said: Any) -> None:
    """Say of TRIAL whether its result is good enough; without a decision, show it; without TRIAL, the queue.

    The queue begins with the results whose verdict is least sure. Labels count in `grader report`.
    """
    with open_workspace(settings, read_only=said["decision"] is None) as workspace:
        queue, found = anyio.run(_read, workspace, experiment)
        if trial is None:
            if said["decision"] or said["score"] is not None:
                raise click.UsageError("name the TRIAL that you judge; without one, only the queue is shown")
            _show_queue(queue, as_json=as_json)
            return
        judged, result = _chosen(found, trial)
        if said["decision"] is None:
            _show_result(next(each for each in queue if each.judged == judged), result)
            return
        given = _label(said, settings)
        anyio.run(partial(record_label, label=given), workspace.log, judged.session_id)
        workspace.warehouse.sync(workspace.journal)
    results().print(f"{judged.trial_id}: {given.decision} by {given.given_by}, recorded", markup=False)


def _label(said: dict[str, Any], settings: Settings) -> Label:
    decision: Literal["accept", "reject"] = said["decision"]
    by = said["by"] or settings.reviewer
    if not by:
        raise InvalidInput("a label says who gave it; name yourself with --by or NIGHTSCHOOL_REVIEWER")
    return Label(decision=decision, score=said["score"], note=said["note"], given_by=by)


async def _read(workspace: Workspace, experiment: str) -> tuple[list[Queued], _Results]:
    ledger = await read_ledger(workspace, experiment)
    manifest = ledger.manifest
    found = await read_judged(workspace.log, ledger)
    noise = GraderNoise(sd=dict.fromkeys(DIMENSIONS, 0.0) | manifest.grader_sd)
    queue = review_queue(
        (judged for judged, _ in found), tier=Tier(manifest.tier), noise=noise, weights=manifest.weights
    )
    return queue, found


def _chosen(found: _Results, name: str) -> tuple[Judged, TrialCompleted]:
    fitting = [pair for pair in found if pair[0].trial_id.startswith(name)]
    if not fitting:
        raise NotFound(
            f"no graded result `{name}` in this experiment; list them with: nightschool grader label"
        )
    if len(fitting) > 1:
        raise InvalidInput(f"`{name}` fits {len(fitting)} trials; give more of the id")
    return fitting[0]


def _show_queue(queue: Sequence[Queued], *, as_json: bool) -> None:
    if as_json:
        show_json([asdict(each) for each in queue])
        return
    table = Table("trial", "arm", "sample", "repeat", "verdict", "margin", "flips", "labelled", box=None)
    for each in queue[:_SHOWN]:
        table.add_row(*map(escape, _row(each)))
    results().print(table)
    if len(queue) > _SHOWN:
        messages().print(f"{_SHOWN} of {len(queue)} results shown; --json gives all")
    messages().print(f"look at one: {command('grader', 'label', 'TRIAL')}", markup=False)


def _row(queued: Queued) -> tuple[str, ...]:
    judged, reading = queued.judged, queued.reading
    return (
        judged.trial_id,
        judged.arm,
        judged.sample_id,
        str(judged.epoch + 1),
        f"{reading.standing} at {reading.tier}",
        f"{reading.margin:+.3f}",
        f"{reading.flip_probability:.0%}",
        _said(judged.said),
    )


def _said(said: Agreed | None) -> str:
    if said is None:
        return "no"
    decision = "disputed" if said.acceptable is None else "accepted" if said.acceptable else "rejected"
    return f"{decision} by {', '.join(said.people)}"


def _show_result(queued: Queued, result: TrialCompleted) -> None:
    console = results()
    table = Table("trial", "arm", "sample", "repeat", "verdict", "margin", "flips", "labelled", box=None)
    table.add_row(*map(escape, _row(queued)))
    console.print(table)
    scores = ", ".join(f"{name} {score:.2f}" for name, score in result.scores.items())
    console.print(f"scores: {scores}", markup=False)
    console.print(as_shown(result.answer), markup=False)
    say = command("grader", "label", result.trial_id, "--accept")
    messages().print(f"judge it: {say} (or --reject), with --score and --note as you like", markup=False)
