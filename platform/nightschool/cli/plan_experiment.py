"""`nightschool plan experiment`: what an experiment will take and can show, before it costs anything."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import anyio
import click
from rich.table import Table

from nightschool.bootstrap import Workspace, connect_model, open_workspace
from nightschool.cli.console import command, results, show_json
from nightschool.core.errors import ConfigurationMissing
from nightschool.experiments.design import manifest_hash
from nightschool.experiments.experiment_file import read_experiment
from nightschool.experiments.launch import declare_request
from nightschool.experiments.ledger import Ledger, fold
from nightschool.experiments.projection import Projection, project
from nightschool.settings import Settings

__all__ = ["experiment"]


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
@click.pass_obj
def experiment(settings: Settings, /, *, file: Path, as_json: bool) -> None:
    """Show the trials of the experiment in FILE, what they will take and can show. Runs nothing."""
    request = read_experiment(file)
    with open_workspace(settings) as workspace:
        manifest, suite, _ = declare_request(workspace, request)
        for brain in {manifest.brain, *manifest.brains.values()}:
            with suppress(ConfigurationMissing):  # a plan needs no key
                connect_model(settings, brain, context_limit_tokens=None)
        earlier = anyio.run(_earlier, workspace)
    pages = {
        sample.id: float(sample.facts["pages"])
        for sample in suite.module.samples(suite.config)
        if "pages" in sample.facts
    }
    reference = suite.reference
    per_page = (None, None) if reference is None else (reference.tokens_per_page, reference.seconds_per_page)
    planned = project(manifest, earlier, pages, per_page)
    if as_json:
        show_json(_as_json(planned))
    else:
        _print(planned, file)


async def _earlier(workspace: Workspace) -> list[Ledger]:
    known = sorted(await workspace.log.list_sessions(prefix="exp_"))
    ledgers = [fold(await workspace.log.get_events(name)) for name in known]
    return [ledger for ledger in ledgers if ledger.created is not None]


def _print(planned: Projection, file: Path) -> None:
    m, console = planned.manifest, results()
    size = f"{len(m.samples)} samples × {len(m.arms)} arms × {m.repeats} repeats"
    console.print(f"{m.suite} · {size} = {m.expected} trials · brain {m.brain}", markup=False)
    if m.question:
        console.print(m.question, markup=False)
    table = Table("arm", "trials", "tokens", "US dollars", "seconds", "projected from", box=None)
    for arm in planned.arms:
        cells = (_many(arm.tokens), _money(arm.usd), _many(arm.seconds))
        table.add_row(arm.arm, str(arm.trials), *cells, arm.basis)
    console.print(table)
    for each in planned.contrasts:
        console.print(_sentence(planned, each), markup=False)
    for cap, holds in planned.within_budget.items():
        words = {True: "is enough", False: "is NOT enough", None: "cannot be compared with anything yet"}[
            holds
        ]
        console.print(f"budget {cap} {m.budget[cap]:g}: {words}", markup=False)
    console.print(f"run it: {command('run', str(file))}", markup=False)


def _sentence(planned: Projection, each: Any) -> str:
    m = planned.manifest
    found = "–" if each.detectable is None else f"{each.detectable:.3f}"
    parts = [f"{each.treatment} − {each.baseline}: detects {found} of {m.primary_metric} at 80 % power"]
    if each.power is not None:
        needed = "more than 100,000" if each.samples_needed is None else f"{each.samples_needed:,}"
        parts.append(f"power {each.power:.0%} for {m.smallest_effect:g}, 80 % needs {needed} samples")
    return f"{'; '.join(parts)} (deviation {each.deviation:.3f}, {each.basis})"


def _as_json(planned: Projection) -> dict[str, Any]:
    m = planned.manifest
    return {
        "schema": "nightschool.plan/1",
        "manifest_hash": manifest_hash(m),
        "trials": m.expected,
        "projected": True,
        "arms": [
            {
                "arm": arm.arm,
                "trials": arm.trials,
                "tokens": arm.tokens,
                "usd": arm.usd,
                "seconds": arm.seconds,
                "basis": arm.basis,
            }
            for arm in planned.arms
        ],
        "contrasts": [
            {
                "treatment": each.treatment,
                "baseline": each.baseline,
                "metric": m.primary_metric,
                "deviation": each.deviation,
                "basis": each.basis,
                "detectable": each.detectable,
                "power": each.power,
                "samples_needed": each.samples_needed,
            }
            for each in planned.contrasts
        ],
        "within_budget": dict(planned.within_budget),
    }


def _many(value: float | None) -> str:
    return "not known" if value is None else f"{value:,.0f}"


def _money(value: float | None) -> str:
    return "not known" if value is None else f"{value:,.4f}" if value < 1 else f"{value:,.2f}"
