"""What orchestration costs: 1,000 tasks that do nothing, 50 layers of 20, every start and end on disk.

    .venv/bin/python -m benchmarks.orchestration [--json] [--peer-python PATH] [--repeats 3]

Beside it, on the same shape and in the same run: plain asyncio, LangGraph without and with its SQLite
checkpointer, pydantic-graph. The peers are not installed with nightschool; an interpreter that has them is
made by

    python -m venv PEERS && PEERS/bin/pip install langgraph langgraph-checkpoint-sqlite pydantic-graph

Ours waits for the disk before anything follows from an event; LangGraph's checkpointer by default does not
(durability `async`), so its other way, `sync`, is measured too.

Of several runs the quickest counts, for all alike: on a shared machine it is the one least disturbed.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import anyio

from benchmarks.figures import Figure, Report, machine
from benchmarks.planned_runs import in_memory, journaled, layered

__all__ = ["main"]

ROOT: Final = Path(__file__).resolve().parent.parent
DEPTH: Final = 50
WIDTH: Final = 20
WIDTHS: Final = (1, 2, 4, 8, 16, 32, 64)
MANY: Final = 10_000
BAR_SECONDS: Final = 0.3
BAR_RATIO: Final = 10.0
OURS: Final = "nightschool, journaled"
PROCESSOR: Final = "nightschool, journaled, processor time"
PEERS: Final = {
    "asyncio": "plain asyncio, graphlib, no record",
    "langgraph": "LangGraph, no checkpointer",
    "langgraph-sqlite": "LangGraph, SQLite checkpointer, its default (durability async)",
    "langgraph-sqlite-sync": "LangGraph, SQLite checkpointer, durability sync",
    "pydantic-graph": "pydantic-graph, map and join",
}
RATIOS: Final = {
    "langgraph-sqlite": "ratio_langgraph_sqlite",
    "langgraph-sqlite-sync": "ratio_langgraph_sqlite_sync",
    "langgraph": "ratio_langgraph",
    "asyncio": "ratio_asyncio",
    "pydantic-graph": "ratio_pydantic_graph",
}


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure what orchestration costs on this machine.")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--peer-python", type=Path, help="an interpreter with the peers in it")
    parser.add_argument("--repeats", type=int, default=3, help="runs of which the quickest counts")
    return parser.parse_args(arguments)


def _peer(python: Path | str, name: str) -> float | None:
    """Return a peer's seconds for one run after a first one; None where it cannot be had."""
    script = str(ROOT / "benchmarks" / "orchestration_peers.py")
    command = [str(python), script, name, str(DEPTH), str(WIDTH), "1"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    if done.returncode:
        print(f"{name}: not measured: {done.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
        return None
    return float(min(json.loads(done.stdout)))


def _compared(options: argparse.Namespace, folder: Path) -> dict[str, float]:
    """Return the quickest seconds of each, the runs taken in turns so that all meet the same machine."""
    pythons = {"asyncio": Path(sys.executable)}
    if options.peer_python:
        pythons |= dict.fromkeys(PEERS, options.peer_python)
    plan, best = layered(DEPTH, WIDTH), dict[str, float]()
    for _ in range(options.repeats):
        for _ in range(2):
            took = anyio.run(journaled, plan, WIDTH, folder)
            _keep(best, OURS, took.seconds)
            _keep(best, PROCESSOR, took.processor_seconds)
        _keep(best, "memory", anyio.run(in_memory, plan, WIDTH).seconds)
        for name, python in pythons.items():
            _keep(best, name, _peer(python, name))
    return best


def _keep(best: dict[str, float], name: str, seconds: float | None) -> None:
    if seconds is not None:
        best[name] = min(seconds, best.get(name, seconds))


def _figures(best: dict[str, float], options: argparse.Namespace, folder: Path) -> Iterator[Figure]:
    ours = best[OURS]
    tasks = f"{DEPTH * WIDTH:,} tasks, {DEPTH} layers of {WIDTH}"
    yield Figure(
        name=OURS, value=ours, unit="s", bar=f"< {BAR_SECONDS} s", meets=ours < BAR_SECONDS, note=tasks
    )
    yield Figure(name=PROCESSOR, value=best[PROCESSOR], unit="s", note="of all its threads")
    yield Figure(name="nightschool, no disk", value=best["memory"], unit="s", note=tasks)
    for name, title in PEERS.items():
        if name in best:
            ratio = best[name] / ours
            bar = f"≥ {BAR_RATIO:.0f}× ours" if name == "langgraph-sqlite" else None
            met = ratio >= BAR_RATIO if bar else None
            note = f"{ratio:.2f} times ours"
            yield Figure(name=title, value=best[name], unit="s", bar=bar, meets=met, note=note)
    for width in WIDTHS:
        plan = layered(640 // width, width)
        runs = [anyio.run(journaled, plan, width, folder).seconds for _ in range(options.repeats)]
        yield Figure(
            name=f"per task, {width} wide", value=min(runs) / len(plan.tasks) * 1e6, unit="µs",
            note="journaled, all tasks of a layer wait for all of the layer before",
        )  # fmt: skip
    command = [sys.executable, "-m", "benchmarks.planned_runs", str(MANY)]
    grown = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    yield Figure(name=f"memory of {MANY:,} tasks", value=float(grown.stdout), unit="MB", note="20 wide")


def main(arguments: list[str]) -> int:
    """Measure, print the figures; return 1 when a bar is missed."""
    options = _options(arguments)
    before = machine()
    with tempfile.TemporaryDirectory(dir=ROOT, prefix=".bench-") as folder:
        best = _compared(options, Path(folder))
        report = Report(machine=before, figures=list(_figures(best, options, Path(folder))))
    ratios: dict[str, Any] = {
        key: round(best[name] / best[OURS], 3) for name, key in RATIOS.items() if name in best
    }
    if options.json:
        print(json.dumps(report.as_json() | ratios, indent=2))
    else:
        print("\n".join(report.lines()))
    return int(any(figure.meets is False for figure in report.figures))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
