"""`nightschool run` and `nightschool demo`: an experiment from declaration to table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import anyio
import click
from click.core import ParameterSource
from rich.progress import BarColumn, MofNCompleteColumn, TaskProgressColumn, TextColumn
from rich.progress import Progress as Bar

from nightschool.bootstrap import Workspace, open_workspace
from nightschool.cli.console import command, json_option, messages, results, show_json
from nightschool.cli.exits import Exit
from nightschool.cli.report import print_report
from nightschool.core.errors import InvalidInput, NightschoolError, NotFound, StaleWriter
from nightschool.events.experiment import TrialFailed
from nightschool.experiments.experiment_file import read_experiment
from nightschool.experiments.launch import Launch, Request, finish, start
from nightschool.experiments.ledger import Only
from nightschool.experiments.lookup import read_ledger, read_report
from nightschool.experiments.progress import Progress
from nightschool.experiments.report_json import to_json
from nightschool.experiments.runner import RunOutcome
from nightschool.experiments.suite import load_suite
from nightschool.outcomes.tiers import Tier
from nightschool.settings import Settings
from nightschool.warehouse.background import following

__all__ = ["demo", "run"]

_DEMO = Request(suite="contracts", arms=("single", "subagents", "orchestrated"))
_SCHEMA = "nightschool.run/1"
"""What `--json` answers: the outcome, and the report as `compare --json` tells it."""
_ERROR_WIDTH = 60
_REASONS = 3
"""Different reasons of failed trials that are shown."""
_BRAINS = {
    "reader": "brain reader (no language model)",
    "simulated": "brain simulated (every result is simulated)",
}


@click.command()
@json_option
@click.pass_obj
def demo(settings: Settings, /, *, as_json: bool) -> int:
    """Compare three ways of routing work on 24 contracts, offline, in one to two minutes."""
    return _run_experiment(
        settings, lambda workspace: start(workspace, _DEMO), trials_at_once=1, as_json=as_json
    )


def _names(_context: click.Context, _parameter: click.Parameter, text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


@click.command()
@click.argument("suite", required=False)
@click.option(
    "--arms", callback=_names, default=",".join(_DEMO.arms), show_default=True, help="Baseline first."
)
@click.option("--brain", default=_DEMO.brain, show_default=True, help="reader, simulated, or claude-...")
@click.option("--repeats", default=_DEMO.repeats, show_default=True, type=click.IntRange(min=1))
@click.option("--samples", callback=_names, default="", help="Sample ids, with commas (default: all).")
@click.option(
    "--seed", default=_DEMO.seed, show_default=True, help="Decides the draws and the trials' order."
)
@click.option(
    "--tier", type=click.Choice([*map(str, Tier)]), help="Default: what the suite or its field asks for."
)
@click.option("--trials-at-once", default=1, show_default=True, type=click.IntRange(min=1))
@click.option("--only-missing", is_flag=True, help="With --resume: only trials that never ended.")
@click.option("--only-errors", is_flag=True, help="With --resume: only trials that errored, whatever with.")
@click.option("--resume", metavar="EXPERIMENT", help="Finish this experiment instead; LAST is the newest.")
@json_option
@click.pass_obj
def run(
    settings: Settings,
    /,
    *,
    suite: str | None,
    resume: str | None,
    trials_at_once: int,
    as_json: bool,
    **choices: Any,
) -> int:
    """Run SUITE (a name, a folder or the file SUITE.yaml) as a new experiment, or finish one with --resume.

    An experiment whose suite lies in no suite folder is finished by naming the suite's folder again.
    """
    if suite is None and resume is None:
        raise click.UsageError("name a SUITE to run, or an experiment to --resume")
    if not choices["arms"]:
        raise click.UsageError("name at least one arm with --arms, the baseline first")
    only = _only(missing=choices.pop("only_missing"), errors=choices.pop("only_errors"), resume=resume)

    def prepare(workspace: Workspace) -> Launch:
        if resume is not None:
            return _finished(workspace, suite, resume)
        if _is_file(str(suite)):
            return start(workspace, read_experiment(Path(str(suite))))
        name, folders = _place(str(suite), workspace.settings.suite_dirs)
        return start(_among(workspace, folders), Request(suite=name, **(choices | _defaults(name, folders))))

    return _run_experiment(settings, prepare, trials_at_once, only, as_json=as_json)


def _among(workspace: Workspace, folders: tuple[Path, ...]) -> Workspace:
    return replace(workspace, settings=replace(workspace.settings, suite_dirs=folders))


def _finished(workspace: Workspace, suite: str | None, resume: str) -> Launch:
    """Take up an experiment; a suite that is named must be its own, and says where it lies."""
    if suite is None:
        try:
            return anyio.run(finish, workspace, resume)
        except NotFound as error:
            if "known" in error.details:
                error.message += f"; where its folder lies elsewhere, name it: run FOLDER --resume {resume}"
            raise
    name, folders = _place(suite, workspace.settings.suite_dirs)
    launch = anyio.run(finish, _among(workspace, folders), resume)
    if launch.manifest.suite != name:
        raise InvalidInput(
            f"{launch.experiment_id} is an experiment of the suite `{launch.manifest.suite}`, not `{name}`;"
            f" go on with: {_again(launch)}"
        )
    return launch


def _again(launch: Launch) -> str:
    """Return the command that goes on with an experiment, with the folder of a suite that lies elsewhere."""
    known = click.get_current_context().find_object(Settings)
    lies_in = launch.suite.folder.resolve()
    elsewhere = known is not None and lies_in.parent not in [each.resolve() for each in known.suite_dirs]
    return command("run", *([str(lies_in)] if elsewhere else []), "--resume", launch.experiment_id)


def _only(*, missing: bool, errors: bool, resume: str | None) -> Only | None:
    if not (missing or errors):
        return None
    if resume is None:
        raise click.UsageError("--only-missing and --only-errors go with --resume")
    if missing and errors:
        raise click.UsageError("leave both --only-missing and --only-errors out to run all that is left")
    return Only.MISSING if missing else Only.ERRORS


def _place(suite: str, folders: tuple[Path, ...]) -> tuple[str, tuple[Path, ...]]:
    """Return a suite's name and where suites lie: a suite may be named by its folder, too."""
    path = Path(suite)
    if path.name == suite or not path.is_dir():
        return suite, folders
    return path.resolve().name, (path.resolve().parent, *folders)


