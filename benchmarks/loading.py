"""The sync; and 1,000 trials as a frame, beside Inspect AI's way to one, if that is there.

Inspect AI is no dependency: it runs in an interpreter of its own (``--inspect-python``), which evaluates as
many trivial samples with its mock model and loads them with ``samples_df``. A sample of its has 14 events, a
trial here 13. Both loads are timed once everything is imported. Ours is timed twice: from a reader that is
kept, as in a notebook, and from one opened for this alone.
"""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final, NamedTuple

from benchmarks.figures import Figure, timed
from nightschool.core.clock import SystemClock
from nightschool.core.ids import IdSource
from nightschool.events.agent import AgentMessage, AgentToolResult, AgentToolUse
from nightschool.events.base import EventBase, TextBlock
from nightschool.events.experiment import ExperimentCreated, TrialCompleted, TrialStarted
from nightschool.events.session import (
    AgentSnapshot,
    SessionCreated,
    SessionStatusIdle,
    SessionStatusRunning,
    StopReason,
)
from nightschool.events.span import ModelUsage, SpanModelRequestEnd, SpanModelRequestStart
from nightschool.events.user import UserMessage
from nightschool.journal.entry import Entry
from nightschool.journal.journal import Journal
from nightschool.warehouse.reader import Reader, open_warehouse
from nightschool.warehouse.store import Warehouse

__all__ = ["measure"]

TRIALS: Final = 1_000
SYNCED_SESSIONS: Final = 8_000
REPEATS: Final = 5
_FASTER: Final = 5.0
_SYNC_BAR: Final = 30_000
_EXPERIMENT: Final = "exp_benchmark"
_INSPECT: Final = Path(__file__).with_name("inspect_samples.py")
_CLAUSE: Final = "The Supplier's liability is limited to the fees paid in twelve months before the claim. "


class _Load(NamedTuple):
    """Medians, in milliseconds."""

    wall: float
    processor: float


def measure(folder: Path, *, inspect_python: Path | None) -> Iterator[Figure]:
    """Yield the figures."""
    yield from _sync(folder / "sync")
    loads, size, parts = _trials(folder / "trials")
    theirs = None if inspect_python is None else _inspected(inspect_python, folder)
    for how, load in loads.items():
        yield _load_figure(how, load, theirs)
    yield _size_figure(size, parts, theirs)


def _load_figure(how: str, load: _Load, theirs: dict[str, float] | None) -> Figure:
    name = f"{TRIALS:,} trials as a checked frame, {how}"
    if theirs is None:
        note = "not compared: no --inspect-python with Inspect AI in it was given"
        return Figure(name=name, value=load.wall, unit="ms", note=note)
    faster = theirs["wall"] / load.wall
    return Figure(
        name=name,
        value=load.wall,
        unit="ms",
        bar=f"≥ {_FASTER:.0f} × as fast as samples_df",
        meets=faster >= _FASTER,
        note=f"{faster:.1f} ×: Inspect AI {theirs['version']} needs {theirs['wall']:,.0f} ms; "
        f"processor time {load.processor:.0f} against {theirs['processor']:.0f} ms",
    )


def _size_figure(size: float, parts: str, theirs: dict[str, float] | None) -> Figure:
    against = "" if theirs is None else f"; a sample of Inspect AI's .eval log: {theirs['bytes']:,.0f} bytes"
    return Figure(name="... in the warehouse", value=size, unit="bytes per trial", note=parts + against)


