"""How fast the log is on this machine: acknowledged appends, and the sync into the warehouse.

    .venv/bin/python benchmarks/log.py [SECONDS]      how long each append case runs; 2 by default

Every case works in a temporary folder of the same disk as the repository, and prints one line. Numbers of a
shared machine are worth little below a factor of two.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from nightschool.core.clock import SystemClock
from nightschool.core.ids import IdSource
from nightschool.events.agent import AgentToolResult
from nightschool.events.base import TextBlock
from nightschool.journal.journal import Journal
from nightschool.warehouse.store import Warehouse

__all__ = ["main"]

ROOT: Final = Path(__file__).resolve().parent.parent
CASES: Final = ((1, 1), (8, 1), (1, 50), (8, 50))
"""Threads, and events in one append."""


def _batches(ids: IdSource, size: int) -> Iterator[list[AgentToolResult]]:
    """Yield appends of events of about 660 bytes, a usual size."""
    block = TextBlock(text="The Supplier's liability is limited to the fees paid in twelve months. " * 6)
    while True:
        yield [
            AgentToolResult(id=ids.new("event"), tool_use_id=ids.new("event"), content=(block,))
            for _ in range(size)
        ]


def _append_until(journal: Journal, deadline: float, size: int, waits: list[float]) -> None:
    ids = IdSource()
    session = ids.new("session")
    for batch in _batches(ids, size):
        began = time.perf_counter()
        if began > deadline:
            return
        journal.append(session, batch, epoch=1)
        waits.append(time.perf_counter() - began)


def _appends(journal: Journal, threads: int, size: int, seconds: float) -> str:
    waits: list[float] = []
    began = time.perf_counter()
    workers = [
        threading.Thread(target=_append_until, args=(journal, began + seconds, size, waits))
        for _ in range(threads)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    rate = len(waits) * size / (time.perf_counter() - began)
    cuts = statistics.quantiles(waits, n=100)
    p50, p99 = cuts[49] * 1000, cuts[98] * 1000
    return f"{rate:>10,.0f} events/s   acknowledged after p50 {p50:.2f} ms, p99 {p99:.2f} ms"


def _sync(warehouse: Warehouse, journal: Journal) -> str:
    began = time.perf_counter()
    outcome = warehouse.sync(journal)
    rate = outcome.events / (time.perf_counter() - began)
    size = warehouse.path.stat().st_size / outcome.events
    return f"{rate:>10,.0f} events/s   {outcome.events:,} events, {size:.0f} bytes each on disk"


def main(arguments: list[str]) -> int:
    """Run every case and print it; return the exit code."""
    seconds = float(arguments[0]) if arguments else 2.0
    with tempfile.TemporaryDirectory(dir=ROOT, prefix=".bench-") as folder:
        journal = Journal.open(Path(folder, "journal.sqlite"), clock=SystemClock())
        warehouse = Warehouse.open(Path(folder, "nightschool.duckdb"))
        for threads, size in CASES:
            print(f"append  {threads} × {size:<3}", _appends(journal, threads, size, seconds))
        print("sync          ", _sync(warehouse, journal))
        journal.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