def _defaults(name: str, folders: tuple[Path, ...]) -> dict[str, Any]:
    """Return what a suite declares for options that were not given."""
    declared = load_suite(name, folders).config.get("defaults") or {}
    context = click.get_current_context()
    return {
        option: tuple(value) if isinstance(value, list) else value
        for option, value in declared.items()
        if context.get_parameter_source(option) is ParameterSource.DEFAULT
    }


def _is_file(suite: str) -> bool:
    if not suite.endswith((".yaml", ".yml")):
        return False
    context = click.get_current_context()
    given = [
        name
        for name in ("arms", "brain", "repeats", "samples", "seed", "tier")
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE
    ]
    if given:
        raise click.UsageError(f"--{given[0]} is declared in {suite}: change it there")
    return True


def _run_experiment(
    settings: Settings,
    prepare: Callable[[Workspace], Launch],
    trials_at_once: int,
    only: Only | None = None,
    *,
    as_json: bool = False,
) -> int:
    said = messages() if as_json else results()
    with open_workspace(settings) as workspace:
        launch = prepare(workspace)
        said.print(_headline(launch))
        if launch.manifest.tier_reason:
            said.print(f"tier {launch.manifest.tier} · {launch.manifest.tier_reason}", markup=False)
        with _resumable(launch), following(workspace.warehouse, workspace.journal) as follower:
            outcome = anyio.run(_run, launch, trials_at_once, only)
        ledger = anyio.run(read_ledger, workspace, launch.experiment_id)
        report = anyio.run(read_report, workspace, launch.experiment_id)
    if not as_json:
        print_report(report)
    _print_failures(ledger.failures())
    _print_remains(settings, launch, outcome, is_copied=follower.is_current)
    said.print(_where(settings), markup=False)
    if as_json:
        show_json({"schema": _SCHEMA, **asdict(outcome), "report": to_json(report)})
    is_done = outcome.is_decided or outcome.completed == outcome.expected
    return int(Exit.SUCCESS if is_done else Exit.UNEXPECTED)


