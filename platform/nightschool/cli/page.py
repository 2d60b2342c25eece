"""`nightschool report`: an experiment as one page to read, keep and pass on."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import anyio
import click

from nightschool.bootstrap import open_workspace
from nightschool.cli.console import command, json_option, messages, results, show_json
from nightschool.core.errors import InvalidInput
from nightschool.experiments.analysis import analyse
from nightschool.experiments.design import Manifest
from nightschool.experiments.examination import Examination, examine
from nightschool.experiments.measures import from_ledger
from nightschool.experiments.page.document import write_page
from nightschool.experiments.report_json import to_json
from nightschool.settings import Settings

__all__ = ["report"]

_SCHEMA: Final = "nightschool.examination/1"


@click.command()
@click.argument("experiment", default="LAST")
@click.option("--out", type=click.Path(path_type=Path), help="The file to write (default: EXPERIMENT.html).")
@json_option
@click.pass_obj
def report(settings: Settings, /, *, experiment: str, out: Path | None, as_json: bool) -> None:
    """Write EXPERIMENT as one self-contained HTML page, or print what stands on it as JSON."""
    with open_workspace(settings, read_only=True) as workspace:
        found = anyio.run(examine, workspace, experiment)
    if as_json:
        show_json(_as_json(found))
        if out is None:
            return
    path = out or Path(f"{found.experiment_id}.html")
    try:
        path.write_text(_page(found), encoding="utf-8")
    except OSError as error:
        raise InvalidInput(f"{path} cannot be written: {error.strerror}") from error
    said = messages() if as_json else results()
    said.print(f"{path} ({path.stat().st_size / 1024:.0f} KB)", markup=False)


def _as_json(found: Examination) -> dict[str, Any]:
    analysis = analyse(found.report, from_ledger(found.ledger))
    return {
        "schema": _SCHEMA,
        "report": to_json(found.report),
        "threats": [asdict(threat) for threat in found.threats],
        "factors": [{"effect": each.effect.name, "p_holm": each.p_holm} for each in analysis.effects],
        "best": None if analysis.best is None else asdict(analysis.best),
        "front": {"quantities": analysis.quantities, "arms": [asdict(place) for place in analysis.front]},
        "odds_of_passing": [asdict(each) for each in analysis.odds],
    }


def _page(found: Examination) -> str:
    return write_page(
        found.report,
        analyse(found.report, from_ledger(found.ledger)),
        found.threats,
        searched=found.searched,
        commands=_again(found.report.manifest, found.experiment_id),
    )


def _again(manifest: Manifest, experiment_id: str) -> list[str]:
    run = ["run", manifest.suite, "--arms", ",".join(manifest.arms), "--brain", manifest.brain]
    run += ["--repeats", str(manifest.repeats), "--seed", str(manifest.seed), "--tier", manifest.tier]
    first = command(*run, "--samples", ",".join(manifest.samples))
    if manifest.recipes:
        # The arms are cells of a design: only the file it was declared in names them.
        first = f"{command('run', 'experiment.yaml')}   # the file it was declared in"
    elif "/" in manifest.suite:  # no suite of ours has such a name: `inspect/fees`
        first = "# these trials were run elsewhere and imported"
    return [
        first,
        command("compare", experiment_id, "--json"),
        command("gate", experiment_id),
    ]
