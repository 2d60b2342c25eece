"""A stretch of a session's trace as a list that a page can show.

Pure. What each event says is decided in ``events.trace``; here it only gets its place on the page.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlencode

from nightschool.core.errors import Malformed
from nightschool.dashboard.markup import escaped, folded
from nightschool.dashboard.recalled import recalled_table
from nightschool.dashboard.wording import clock_time
from nightschool.events.base import EventBase
from nightschool.events.memory import MemoryRecalled
from nightschool.events.trace import TraceLine, trace_lines
from nightschool.events.union import UnknownEvent, parse_event

__all__ = ["PAGE_EVENTS", "read_events", "trace_list"]

PAGE_EVENTS: Final = 200
"""Events on one page of a trace."""

_ONE_LINE: Final = 90
"""Characters of a text that stands beside its head."""
_QUIET: Final = frozenset({"session", "model"})
"""Who says little that is read: their lines are set small."""


def read_events(rows: Iterable[Mapping[str, Any]]) -> list[EventBase]:
    """Return the events of rows with ``event_id``, ``type`` and ``body``.

    One that this version cannot read is kept as an unknown event, so that the rest can be shown.
    """
    return [_read(row) for row in rows]


def _read(row: Mapping[str, Any]) -> EventBase:
    try:
        return parse_event(str(row["body"]))
    except Malformed as error:
        return UnknownEvent.model_validate(
            {
                "type": row["type"],
                "id": row["event_id"],
                "unreadable": error.message,
                "body": str(row["body"]),
            }
        )


def trace_list(events: Sequence[EventBase], *, session_id: str = "", marked: str | None = None) -> str:
    """Return the trace of these events as an HTML list.

    Args:
        events: what happened.
        session_id: where; each line's time then links to its event.
        marked: the event that stands out.
    """
    tables = {event.id: recalled_table(event) for event in events if isinstance(event, MemoryRecalled)}
    lines = (
        _item(line, session_id, is_marked=line.event_id == marked, table=tables.get(line.event_id, ""))
        for line in trace_lines(events)
    )
    return '<ol class="ns-trace">' + "".join(lines) + "</ol>"


def _item(line: TraceLine, session_id: str, *, is_marked: bool, table: str) -> str:
    kinds = ["is-marked"] if is_marked else []
    kinds += [f"is-{line.who}"] if line.who.isalpha() else []
    kinds += ["is-error"] if line.is_error else []
    kinds += ["is-quiet"] if line.who in _QUIET and not line.is_error else []
    at = _linked(clock_time(line.at), session_id, line.event_id)
    return (
        f'<li class="{" ".join(kinds)}"><time>{at}</time>'
        f'<span class="ns-who">{escaped(line.who)}</span>{_saying(line, table)}</li>'
    )


def _linked(text: str, session_id: str, event_id: str) -> str:
    if not (session_id and event_id):
        return text
    address = "?" + urlencode({"session": session_id, "event": event_id})
    return f'<a href="{escaped(address)}" target="_self" title="A link to this event">{text}</a>'


def _saying(line: TraceLine, table: str) -> str:
    """Head and text; on one line when the text is as short as its head. A table takes the text's place."""
    if table:
        return f'<div><div class="ns-head" dir="auto">{escaped(line.head)}</div>{table}</div>'
    text = _readable(line.text)
    is_short = len(text) <= _ONE_LINE and "\n" not in text
    kind = ' class="ns-inline"' if is_short else ""
    # That a user or an agent says something needs no words.
    head = (
        "" if line.head == "says" and text else f'<div class="ns-head" dir="auto">{escaped(line.head)}</div>'
    )
    return f"<div{kind}>{head}{folded(text)}</div>"


def _readable(text: str) -> str:
    """A JSON object of a few plain fields reads better as `name: value`; anything else stays as it is."""
    if not text.startswith("{"):
        return text
    try:
        fields = json.loads(text)
    except ValueError:
        return text
    if not isinstance(fields, dict) or not all(
        isinstance(value, str | int | float | None) for value in fields.values()
    ):
        return text
    return "\n".join(f"{name}: {'' if value is None else value}" for name, value in fields.items())
