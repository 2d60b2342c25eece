"""How fast the log is on this machine: appends, visibility, sync, frames, questions.

    .venv/bin/python -m benchmarks.log [--big] [--json FILE] [--inspect-python PATH] [--only PART]

Every case works in a temporary folder on the repository's disk. What is compared is compared within one run.
Numbers of a shared machine are worth little below a factor of two. `docs/performance.md` has a run's
table and says what each bar means.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Final

from benchmarks import appending, loading, questions, visibility
from benchmarks.figures import Figure, Report, machine

__all__ = ["main"]

ROOT: Final = Path(__file__).resolve().parent.parent
MILLION: Final = 1_000_000
Part = Callable[[Path], Iterator[Figure]]


def _parts(options: argparse.Namespace) -> dict[str, Part]:
    sizes = (MILLION, 10 * MILLION) if options.big else (MILLION,)
    parts: dict[str, Part] = {
        "append": partial(appending.measure, seconds=options.seconds),
        "visible": visibility.measure,
        "load": partial(loading.measure, inspect_python=options.inspect_python),
    }
    return parts | {f"ask-{size // MILLION}M": partial(questions.measure, events=size) for size in sizes}


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure the log on this machine.")
    parser.add_argument("--seconds", type=float, default=6.0, help="how long each append case runs")
    parser.add_argument(
        "--big", action="store_true", help="ask 10 million events too; needs 5 GB and minutes"
    )
    parser.add_argument("--json", type=Path, help="write the figures to this file as well")
    parser.add_argument("--inspect-python", type=Path, help="an interpreter with inspect_ai and pandas in it")
    parser.add_argument("--only", help="one part: append, visible, load, ask-1M or ask-10M")
    return parser.parse_args(arguments)


def _measured(folder: Path, parts: dict[str, Part]) -> Iterator[Figure]:
    for name, part in parts.items():
        own = folder / name
        own.mkdir()
        for figure in part(own):
            print(
                f"{figure.name}: {figure.value:,.2f} {figure.unit} {figure.note}", file=sys.stderr, flush=True
            )
            yield figure


def main(arguments: list[str]) -> int:
    """Run every part, print the table; return 1 when a bar is missed."""
    options = _options(arguments)
    parts = {name: part for name, part in _parts(options).items() if options.only in {None, name}}
    before = machine()
    with tempfile.TemporaryDirectory(dir=ROOT, prefix=".bench-") as folder:
        report = Report(machine=before, figures=list(_measured(Path(folder), parts)))
    print("\n".join(report.lines()))
    if options.json:
        options.json.write_text(json.dumps(report.as_json(), indent=2) + "\n", encoding="utf-8")
    return int(any(figure.meets is False for figure in report.figures))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
