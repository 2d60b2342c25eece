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
from nightschool.warehouse.file import opened
from nightschool.warehouse.reader import open_warehouse
from nightschool.warehouse.store import Warehouse

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
_PIECE: Final = 500_000
_PER_SESSION: Final = 20
_REPEATS: Final = 7
_MEGABYTE: Final = 1024 * 1024

_EVENTS: Final = """
INSERT INTO events BY NAME
WITH numbered AS (
    SELECT
        n + 1 AS position,
        n // 20 AS session,
        n % 20 + 1 AS seq,
        (hash(n) >> 16)::BIGINT AS chance,
        ['session.created', 'user.message',
         'span.model_request_start', 'span.model_request_end', 'agent.tool_use',
         'agent.tool_result', 'span.model_request_start', 'span.model_request_end', 'agent.tool_use',
         'agent.tool_result', 'span.model_request_start', 'span.model_request_end', 'agent.tool_use',
         'agent.tool_result', 'span.model_request_start', 'span.model_request_end', 'agent.message',
         'session.status_idle', 'session.status_running', 'session.status_idle'][n % 20 + 1] AS type,
        ['The Supplier shall indemnify the Customer against all claims of third parties. ',
         'Either party may terminate this Agreement by giving thirty days written notice. ',
         'Fees are due within forty-five days of the date of a correct invoice. ',
         'Confidential information shall be kept secret for five years after termination. ',
         'Liability is limited to the fees paid in the twelve months before the claim. ',
         'The Supplier shall keep the data inside the European Union at all times. ',
         'Neither party is liable for events beyond its reasonable control. '] AS clauses
    FROM range($first::BIGINT, $last::BIGINT) AS r(n)
),

worded AS (
    SELECT
        *,
        'sevt_' || lpad(position::VARCHAR, 26, '0') AS event_id,
        CASE WHEN type = 'agent.tool_use'
            THEN json_object('number', (chance % 30)::VARCHAR || '.2') END AS input,
        CASE WHEN type IN ('agent.tool_result', 'agent.message', 'user.message') THEN
            clauses[1 + chance % 7] || clauses[1 + (chance // 7) % 7] || clauses[1 + (chance // 49) % 7]
            || clauses[1 + (chance // 343) % 7] || chance::VARCHAR
        END AS text
    FROM numbered
)

SELECT
    position,
    'sesn_' || lpad(session::VARCHAR, 26, '0') AS session_id,
    seq,
    1 AS epoch,
    make_timestamptz(1767225600000000 + position * 1000) AS recorded_at,
    event_id,
    type,
    make_timestamptz(1767225600000000 + position * 1000) AS processed_at,
    'agent_' || (session % 12)::VARCHAR AS agent_id,
    CASE split_part(type, '.', 1) WHEN 'span' THEN 'model' ELSE split_part(type, '.', 1) END AS role,
    text AS content,
    CASE WHEN type = 'span.model_request_end' THEN 800 + chance % 4000 END AS input_tokens,
    CASE WHEN type = 'span.model_request_end' THEN 20 + chance % 400 END AS output_tokens,
    CASE WHEN type = 'span.model_request_end' THEN 200 + (chance % 100000) / 10 END AS duration_ms,
    CASE WHEN type = 'span.model_request_end' THEN true END AS success,
    'exp_' || lpad((session // 5000)::VARCHAR, 26, '0') AS experiment_id,
    'trial_' || lpad((session // 5)::VARCHAR, 26, '0') AS trial_id,
    ['single', 'subagents', 'orchestrated'][1 + (session // 5) % 3] AS arm,
    CASE WHEN type = 'agent.tool_use' THEN 'read_section' END AS name,
    CASE WHEN type = 'span.model_request_end' THEN 'reader' END AS model,
    CASE WHEN type = 'span.model_request_end' THEN 'tool_use' END AS stop_reason,
    input,
    json_object(
        'type', type, 'id', event_id, 'processed_at', '2026-01-01T00:00:00.000000Z',
        'tool_use_id', CASE WHEN type = 'agent.tool_result'
            THEN 'sevt_' || lpad((position - 1)::VARCHAR, 26, '0') END,
        'name', CASE WHEN type = 'agent.tool_use' THEN 'read_section' END,
        'input', input,
        'model_usage', CASE WHEN type = 'span.model_request_end'
            THEN json_object('input_tokens', 800 + chance % 4000, 'output_tokens', 20 + chance % 400) END,
        'content', CASE WHEN text IS NOT NULL THEN json_array(json_object('type', 'text', 'text', text)) END
    ) AS event
FROM worded
"""
_TRIALS: Final = """
INSERT INTO trial_events BY NAME
SELECT
    (100 * trial + step)::BIGINT AS position,
    'exp_' || lpad((trial // 1000)::VARCHAR, 26, '0') AS session_id,
    'sevt_t' || lpad((2 * trial + step)::VARCHAR, 25, '0') AS event_id,
    ['trial.started', 'trial.completed'][step] AS type,
    make_timestamptz(1767225600000000 + trial * 100000) AS processed_at,
    'exp_' || lpad((trial // 1000)::VARCHAR, 26, '0') AS experiment_id,
    'trial_' || lpad(trial::VARCHAR, 26, '0') AS trial_id,
    ['single', 'subagents', 'orchestrated'][1 + trial % 3] AS arm,
    'c-' || (trial % 100)::VARCHAR AS sample_id,
    trial % 1000 // 100 AS epoch,
    1 AS attempt,
    CASE step WHEN 2 THEN 'reader' END AS brain,
    CASE step WHEN 2 THEN ((hash(trial) >> 16) % 1000) / 1000 END AS accuracy,
    CASE step WHEN 2 THEN (hash(trial) >> 16) % 1000 > 400 END AS standard,
    CASE step WHEN 2 THEN 20000 + (hash(trial) >> 16) % 9000 END AS input_tokens,
    CASE step WHEN 2 THEN 900 + (hash(trial) >> 16) % 300 END AS output_tokens,
    CASE step WHEN 2 THEN ((hash(trial) >> 16) % 900) / 1000 END AS cost_usd
FROM range($trials::BIGINT) AS t(trial), (VALUES (1), (2)) AS s(step)
ORDER BY position
"""


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
    Warehouse.open(path).sync(_Nothing(0))
    for first in range(0, events, _PIECE):
        with opened(path) as connection:
            connection.execute(_EVENTS, {"first": first, "last": min(first + _PIECE, events)})
    with opened(path) as connection:
        connection.execute(_TRIALS, {"trials": events // _PER_SESSION // 5})
        connection.execute("INSERT INTO sync_batches VALUES (1, ?, ?, '', now())", [events, events])
