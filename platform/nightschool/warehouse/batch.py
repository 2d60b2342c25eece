"""Log entries as the frame that enters the warehouse.

Knows nothing about databases. Entries are whatever a journal hands out that looks like `LogEntry`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Protocol

import pyarrow as pa
from pydantic_core import from_json

from nightschool.core.errors import StoreCorrupt
from nightschool.events.record import Fields, StandardRecord, standard_record

__all__ = ["EVENT_COLUMNS", "SESSION_COLUMNS", "Batch", "JournalTail", "LogEntry", "batch_of"]


class LogEntry(Protocol):
    """One committed event with its place in the log."""

    @property
    def position(self) -> int:
        """Place in the whole log."""

    @property
    def session_id(self) -> str:
        """The session it belongs to."""

    @property
    def seq(self) -> int:
        """Place in the session."""

    @property
    def epoch(self) -> int:
        """The writer's epoch."""

    @property
    def recorded_at(self) -> datetime:
        """When it was committed."""

    @property
    def body(self) -> str:
        """The event's exact JSON text."""


class JournalTail(Protocol):
    """The end of a journal, by position over all sessions."""

    def tail(self, after_position: int, limit: int, /) -> Sequence[LogEntry]:
        """Return up to ``limit`` entries after a position, in order, none missing."""

    def last_position(self) -> int:
        """Return the position of the last committed entry; 0 when there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Consecutive entries, ready to enter."""

    events: pa.Table
    sessions: pa.Table
    """What later events of the sessions begun here inherit."""
    first_position: int
    last_position: int
    digest: str
    """SHA-256 over the entries' exact text, each ended by a newline."""


_TEXT: Final = pa.string()
_INTEGER: Final = pa.int64()

EVENT_COLUMNS: Final[dict[str, pa.DataType]] = {
    "position": _INTEGER,
    "session_id": _TEXT,
    "seq": _INTEGER,
    "epoch": _INTEGER,
    "recorded_at": pa.timestamp("us", "UTC"),
    "body": _TEXT,
    "event_id": _TEXT,
    "type": _TEXT,
    "processed_at": _TEXT,
    "session_thread_id": _TEXT,
    "experiment_id": _TEXT,
    "trial_id": _TEXT,
    "arm": _TEXT,
    "task_id": _TEXT,
    "name": _TEXT,
    "model": _TEXT,
    "answers": _TEXT,
    "stop_reason": _TEXT,
    "time_to_first_token_ms": pa.float64(),
    "value": pa.float64(),
    **dict(
        zip(
            StandardRecord._fields,
            (_TEXT, _TEXT, _TEXT, _INTEGER, _INTEGER, _INTEGER, _INTEGER, pa.float64(), pa.bool_()),
            strict=True,
        )
    ),
}
"""Columns of the frame that enters, in order."""

SESSION_COLUMNS: Final[dict[str, pa.DataType]] = {
    "session_id": _TEXT,
    "position": _INTEGER,
    "agent_id": _TEXT,
    "parent_session_id": _TEXT,
    "experiment_id": _TEXT,
    "trial_id": _TEXT,
    "arm": _TEXT,
    "task_id": _TEXT,
    "agent_version": _INTEGER,
    "model": _TEXT,
    "title": _TEXT,
    "sample_id": _TEXT,
    "sample_epoch": _INTEGER,
    "role": _TEXT,
    "source": _TEXT,
    "started_at": _TEXT,
    "metadata": _TEXT,
}
"""Columns of the frame of sessions begun."""

_OWN_FIELDS: Final = ("session_thread_id", "experiment_id", "trial_id", "arm", "task_id")
_DIGITS: Final = 19  # of a 64-bit integer
_BELONGS: Final = ("experiment_id", "trial_id", "arm", "task_id")
_ANSWERED: Final = (
    "tool_use_id",
    "mcp_tool_use_id",
    "custom_tool_use_id",
    "model_request_start_id",
    "outcome_evaluation_start_id",
)
"""Fields that name the event which this one answers or ends."""


