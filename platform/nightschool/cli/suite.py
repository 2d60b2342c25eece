"""`nightschool suite`: begin a suite of one's own, and find out whether it is fit to compare arms on."""

from __future__ import annotations

import re
import shlex
from dataclasses import asdict
from pathlib import Path

import click

from nightschool.cli.console import command, json_option, results, show_json
from nightschool.cli.exits import Exit
from nightschool.core.errors import InvalidInput
from nightschool.experiments.suite import load_suite
from nightschool.experiments.suite_check import check_suite
from nightschool.experiments.suite_of_lines import suite_of_lines
from nightschool.experiments.suite_template import suite_files
from nightschool.outcomes.rubric import parse_rubric
from nightschool.settings import Settings

__all__ = ["check", "new", "suite"]

_NAME = re.compile(r"[a-z][a-z0-9_-]*")


@click.group()
def suite() -> None:
    """Write suites, and check them."""


@suite.command()
@click.argument("name")
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where (default: the first of the suites).",
)
@click.option(
    "--from",
    "cases",
    type=click.Path(path_type=Path),
    help="A file of your own cases, a line of JSON each, with input and target.",
)
@click.option("--rubric", type=click.Path(path_type=Path), help="With --from: your rubric, in Markdown.")
@click.pass_obj
def new(
    settings: Settings, /, *, name: str, folder: Path | None, cases: Path | None, rubric: Path | None
) -> None:
    """Write a suite called NAME that works as it is, to be changed file by file."""
    if not _NAME.fullmatch(name):
        raise InvalidInput(
            f"`{name}` cannot be a suite's name: small letters, digits, - and _, a letter first"
        )
    place = (folder or settings.suite_dirs[0]) / name
    if place.exists():
        raise InvalidInput(f"{place} exists already; nothing was written")
    files = suite_files(name) if cases is None else suite_of_lines(name, cases, _rubric(rubric))
    if cases is None and rubric is not None:
        raise InvalidInput("--rubric goes with --from")
    try:
        for path, text in files.items():
            (place / path).parent.mkdir(parents=True, exist_ok=True)
            (place / path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise InvalidInput(f"{place} cannot be written: {error.strerror}") from error
    known = place.parent.resolve() in [each.resolve() for each in settings.suite_dirs]
    where = "" if known else f"NIGHTSCHOOL_SUITES={shlex.quote(str(place.parent))} "
    results().print(
        f"{place} is written; change its files and try it: {where}{command('suite', 'check', name)}",
        markup=False,
    )


def _rubric(path: Path | None) -> str | None:
    """Return the text of a rubric that can be read as one. Raises Malformed if it cannot."""
    if path is None:
        return None
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{path} cannot be read: {error}") from error
    parse_rubric(text, name=str(path))
    return text


@suite.command()
@click.argument("name")
@json_option
@click.pass_obj
def check(settings: Settings, /, *, name: str, as_json: bool) -> int:
    """Try the suite NAME: repeatable draws and scores, gold out of sight, no shortcut that passes."""
    found = check_suite(load_suite(name, settings.suite_dirs))
    if as_json:
        show_json(
            {"suite": found.suite, "is_fit": found.is_fit, "findings": [asdict(f) for f in found.findings]}
        )
        return int(Exit.SUCCESS if found.is_fit else Exit.INVALID)
    for finding in found.findings:
        results().print(f"{'ok  ' if finding.ok else 'FAIL'} {finding.name}: {finding.text}", markup=False)
    verdict = "is fit to compare arms on" if found.is_fit else "is not fit to compare arms on yet"
    results().print(f"{found.suite} {verdict}", markup=False)
    return int(Exit.SUCCESS if found.is_fit else Exit.INVALID)
