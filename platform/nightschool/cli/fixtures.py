"""`nightschool fixtures`: data to try things on, drawn and labelled as such."""

from __future__ import annotations

from pathlib import Path

import click
from rich.progress import BarColumn, MofNCompleteColumn, Progress

from nightschool.cli.console import json_option, messages, results, show_json
from nightschool.core.clock import SystemClock
from nightschool.experiments.design import Manifest, declare, manifest_hash
from nightschool.journal.journal import Journal
from nightschool.settings import Settings, read_settings
from nightschool.warehouse.big import BIG_ARMS, BIG_DOCUMENTS, BIG_REPEATS, long_session_id, write_big

__all__ = ["big", "fixtures"]


@click.group()
def fixtures() -> None:
    """Make data to try things on; all of it is simulated, and says so."""


@fixtures.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--events", default=10_000_000, show_default=True, type=click.IntRange(min=100), help="How many events."
)
@json_option
@click.pass_obj
def big(_settings: Settings, *, folder: Path, events: int, as_json: bool) -> None:
    """Make a new data folder FOLDER with very many events, to see how fast questions and pages are.

    Ten million events take about 2 GB and some minutes. One session has 20,000 events.
    """
    place = read_settings(data=folder)
    manifest = _manifest()
    with Progress(BarColumn(40), MofNCompleteColumn(), console=messages(), transient=True) as bar:
        task = bar.add_task("", total=events)
        write_big(
            place.warehouse_path,
            events,
            manifest=manifest.model_dump_json(),
            digest=manifest_hash(manifest),
            on_progress=lambda done: bar.update(task, completed=done),
        )
    # An empty journal, so that the commands that look for one find it.
    Journal.open(place.journal_path, clock=SystemClock()).close()
    if as_json:
        show_json({"folder": folder, "events": events, "long_session": long_session_id(events)})
        return
    size = place.warehouse_path.stat().st_size / 1024 / 1024
    results().print(f"{events:,} simulated events in {place.warehouse_path} ({size:,.0f} MB)", markup=False)
    results().print(f"the long session: {long_session_id(events)}", markup=False)
    messages().print(f"look at it: nightschool --data {folder} open", markup=False)


def _manifest() -> Manifest:
    return declare(
        {
            "suite": "drawn",
            "suite_hash": "drawn",
            "arms": list(BIG_ARMS),
            "arm_hashes": dict.fromkeys(BIG_ARMS, "drawn"),
            "samples": list(BIG_DOCUMENTS),
            "repeats": BIG_REPEATS,
            "seed": 1,
            "brain": "simulated",
            "code_version": "drawn",
            "primary_metric": "recall",
            "declared_at": SystemClock().now(),
        }
    )