def batch_of(entries: Sequence[LogEntry]) -> Batch:
    """Return the frames of consecutive entries; there must be at least one.

    Raises:
        StoreCorrupt: an entry's text is not an event; the message names its position.
    """
    rows: list[tuple[object, ...]] = []
    sessions: dict[str, tuple[object, ...]] = {}
    digest = hashlib.sha256()
    for entry in entries:
        fields = _fields(entry)
        rows.append(_row(entry, fields))
        if fields["type"] == "session.created":
            sessions.setdefault(entry.session_id, _session_row(entry, fields))
        digest.update(entry.body.encode())
        digest.update(b"\n")
    return Batch(
        events=_table(rows, EVENT_COLUMNS),
        sessions=_table(list(sessions.values()), SESSION_COLUMNS),
        first_position=entries[0].position,
        last_position=entries[-1].position,
        digest=digest.hexdigest(),
    )


def _table(rows: Sequence[tuple[object, ...]], columns: Mapping[str, pa.DataType]) -> pa.Table:
    values = zip(*rows, strict=True) if rows else ((),) * len(columns)
    arrays = [pa.array(column, kind) for column, kind in zip(values, columns.values(), strict=True)]
    return pa.table(arrays, names=list(columns))


def _fields(entry: LogEntry) -> Fields:
    try:
        fields = _parse(entry.body)
    except ValueError as error:
        raise StoreCorrupt(f"journal position {entry.position} is not JSON: {error}") from error
    if not isinstance(fields, dict) or not isinstance(fields.get("type"), str):
        raise StoreCorrupt(f"journal position {entry.position} is not an event: it has no `type`")
    return fields


def _parse(body: str) -> object:
    try:
        return from_json(body)
    except ValueError:  # perhaps only a lone surrogate, which Python's JSON has and Unicode text cannot have
        text = json.dumps(json.loads(body), ensure_ascii=False)
        return from_json(text.encode("utf-8", "replace"))


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _mapping(value: object) -> Fields:
    return value if isinstance(value, dict) else {}


def _row(entry: LogEntry, fields: Fields) -> tuple[object, ...]:
    return (
        entry.position,
        entry.session_id,
        entry.seq,
        entry.epoch,
        entry.recorded_at,
        entry.body,
        str(fields.get("id", "")),
        fields["type"],
        _text(fields.get("processed_at")),
        *[_text(fields.get(name)) for name in _OWN_FIELDS],
        _text(fields.get("source" if fields["type"] == "feedback.recorded" else "name")),
        _text(fields.get("model")),
        _answered(fields),
        _stop_reason(fields.get("stop_reason")),
        _number(fields.get("time_to_first_token_ms")),
        _number(fields.get("value")),
        *standard_record(fields),
    )


def _answered(fields: Fields) -> str | None:
    for name in _ANSWERED:
        if name in fields:
            return _text(fields[name])
    return None


def _stop_reason(value: object) -> str | None:
    return _text(value.get("type")) if isinstance(value, dict) else _text(value)


def _session_row(entry: LogEntry, fields: Fields) -> tuple[object, ...]:
    agent, metadata = _mapping(fields.get("agent")), _mapping(fields.get("metadata"))
    return (
        entry.session_id,
        entry.position,
        _text(agent.get("name")),
        _text(fields.get("parent_session_id")),
        *[_text(metadata.get(name)) for name in _BELONGS],
        _whole(agent.get("version")),
        _text(agent.get("model")),
        _text(fields.get("title")),
        _text(metadata.get("sample_id")),
        _whole(metadata.get("epoch")),
        _text(metadata.get("role")),
        _text(metadata.get("source")),
        _text(fields.get("processed_at")),
        json.dumps(metadata, ensure_ascii=False, separators=(",", ":")),
    )


def _whole(value: object) -> int | None:
    text = str(value)
    return int(text) if text.isascii() and text.isdigit() and len(text) < _DIGITS else None
