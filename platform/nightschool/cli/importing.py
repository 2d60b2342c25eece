"""`nightschool import`: transcripts of other systems become sessions of the log."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict
from functools import partial
from pathlib import Path

import click
from rich.progress import BarColumn, DownloadColumn, TaskID, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from nightschool import __version__
from nightschool.bootstrap import open_workspace
from nightschool.cli.console import command, json_option, messages, results, show_json
from nightschool.experiments.importers import atif, inspect_eval, promptfoo, tau_bench
from nightschool.experiments.importers.comparison import as_experiment, attempts_in
from nightschool.experiments.importers.imported import (
    ImportedSession,
    ImportOutcome,
    write,
    write_streamed,
)
from nightschool.experiments.importers.reading import require_file
from nightschool.settings import Settings
from nightschool.warehouse.export import import_log

__all__ = [
    "import_",
    "import_atif",
    "import_experiment",
    "import_exported_log",
    "import_inspect",
    "import_promptfoo",
    "import_tau_bench",
]


@click.group(name="import")
def import_() -> None:
    """Bring transcripts of other systems into the log."""


@import_.command(name="tau-bench")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--model", help="The model that acted, when the file's name does not say.")
@click.option("--domain", help="The domain of the tasks, when the file's name does not say.")
@json_option
@click.pass_obj
def import_tau_bench(
    settings: Settings, *, file: Path, model: str | None, domain: str | None, as_json: bool
) -> None:
    """Import the trajectories in FILE, named MODEL-DOMAIN.json. Imported twice is imported once."""
    _import_file(settings, file, partial(tau_bench.parse, model=model, domain=domain), as_json=as_json)


@import_.command(name="inspect")
@click.argument("file", type=click.Path(path_type=Path))
@json_option
@click.pass_obj
def import_inspect(settings: Settings, /, *, file: Path, as_json: bool) -> None:
    """Import the samples in FILE, a log of Inspect AI (.eval). Imported twice is imported once."""
    _import_file(settings, file, inspect_eval.parse, as_json=as_json)


@import_.command(name="atif")
@click.argument("file", type=click.Path(path_type=Path))
@json_option
@click.pass_obj
def import_atif(settings: Settings, /, *, file: Path, as_json: bool) -> None:
    """Import the trajectories in FILE (ATIF; one, or one on each line). Imported twice is imported once."""
    _import_file(settings, file, atif.parse, as_json=as_json)


@import_.command(name="promptfoo")
@click.argument("file", type=click.Path(path_type=Path))
@json_option
@click.pass_obj
def import_promptfoo(settings: Settings, /, *, file: Path, as_json: bool) -> None:
    """Import the results in FILE (promptfoo, .json or .jsonl). Imported twice is imported once."""
    _import_file(settings, file, promptfoo.parse, as_json=as_json)


@import_.command(name="experiment")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--format", "kind", type=click.Choice(["inspect", "promptfoo"]), default="inspect", show_default=True
)
@json_option
@click.pass_obj
def import_experiment(settings: Settings, /, *, files: tuple[Path, ...], kind: str, as_json: bool) -> None:
    """Import FILES and compare them: each log of Inspect AI is an arm, the baseline first."""
    parse = {"inspect": inspect_eval.parse, "promptfoo": promptfoo.parse}[kind]
    attempts = [attempt for file in files for attempt in attempts_in(parse(file), file.stem)]
    with open_workspace(settings) as workspace:
        experiment_id = workspace.ids.new("experiment")
        now = workspace.clock.now()
        events = as_experiment(attempts, experiment_id=experiment_id, now=now, version=__version__)
        for file in files:
            write_streamed(partial(parse, file), workspace.journal)
        write([ImportedSession(session_id=experiment_id, events=tuple(events))], workspace.journal)
        workspace.warehouse.sync(workspace.journal)
    if as_json:
        show_json({"experiment": experiment_id})
        return
    results().print(f"{experiment_id}: look at it: {command('compare', experiment_id)}", markup=False)


def _import_file(
    settings: Settings, file: Path, parse: Callable[..., Iterable[ImportedSession]], *, as_json: bool
) -> None:
    require_file(file)
    with open_workspace(settings) as workspace:
        with _progress() as bar:
            steps = iter((bar.add_task("checking", total=None), bar.add_task("storing", total=None)))

            def read() -> Iterable[ImportedSession]:
                return parse(file, on_read=partial(_moved, bar, next(steps)))

            outcome = write_streamed(read, workspace.journal)
        workspace.warehouse.sync(workspace.journal)
    _say(file, outcome, as_json=as_json)


def _progress() -> Bar:
    return Bar(
        TextColumn("{task.description}"),
        BarColumn(40),
        DownloadColumn(),
        TimeRemainingColumn(),
        console=messages(),
        transient=True,
    )


def _moved(bar: Bar, step: TaskID, done: int, total: int) -> None:
    bar.update(step, completed=done, total=total)


def _say(file: Path, outcome: ImportOutcome, *, as_json: bool) -> None:
    if as_json:
        show_json(asdict(outcome))
        return
    console = results()
    console.print(f"{outcome.sessions} sessions in {file.name}, {outcome.added} of them new")
    if outcome.session_ids:
        console.print(f"look at one: {command('trace', outcome.session_ids[0])}", markup=False)


@import_.command(name="log")
@click.argument("folder", type=click.Path(path_type=Path))
@json_option
@click.pass_obj
def import_exported_log(settings: Settings, *, folder: Path, as_json: bool) -> None:
    """Import a log that `nightschool export` wrote to FOLDER. Imported twice is imported once."""
    with open_workspace(settings) as workspace:
        before = workspace.journal.last_position()
        manifest = import_log(folder, workspace.journal)
        added = workspace.journal.last_position() - before
        workspace.warehouse.sync(workspace.journal)
    if as_json:
        show_json({"sessions": manifest.sessions, "events": manifest.events, "added": added})
        return
    results().print(
        f"{manifest.sessions:,} sessions in {folder}; {added:,} of {manifest.events:,} events were new"
    )