class _Head:
    """The journal's first entries."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    def tail(self, after_position: int, limit: int, /) -> list[Entry]:  # noqa: ARG002
        return self._journal.tail(0, 100) if after_position == 0 else []

    def last_position(self) -> int:
        return 0


def _sync(folder: Path) -> Iterator[Figure]:
    with closing(Journal.open(folder / "journal.sqlite", clock=SystemClock())) as journal:
        ids = IdSource()
        for number in range(SYNCED_SESSIONS):
            session_id = ids.new("session")
            journal.append(session_id, _session(ids, session_id, number), epoch=1)
        warehouse = Warehouse.open(folder / "nightschool.duckdb")
        warehouse.sync(_Head(journal))  # makes the file and loads libraries, once in a process's life
        began, processor = time.perf_counter(), time.process_time()
        outcome = warehouse.sync(journal)
        rate = outcome.events / (time.perf_counter() - began)
        busy = time.process_time() - processor
    sizes = [
        (folder / name).stat().st_size / outcome.events for name in ("journal.sqlite", "nightschool.duckdb")
    ]
    yield Figure(
        name="sync",
        value=rate,
        unit="events/s",
        bar=f"≥ {_SYNC_BAR:,} events/s",
        meets=rate >= _SYNC_BAR,
        note=f"{outcome.events:,} events, {busy:.1f} s of processor time; "
        f"bytes an event: journal {sizes[0]:.0f}, warehouse {sizes[1]:.0f}",
    )


def _trials(folder: Path) -> tuple[dict[str, _Load], float, str]:
    """Return the times to a frame, bytes per trial in the warehouse, and what else there is to say."""
    with closing(Journal.open(folder / "journal.sqlite", clock=SystemClock())) as journal:
        _experiment(journal)
        warehouse = Warehouse.open(folder / "nightschool.duckdb")
        warehouse.sync(journal)
        events = journal.last_position()

        def read(reader: Reader) -> None:
            frame = reader.trials(_EXPERIMENT)
            if frame.height != TRIALS:
                raise AssertionError(f"{frame.height} trials instead of {TRIALS}")

        def open_and_read() -> None:
            with open_warehouse(warehouse.path, journal=journal) as reader:
                read(reader)

        with open_warehouse(warehouse.path, journal=journal) as kept_reader:
            loads = {
                "by a reader that is kept": _Load(*timed(lambda: read(kept_reader), repeats=REPEATS)),
                "by one opened for it": _Load(*timed(open_and_read, repeats=REPEATS)),
            }
    kept = (folder / "journal.sqlite").stat().st_size / TRIALS
    parts = f"{events / TRIALS:.0f} events each; in the journal {kept:,.0f} bytes"
    return loads, warehouse.path.stat().st_size / TRIALS, parts


def _experiment(journal: Journal) -> None:
    ids = IdSource()
    created = ExperimentCreated(
        id=ids.new("event"),
        experiment_id=_EXPERIMENT,
        manifest={"brain": "reader", "arms": ["single", "subagents"]},
        manifest_hash="0" * 64,
    )
    journal.append(_EXPERIMENT, [created], epoch=1)
    for number in range(TRIALS):
        session_id = ids.new("session")
        journal.append(_EXPERIMENT, [_started(ids, session_id, number)], epoch=1)
        journal.append(session_id, _session(ids, session_id, number), epoch=1)
        journal.append(_EXPERIMENT, [_completed(ids, session_id, number)], epoch=1)


def _place(session_id: str, number: int) -> dict[str, Any]:
    arm = ("single", "subagents")[number % 2]
    place = {"experiment_id": _EXPERIMENT, "trial_id": f"trial_{session_id}", "arm": arm}
    return place | {"sample_id": f"c-{number % 50}", "epoch": number // 100}


def _started(ids: IdSource, session_id: str, number: int) -> TrialStarted:
    return TrialStarted(id=ids.new("event"), session_id=session_id, **_place(session_id, number))


def _completed(ids: IdSource, session_id: str, number: int) -> TrialCompleted:
    share = number % 10 / 10
    return TrialCompleted(
        id=ids.new("event"),
        session_id=session_id,
        brain="reader",
        scores={"accuracy": share, "completeness": 1 - share, "format": 1.0},
        metrics={"recall": share, "false_flags": float(number % 3)},
        tiers={"strict": share > 0.8, "standard": share > 0.5, "lenient": share > 0.3},
        usage={"input_tokens": 1000 + number, "output_tokens": 100},
        tool_calls=1,
        model_calls=2,
        duration_seconds=1.5,
        cost_usd="0.0123",
        answer={"positions": [{"policy": "P07", "position": "violation", "section": "7.2"}]},
        sample={"pages": 12},
        **_place(session_id, number),
    )


def _session(ids: IdSource, session_id: str, number: int) -> list[Any]:
    """Return a session of eleven events, of about 400 bytes each."""

    def model(stop_reason: str) -> list[EventBase]:
        start = SpanModelRequestStart(id=ids.new("event"), model="reader")
        end = SpanModelRequestEnd(
            id=ids.new("event"),
            model_request_start_id=start.id,
            model_usage=ModelUsage(input_tokens=900 + number % 100, output_tokens=50),
            model="reader",
            stop_reason=stop_reason,
            duration_ms=300.0 + number % 250,
        )
        return [start, end]

    call = AgentToolUse(id=ids.new("event"), name="read_section", input={"number": f"{number % 20}.2"})
    text = TextBlock(text=f"## {number % 20}.2 Liability\n\n" + _CLAUSE * (3 + number % 5))
    metadata = {name: str(value) for name, value in _place(session_id, number).items()}
    agent = AgentSnapshot(name="reviewer", model="reader", version=1)
    return [
        SessionCreated(id=ids.new("event"), agent=agent, title="Review", metadata=metadata),
        UserMessage(id=ids.new("event"), content=(TextBlock(text="Review the whole contract."),)),
        SessionStatusRunning(id=ids.new("event")),
        *model("tool_use"),
        call,
        AgentToolResult(id=ids.new("event"), tool_use_id=call.id, content=(text,), duration_ms=1.0),
        *model("end_turn"),
        AgentMessage(id=ids.new("event"), content=(TextBlock(text=f"Finding {number}: {_CLAUSE}"),)),
        SessionStatusIdle(id=ids.new("event"), stop_reason=StopReason(type="end_turn")),
    ]


def _inspected(python: Path, folder: Path) -> dict[str, float] | None:
    """Return what Inspect AI needs; None when it is not in that interpreter."""
    command = [str(python), str(_INSPECT), str(folder / "inspect"), str(TRIALS), str(REPEATS)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"Inspect AI could not be measured: {done.stderr.strip().splitlines()[-1:]}")
        return None
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found
