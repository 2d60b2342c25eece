"""The parts that processes play around one data folder: those who write, those who copy, those who read.

Each is a function of the folder and of the moment on `time.monotonic` at which to end. What a part has done
it notes in a file beside the data, a line at a time, so that it is known when the process is killed.
"""

from __future__ import annotations

import json
import os
import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from itertools import count

import duckdb

from nightschool.core.clock import SystemClock
from nightschool.core.ids import derived_id
from nightschool.events.agent import AgentMessage
from nightschool.events.base import EventBase
from nightschool.events.experiment import ExperimentCreated, TrialCompleted, TrialStarted
from nightschool.journal.journal import Journal
from nightschool.warehouse.background import following
from nightschool.warehouse.reader import Reader, open_warehouse
from nightschool.warehouse.store import SyncStatus, Warehouse
from tests.integration.journal.writer_process import message
from tests.integration.log.sound import Folder
from tests.integration.warehouse.memory_journal import a_session

__all__ = ["EXPERIMENT", "PARTS", "SESSIONS", "appends"]

SESSIONS = ("sesn_a", "sesn_b")
EXPERIMENT = "exp_1"
_REPEATED = 20
_WRITERS = 4
_ARMS = ("single", "subagents")


def appends(first: int = 0) -> Iterator[tuple[int, str, list[AgentMessage]]]:
    """Yield the writer's appends from one on, the same in every process."""
    for number in count(first):
        session_id = SESSIONS[number % len(SESSIONS)]
        yield number, session_id, [message(session_id, number, part) for part in range(1 + number % 3)]


