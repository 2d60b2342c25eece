"""Acknowledged appends: the journal against bare SQLite on the same disk, in turns within one run.

The bar is bare SQLite with the same batch shape: as many writers, each committing its own event with
``synchronous=FULL``. They take turns at one connection; with one each, SQLite's way of waiting (sleeping up
to 100 ms) makes it dozens of times slower; beating that would say nothing. Beside it stands the stricter
comparison: one thread that commits as many rows at once as there are writers. SQLite gets its rows as
finished text; what the journal does besides (encoding, hashing, numbering, refusing doubles) counts.
"""

from __future__ import annotations

import random
import sqlite3
import statistics
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Final

from benchmarks.figures import Figure, spread
from nightschool.core.clock import SystemClock
from nightschool.core.ids import IdSource
from nightschool.events.agent import AgentToolResult
from nightschool.events.base import TextBlock
from nightschool.events.union import dump_event
from nightschool.journal.journal import Journal

__all__ = ["measure"]

WRITERS: Final = 20
ROUNDS: Final = 3
EVENTS: Final = 20_000
_SHARE: Final = 0.6
_SCHEMA: Final = (
    "CREATE TABLE IF NOT EXISTS event (position INTEGER PRIMARY KEY, session TEXT, id TEXT, body TEXT)"
)
_INSERT: Final = "INSERT INTO event (session, id, body) VALUES (?, ?, ?)"

Row = tuple[str, str, str]
Work = Callable[[float, list[float]], int]
"""Append until a moment, add each wait to a list, and return how many events it were."""


def measure(folder: Path, seconds: float) -> Iterator[Figure]:
    """Yield the figures; each case runs in three turns of ``seconds`` / 3."""
    journal = Journal.open(folder / "appends.sqlite", clock=SystemClock())
    with closing(journal), _Bare.open(folder / "bare.sqlite") as bare:
        cases: dict[str, tuple[int, Callable[[], Work]]] = {
            "journal": (WRITERS, lambda: partial(_journal, journal, _events(EVENTS))),
            "bare": (WRITERS, lambda: partial(_bare, bare, 1, _rows(EVENTS))),
            "strict": (1, lambda: partial(_bare, bare, WRITERS, _rows(5 * EVENTS))),
            "single": (1, lambda: partial(_journal, journal, _events(EVENTS))),
            "bare single": (1, lambda: partial(_bare, bare, 1, _rows(EVENTS))),
        }
        rates: dict[str, list[float]] = {name: [] for name in cases}
        waits: dict[str, list[float]] = {name: [] for name in cases}
        for _ in range(ROUNDS):
            for name, (threads, make) in cases.items():
                rates[name].append(_rate(make(), threads, seconds / ROUNDS, waits[name]))
    yield from _figures({name: statistics.median(of) for name, of in rates.items()}, waits)


def _figures(rate: dict[str, float], waits: dict[str, list[float]]) -> Iterator[Figure]:
    share = rate["journal"] / rate["bare"]
    p50, p95, _ = spread(waits["journal"])
    acknowledged = f"acknowledged after p50 {p50:.1f}, p95 {p95:.1f} ms"
    yield Figure(name="appends, 20 writers", value=rate["journal"], unit="events/s", note=acknowledged)
    yield Figure(
        name="... against bare SQLite, same writers",
        value=share,
        unit="×",
        bar=f"≥ {_SHARE} ×",
        meets=share >= _SHARE,
        note=f"SQLite {rate['bare']:,.0f} events/s: one event a commit, in turns, synchronous=FULL",
    )
    yield Figure(
        name="... against one thread, 20 rows a commit",
        value=rate["journal"] / rate["strict"],
        unit="×",
        note=f"SQLite {rate['strict']:,.0f} events/s; no thread waits for another",
    )
    p50, p95, _ = spread(waits["single"])
    yield Figure(
        name="appends, one writer",
        value=rate["single"],
        unit="events/s",
        note=f"p50 {p50:.2f}, p95 {p95:.2f} ms; {rate['single'] / rate['bare single']:.2f} × bare SQLite",
    )


def _rate(work: Work, threads: int, seconds: float, waits: list[float]) -> float:
    done: list[int] = []
    began = time.perf_counter()

    def run() -> None:
        done.append(work(began + seconds, waits))

    workers = [threading.Thread(target=run) for _ in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return sum(done) / (time.perf_counter() - began)


def _rows(count: int) -> Iterator[Row]:
    return iter([("s", event.id, dump_event(event)) for event in _events(count)])


def _events(count: int) -> Iterator[AgentToolResult]:
    """Return events of about 660 bytes, a usual size; made before the clock starts."""
    ids = IdSource(rng=random.Random(time.perf_counter_ns()))
    text = TextBlock(text="The Supplier's liability is limited to the fees paid in twelve months. " * 6)
    return iter(
        [
            AgentToolResult(id=ids.new("event"), tool_use_id=ids.new("event"), content=(text,))
            for _ in range(count)
        ]
    )


def _journal(journal: Journal, events: Iterator[AgentToolResult], until: float, waits: list[float]) -> int:
    session, done = IdSource().new("session"), 0
    for event in events:
        began = time.perf_counter()
        journal.append(session, [event], epoch=1)
        ended = time.perf_counter()
        waits.append(ended - began)
        done += 1
        if ended > until:
            break
    return done


@dataclass(frozen=True, slots=True)
class _Bare:
    """A table in SQLite and nothing else."""

    connection: sqlite3.Connection
    turn: threading.Lock

    @classmethod
    @contextmanager
    def open(cls, path: Path) -> Iterator[_Bare]:
        connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        with closing(connection):
            connection.execute("PRAGMA journal_mode = WAL").fetchall()
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute(_SCHEMA)
            yield cls(connection, threading.Lock())

    def commit(self, values: list[Row]) -> None:
        with self.turn:
            self.connection.execute("BEGIN IMMEDIATE")
            self.connection.executemany(_INSERT, values)
            self.connection.execute("COMMIT")


def _bare(bare: _Bare, rows: int, bodies: Iterator[Row], until: float, waits: list[float]) -> int:
    """Commit ``rows`` events at a time."""
    done = 0
    while values := list(islice(bodies, rows)):
        began = time.perf_counter()
        bare.commit(values)
        ended = time.perf_counter()
        waits.append(ended - began)
        done += len(values)
        if ended > until:
            break
    return done
