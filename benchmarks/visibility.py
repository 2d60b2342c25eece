"""From commit to visible in another process: through the journal as a follower, and through SQL as a reader.

The writing process notes when each append was acknowledged, the other one when it has the event in hand; both
read the same monotonic clock of the machine.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

from benchmarks.figures import Figure, spread
from nightschool.core.clock import SystemClock
from nightschool.core.ids import IdSource
from nightschool.events.agent import AgentMessage
from nightschool.events.base import TextBlock
from nightschool.journal.journal import Journal
from nightschool.warehouse.background import following
from nightschool.warehouse.reader import open_warehouse
from nightschool.warehouse.store import Warehouse

__all__ = ["measure"]

ROOT: Final = Path(__file__).resolve().parent.parent
EVENTS: Final = 200
WARMING: Final = 60
"""Events before those: the first ones find libraries still being loaded."""
_BAR_MILLISECONDS: Final = 250
_LAST: Final = "last"


def measure(folder: Path) -> Iterator[Figure]:
    """Yield p95 for both ways, while a sync goes on in the background as it does in a run."""
    for way, how in (("follow", "journal, followed"), ("query", "SQL, asked when the journal moves")):
        p50, p95, longest = spread(_delays(folder / way, way))
        yield Figure(
            name=f"commit to visible elsewhere: {how}",
            value=p95,
            unit="ms (p95)",
            bar=f"< {_BAR_MILLISECONDS} ms",
            meets=p95 < _BAR_MILLISECONDS,
            note=f"p50 {p50:.1f}, longest {longest:.0f} ms, {EVENTS} events",
        )


def _delays(folder: Path, way: str) -> list[float]:
    command = [sys.executable, "-m", "benchmarks.visibility", str(folder), way]
    with closing(Journal.open(folder / "journal.sqlite", clock=SystemClock())) as journal:
        warehouse = Warehouse.open(folder / "nightschool.duckdb")
        warehouse.sync(journal)  # makes the file, once in a folder's life
        with (
            following(warehouse, journal),
            subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as other,
        ):
            if other.stdout is None or other.stdout.readline() != "ready\n":
                raise AssertionError("the reading process did not start")
            committed = _write(journal)
            seen: dict[str, float] = json.loads(other.stdout.read())
    return [seen[event_id] - moment for event_id, moment in committed.items()]


def _write(journal: Journal) -> dict[str, float]:
    """Append events at uneven intervals; return when each was acknowledged."""
    ids, pauses, committed = IdSource(), random.Random(1), dict[str, float]()
    for number in range(WARMING + EVENTS + 1):
        text = _LAST if number == WARMING + EVENTS else "x" * 300
        event = AgentMessage(id=ids.new("event"), content=(TextBlock(text=text),))
        journal.append("sesn_1", [event], epoch=1)
        if number >= WARMING and text != _LAST:
            committed[event.id] = time.monotonic()
        time.sleep(pauses.random() * 0.05)
    return committed


def _follow(journal: Journal) -> dict[str, float]:
    seen, position, is_over = dict[str, float](), 0, False
    print("ready", flush=True)
    while not is_over:
        journal.wait_beyond(position, timeout_seconds=10)
        for entry in journal.tail(position, 1000):
            seen[entry.event_id] = time.monotonic()
            position, is_over = entry.position, _LAST in entry.body
    return seen


def _query(folder: Path, journal: Journal) -> dict[str, float]:
    seen, position, is_over = dict[str, float](), 0, False
    question = "SELECT position, event_id, content FROM v1_events WHERE position > ? ORDER BY position"
    with open_warehouse(folder / "nightschool.duckdb", journal=journal) as reader:
        reader.query(question, [position])  # the first question makes the views
        print("ready", flush=True)
        while not is_over:
            journal.wait_beyond(position, timeout_seconds=10)
            for place, event_id, content in reader.query(question, [position]).rows():
                seen[event_id] = time.monotonic()
                position, is_over = place, content == _LAST
    return seen


def main() -> None:
    """Be the other process."""
    folder, way = Path(sys.argv[1]), sys.argv[2]
    with closing(Journal.open(folder / "journal.sqlite", clock=SystemClock(), read_only=True)) as journal:
        print(json.dumps(_follow(journal) if way == "follow" else _query(folder, journal)))


if __name__ == "__main__":
    main()
