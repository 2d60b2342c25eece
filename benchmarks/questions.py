"""The dashboard's questions over millions of events.

The events are made by SQL straight inside the warehouse, in its real tables, because ten million take long
through the journal: sessions of 20 events, in order of session and sequence as syncs leave them; a trial for
every five sessions; text drawn from a few clauses. Questions go through `Reader` as any other: the file is
attached, views are views, the (empty) tail of the journal is joined: each figure includes opening the file.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from benchmarks.figures import Figure, timed
from nightschool.warehouse.batch import LogEntry
from nightschool.warehouse.big import write_big
from nightschool.warehouse.reader import open_warehouse

__all__ = ["measure"]

QUESTIONS: Final = {
    "success by arm": """
        SELECT arm, count(*) AS trials, avg(standard::INTEGER) AS passed
        FROM v1_trials WHERE status = 'completed' GROUP BY arm ORDER BY arm""",
    "p50 and p95 duration by agent": """
        SELECT agent_id, quantile_cont(duration_ms, [0.5, 0.95]) AS cuts
        FROM v1_model_calls GROUP BY agent_id ORDER BY agent_id""",
    "tokens by arm, from every model call": """
        SELECT arm, sum(total_tokens) AS tokens FROM v1_model_calls GROUP BY arm ORDER BY arm""",
    "tokens and cost by arm, from trials": """
        SELECT arm, sum(total_tokens) AS tokens, sum(cost_usd) AS cost FROM v1_trials
        GROUP BY arm ORDER BY arm""",
    "one session's events in order": """
        SELECT seq, type, content, event FROM v1_events WHERE session_id = $session_id ORDER BY seq""",
    "the last 100 events": """
        SELECT position, session_id, type, content FROM v1_events ORDER BY position DESC LIMIT 100""",
    "a path into what tools were given, by value": """
        SELECT input ->> '$.number' AS section, count(*) AS calls
        FROM v1_events WHERE type = 'agent.tool_use' GROUP BY section ORDER BY calls DESC""",
    "a path into the whole event, by value": """
        SELECT event ->> '$.input.number' AS section, count(*) AS calls
        FROM v1_events WHERE type = 'agent.tool_use' GROUP BY section ORDER BY calls DESC""",
}
_BAR_MILLISECONDS: Final = 300
_BAR_EVENTS: Final = 10_000_000
_PER_SESSION: Final = 20
_REPEATS: Final = 7
_MEGABYTE: Final = 1024 * 1024


class _Nothing:
    """The tail of a journal that the warehouse has caught up with."""

    def __init__(self, last: int) -> None:
        self._last = last

    def tail(self, after_position: int, limit: int, /) -> Sequence[LogEntry]:  # noqa: ARG002
        return ()

    def last_position(self) -> int:
        return self._last


def measure(folder: Path, events: int) -> Iterator[Figure]:
    """Yield each question's median, warm, over so many events."""
    path = folder / f"{events}.duckdb"
    began = time.perf_counter()
    _fill(path, events)
    seconds = time.perf_counter() - began
    size = path.stat().st_size
    millions = f"{events / 1_000_000:g} million events"
    yield Figure(
        name=f"warehouse of {millions}",
        value=size / _MEGABYTE,
        unit="MB",
        note=f"{size / events:.0f} bytes an event; made by SQL in {seconds:.0f} s",
    )
    held = events >= _BAR_EVENTS
    for name, median, processor in _medians(path, events):
        yield Figure(
            name=f"{millions}: {name}",
            value=median,
            unit="ms",
            bar=f"< {_BAR_MILLISECONDS} ms" if held else None,
            meets=median < _BAR_MILLISECONDS if held else None,
            note=f"{processor:.0f} ms of processor time",
        )
    path.unlink()


def _medians(path: Path, events: int) -> Iterator[tuple[str, float, float]]:
    session = f"sesn_{events // _PER_SESSION // 2:026}"
    with open_warehouse(path, journal=_Nothing(events)) as reader:
        for name, question in QUESTIONS.items():
            values: dict[str, Any] = {"session_id": session} if "$session_id" in question else {}

            def ask(question: str = question, values: dict[str, Any] = values) -> None:
                if reader.query(question, values or None).is_empty():
                    raise AssertionError(f"no answer to: {question}")

            yield name, *timed(ask, repeats=_REPEATS)


def _fill(path: Path, events: int) -> None:
    write_big(path, events, manifest="{}", digest="")
