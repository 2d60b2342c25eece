"""A journal in memory, with the tail that the warehouse asks for, and events to fill it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from nightschool.core.ids import derived_id
from nightschool.events.agent import AgentMessage, AgentToolResult, AgentToolUse
from nightschool.events.base import EventBase, TextBlock
from nightschool.events.session import AgentSnapshot, SessionCreated, SessionStatusIdle, StopReason
from nightschool.events.span import ModelUsage, SpanModelRequestEnd, SpanModelRequestStart
from nightschool.events.union import dump_event

__all__ = ["MemoryEntry", "MemoryJournal", "a_session"]

START = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class MemoryEntry:
    """A committed event."""

    position: int
    session_id: str
    seq: int
    epoch: int
    recorded_at: datetime
    body: str


@dataclass(slots=True)
class MemoryJournal:
    """Positions leave gaps, as a real journal's may."""

    entries: list[MemoryEntry] = field(default_factory=list)
    seqs: dict[str, int] = field(default_factory=dict)

    def append(self, session_id: str, *events: EventBase | str) -> None:
        for event in events:
            self.seqs[session_id] = self.seqs.get(session_id, 0) + 1
            position = 3 * len(self.entries) + 2
            body = event if isinstance(event, str) else dump_event(event)
            recorded_at = START + timedelta(milliseconds=position)
            entry = MemoryEntry(position, session_id, self.seqs[session_id], 1, recorded_at, body)
            self.entries.append(entry)

    def tail(self, after_position: int, limit: int) -> Sequence[MemoryEntry]:
        return [entry for entry in self.entries if entry.position > after_position][:limit]

    def last_position(self) -> int:
        return self.entries[-1].position if self.entries else 0


def a_session(session_id: str, *, arm: str = "single", turns: int = 1) -> list[EventBase]:
    """Return the events of a trial's session: ``turns`` model requests, each with one tool call."""

    def made(step: str) -> dict[str, Any]:
        return {"id": derived_id("event", session_id, step), "processed_at": START}

    events: list[EventBase] = [
        SessionCreated(
            **made("created"),
            agent=AgentSnapshot(name="reviewer", model="reader", version=2),
            title="Review",
            metadata={
                "experiment_id": "exp_1",
                "trial_id": f"trial_{session_id}",
                "arm": arm,
                "sample_id": "c-1",
            },
        )
    ]
    for turn in range(turns):
        request, call = made(f"request {turn}"), made(f"call {turn}")
        usage = ModelUsage(input_tokens=100, output_tokens=10)
        answered = made(f"answer {turn}")
        events += [
            SpanModelRequestStart(**request, model="reader"),
            SpanModelRequestEnd(
                **answered,
                model_request_start_id=str(request["id"]),
                model_usage=usage,
                duration_ms=20.0,
                model="reader",
            ),
            AgentToolUse(**call, name="read_section", input={"number": "7.2"}),
            AgentToolResult(
                **made(f"result {turn}"),
                tool_use_id=str(call["id"]),
                content=(TextBlock(text="the section"),),
            ),
        ]
    words = AgentMessage(**made("words"), content=(TextBlock(text="done"),))
    idle = SessionStatusIdle(**made("idle"), stop_reason=StopReason(type="end_turn"))
    return [*events, words, idle]