@contextmanager
def _notes(folder: Folder, name: str) -> Iterator[Callable[[object], None]]:
    file = os.open(folder.path / name, os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    yield lambda line: _noted(os.write(file, f"{line}\n".encode()))
    os.close(file)


def _noted(written: int) -> None:
    assert written


def _lines(folder: Folder, name: str) -> list[str]:
    path = folder.path / name
    return path.read_text().splitlines() if path.exists() else []


# A killed process's work is begun again a little before where it stopped: what was done is not done twice.
def write(folder: Folder, until: float) -> None:
    """Append, and note which append was acknowledged."""
    done = _lines(folder, "acknowledged")
    first = max(0, int(done[-1]) + 1 - _REPEATED) if done else 0
    journal = Journal.open(folder.journal, clock=SystemClock())
    with closing(journal), _notes(folder, "acknowledged") as note:
        for number, session_id, events in appends(first):
            if time.monotonic() > until:
                return
            journal.append(session_id, events, epoch=1)
            note(number)


def sync(folder: Folder, until: float) -> None:
    """Copy into the warehouse, over and over."""
    with closing(Journal.open(folder.journal, clock=SystemClock())) as journal:
        warehouse = Warehouse.open(folder.warehouse)
        with _notes(folder, "synced") as note:
            while time.monotonic() < until:
                outcome = warehouse.sync(journal)
                note(f"{outcome.status} {outcome.events}")
                time.sleep(0.02 if outcome.status is SyncStatus.BUSY else 0.005)


_WHOLE = "SELECT count(*), count(DISTINCT event_id), count(DISTINCT position) FROM v1_events"
_GAPS = """
SELECT count(*)
FROM (SELECT session_id FROM v1_events GROUP BY ALL HAVING max(seq) <> count(*) OR min(seq) <> 1)
"""


def read(folder: Folder, until: float) -> None:
    """Ask what there is: at least what was acknowledged before, nothing twice, nothing left out."""
    with _reading(folder) as reader, _notes(folder, "answered") as note:
        while time.monotonic() < until:
            acknowledged = _events_of(int((_lines(folder, "acknowledged") or ["-1"])[-1]))
            events, ids, positions = reader.query(_WHOLE).row(0)
            (gaps,) = reader.query(_GAPS).row(0)
            assert acknowledged <= events, f"{acknowledged} acknowledged, {events} seen"
            assert (events, events, 0) == (ids, positions, gaps)
            note(events)


def _events_of(last: int) -> int:
    """Events in all appends up to one: 1, 2, 3, 1, 2, 3 ..."""
    whole, rest = divmod(last + 1, 3)
    return 6 * whole + rest * (rest + 1) // 2


@contextmanager
def _reading(folder: Folder) -> Iterator[Reader]:
    while not folder.journal.exists():
        time.sleep(0.01)
    journal = Journal.open(folder.journal, clock=SystemClock())
    with closing(journal), open_warehouse(folder.warehouse, journal=journal) as reader:
        yield reader


def run(folder: Folder, until: float) -> None:
    """Write as an experiment does: several sessions at once, its own log, a sync in the background."""
    waits: list[float] = []
    failures: list[BaseException] = []
    with closing(Journal.open(folder.journal, clock=SystemClock())) as journal:

        def append(session_id: str, *events: EventBase) -> None:
            began = time.monotonic()
            journal.append(session_id, events, epoch=1)
            waits.append(time.monotonic() - began)

        def work(worker: int) -> None:
            try:
                _trials(worker, until, append)
            except BaseException as error:  # noqa: BLE001  raised below, where the test hears it
                failures.append(error)

        append(EXPERIMENT, _experiment())
        with following(Warehouse.open(folder.warehouse), journal) as follower:
            workers = [threading.Thread(target=work, args=(number,)) for number in range(_WRITERS)]
            for worker in workers:
                worker.start()
            for worker in workers:
                worker.join()
        if failures or follower.error is not None:
            raise failures[0] if failures else follower.error or AssertionError
    (folder.path / "waits").write_text(json.dumps(waits))


def _trials(worker: int, until: float, append: Callable[..., None]) -> None:
    pauses = random.Random(worker)
    for number in count():
        if time.monotonic() > until:
            return
        session_id, arm = f"sesn_{worker}_{number:06}", _ARMS[number % 2]
        append(EXPERIMENT, _started(session_id, arm, worker, number))
        for event in a_session(session_id, arm=arm, turns=3):
            append(session_id, event)
            time.sleep(pauses.random() * 0.01)
        append(EXPERIMENT, _completed(session_id, arm, worker, number))


def _experiment() -> ExperimentCreated:
    return ExperimentCreated(
        id=derived_id("event", EXPERIMENT),
        experiment_id=EXPERIMENT,
        manifest={"brain": "reader", "arms": list(_ARMS)},
        manifest_hash="0" * 64,
    )


def _started(session_id: str, arm: str, worker: int, number: int) -> TrialStarted:
    return TrialStarted(
        id=derived_id("event", session_id, "started"),
        experiment_id=EXPERIMENT,
        trial_id=f"trial_{session_id}",
        arm=arm,
        sample_id=f"c-{worker}",
        epoch=number,
        session_id=session_id,
    )


def _completed(session_id: str, arm: str, worker: int, number: int) -> TrialCompleted:
    return TrialCompleted(
        id=derived_id("event", session_id, "completed"),
        experiment_id=EXPERIMENT,
        trial_id=f"trial_{session_id}",
        arm=arm,
        sample_id=f"c-{worker}",
        epoch=number,
        session_id=session_id,
        brain="reader",
        scores={"accuracy": 0.9, "completeness": 0.8, "format": 1.0},
        metrics={"recall": 0.8, "false_flags": 1.0},
        tiers={"strict": False, "standard": True, "lenient": True},
        usage={"input_tokens": 300, "output_tokens": 30},
        tool_calls=3,
        model_calls=3,
        duration_seconds=0.5,
        answer={"positions": []},
        sample={"pages": 12},
    )


_PAGES = (
    "SELECT arm, count(*) AS trials, avg(strict::INTEGER) AS passed FROM v1_trials GROUP BY arm ORDER BY arm",
    "SELECT status, count(*), sum(total_tokens) FROM v1_sessions GROUP BY status",
    "SELECT type, content FROM v1_events ORDER BY position DESC LIMIT 100",
)


def dashboard(folder: Folder, until: float) -> None:
    """Look at the pages over and over: never less than before, and never an error."""
    seen = 0
    with _reading(folder) as reader, _notes(folder, "pages") as note:
        while time.monotonic() < until:
            seen = _look(reader, seen)
            note(seen)
            time.sleep(0.2)


def _look(reader: Reader, seen: int) -> int:
    (events, ids, positions) = reader.query(_WHOLE).row(0)
    assert seen <= events
    assert (events, events) == (ids, positions)
    for page in _PAGES:
        reader.query(page)
    return int(events)


def analyst(folder: Folder, until: float) -> None:
    """Hold the file open with plain DuckDB for seconds at a time, as a notebook does."""
    with _notes(folder, "held") as note:
        while time.monotonic() < until:
            if folder.warehouse.exists() and _hold(folder, min(2.0, max(0.0, until - time.monotonic()))):
                note("held")
                time.sleep(0.5)
            time.sleep(0.01)


def _hold(folder: Folder, seconds: float) -> bool:
    try:
        connection = duckdb.connect(str(folder.warehouse), read_only=True)
    except duckdb.IOException:  # a sync has it: a notebook's user runs the cell again
        return False
    with connection:
        ended = time.monotonic() + seconds
        while time.monotonic() < ended:
            answer = connection.execute(_WHOLE).fetchone()
            assert answer is not None
            assert answer[0] == answer[1]
            time.sleep(0.1)
    return True


PARTS: dict[str, Callable[[Folder, float], None]] = {
    "analyst": analyst,
    "dashboard": dashboard,
    "read": read,
    "run": run,
    "sync": sync,
    "write": write,
}
