"""A session being told, event by event, in words that every importer shares.

Its ids follow from the session's and the order of telling: the same transcript is the same session. Knows
nothing about formats.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from nightschool.core.ids import derived_id
from nightschool.events.agent import AgentMessage, AgentToolResult, AgentToolUse
from nightschool.events.base import EventBase, TextBlock
from nightschool.events.experiment import FeedbackRecorded
from nightschool.events.session import AgentSnapshot, SessionCreated, SessionStatusIdle, StopReason
from nightschool.events.span import ModelUsage, SpanModelRequestEnd, SpanModelRequestStart
from nightschool.events.user import SystemMessage, UserMessage
from nightschool.experiments.importers.imported import ImportedSession

__all__ = ["Telling"]


@dataclass(slots=True)
class Telling:
    """A session, as far as it has been told."""

    session_id: str
    agent: str
    events: list[EventBase] = field(default_factory=list)
    _calls: dict[str, str] = field(default_factory=dict)
    """Open tool calls: the transcript's id to the event's. Once answered, an id may be used again."""

    def create(self, *, model: str, title: str, metadata: Mapping[str, str], system: str = "") -> None:
        """Begin it."""
        self.events.append(
            SessionCreated(
                id=self._id(),
                agent=AgentSnapshot(name=self.agent, model=model, system=system),
                title=title,
                metadata=dict(metadata),
            )
        )

    def system(self, words: str) -> None:
        """The system says something."""
        self.events.append(SystemMessage(id=self._id(), content=_text(words)))

    def user(self, words: str) -> None:
        """The user says something."""
        self.events.append(UserMessage(id=self._id(), content=_text(words)))

    def answer(self, words: str) -> None:
        """The agent says something."""
        self.events.append(AgentMessage(id=self._id(), agent_id=self.agent, content=_text(words)))

    def used(self, *, input_tokens: int, output_tokens: int, cached_tokens: int = 0) -> None:
        """A model request took so many tokens."""
        start = self._id()
        self.events.append(SpanModelRequestStart(id=start, agent_id=self.agent))
        self.events.append(
            SpanModelRequestEnd(
                id=self._id(),
                agent_id=self.agent,
                model_request_start_id=start,
                model_usage=ModelUsage(
                    input_tokens=input_tokens,
                    output_tokens=output_tokens,
                    cache_read_input_tokens=cached_tokens,
                ),
            )
        )

    def call(self, call_id: str, name: str, arguments: Mapping[str, Any]) -> None:
        """The agent calls a tool."""
        event_id = self._id()
        self.events.append(
            AgentToolUse(
                id=event_id, agent_id=self.agent, name=name, input=dict(arguments), api_tool_use_id=call_id
            )
        )
        self._calls[call_id] = event_id

    def result(self, call_id: str, words: str, *, is_error: bool = False) -> bool:
        """The tool answers; returns whether it had been called."""
        called = self._calls.pop(call_id, None)
        if called is not None:
            self.events.append(
                AgentToolResult(id=self._id(), tool_use_id=called, content=_text(words), is_error=is_error)
            )
        return called is not None

    def judged(self, value: float, comment: str | None = None) -> None:
        """Somebody outside judged it."""
        self.events.append(FeedbackRecorded(id=self._id(), source="true_check", value=value, comment=comment))

    def end(self, reason: str = "end_turn") -> ImportedSession:
        """End it."""
        self.events.append(SessionStatusIdle(id=self._id(), stop_reason=StopReason(type=reason)))
        return ImportedSession(session_id=self.session_id, events=tuple(self.events))

    def _id(self) -> str:
        return derived_id("event", self.session_id, len(self.events))


def _text(words: str) -> tuple[TextBlock, ...]:
    return (TextBlock(text=words),)