@contextmanager
def _resumable(launch: Launch) -> Iterator[None]:
    """Say how to go on, however the run was stopped."""
    resume = _again(launch)
    try:
        yield
    except KeyboardInterrupt:
        messages().print(f"stopped; every finished trial is kept. Go on with: {resume}", markup=False)
        raise
    except StaleWriter as error:
        taken = f"{launch.experiment_id} was taken over by another process"
        error.message = f"{taken}, which goes on; this one stops"
        raise
    except NightschoolError as error:
        error.message += f" Every finished trial is kept; go on with: {resume}"
        raise


async def _run(launch: Launch, trials_at_once: int, only: Only | None) -> RunOutcome:
    with _bar() as bar:
        task = bar.add_task("", total=launch.manifest.expected, eta="")

        def show(progress: Progress) -> None:
            bar.update(task, completed=progress.done, eta=_eta(progress))

        return await launch.run(trials_at_once=trials_at_once, on_progress=show, only=only)


def _bar() -> Bar:
    eta = TextColumn("{task.fields[eta]}")
    return Bar(BarColumn(40), TaskProgressColumn(), MofNCompleteColumn(), eta, console=messages())


def _eta(progress: Progress) -> str:
    """Return what stands beside the bar: time left, cost so far, errors, and how far a server slowed it."""
    parts = [] if progress.eta_seconds is None else [f"{progress.eta_seconds:.0f} s left"]
    if progress.tokens:
        parts.append(f"{progress.tokens / 1000:,.0f}k tokens, ${progress.cost_usd:,.2f}")
    if progress.errored or progress.last_error:
        last = f" (last: {progress.last_error[:_ERROR_WIDTH]})" if progress.last_error else ""
        parts.append(f"{progress.errored} errored{last}")
    if progress.last_error and progress.width > 1:
        parts.append(f"{progress.width} at once")
    return ", ".join(parts)


def _headline(launch: Launch) -> str:
    manifest = launch.manifest
    parts = (
        manifest.suite,
        f"{len(manifest.samples)} documents × {len(manifest.arms)} arms × {manifest.repeats} repeats",
        _BRAINS.get(manifest.brain, f"brain {manifest.brain}"),
        launch.experiment_id,
    )
    return " · ".join(parts)


def _print_failures(failures: Sequence[TrialFailed]) -> None:
    """Say what the errored trials failed with, each reason once."""
    reasons = Counter(str(failure.error.get("message", "no reason given")) for failure in failures)
    for reason, count in reasons.most_common(_REASONS):
        messages().print(f"{count} errored: {reason}", markup=False, style="red")
    if len(reasons) > _REASONS:
        messages().print(
            f"... and {len(reasons) - _REASONS} other reasons; see the column error of v1_trials"
        )


def _print_remains(settings: Settings, launch: Launch, outcome: RunOutcome, *, is_copied: bool) -> None:
    """Say what a resume or a sync would still do."""
    if outcome.is_decided:
        messages().print(f"stopped early: {outcome.stopped}", markup=False)
    elif outcome.stopped:
        messages().print(f"no more trials were begun: {outcome.stopped}", markup=False, style="red")
    if outcome.retryable and not outcome.is_decided:
        again = _again(launch)
        messages().print(
            f"{outcome.retryable} trials failed for reasons outside; try them again: {again}", markup=False
        )
    if not is_copied:
        later = f"{settings.warehouse_path} could not be written now; what is missing there is in the journal"
        messages().print(f"{later} and copied by the next run or {command('sync')}", markup=False)


def _where(settings: Settings) -> str:
    question = command("sql", "SELECT * FROM v1_trials")
    return f"stored in {settings.warehouse_path} · open the dashboard: make dashboard · ask: {question}"
