"""A session's events as an episode. Pure; knows nothing about where events are kept.

Every text is redacted before anything is read from it. What memory put into the session is noted, so that the
agent's repeating it is not taken for news.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Final

from nightschool.dreaming.causes import cause_of, normalise
from nightschool.dreaming.episode import Call, Claim, Episode, Label, LabelSource
from nightschool.dreaming.redact import redact
from nightschool.dreaming.statements import content_words, is_instruction, statements_in
from nightschool.dreaming.tool_kind import kind_of
from nightschool.events.agent import AgentMessage
from nightschool.events.base import text_of
from nightschool.events.experiment import FeedbackRecorded
from nightschool.events.memory import MemoryRecalled
from nightschool.events.union import Event
from nightschool.events.user import UserMessage
from nightschool.memory.action import action_of
from nightschool.sessions.state import SessionState, ToolCall, fold

__all__ = ["digest", "text_hash"]

_PASS: Final = 0.5
"""Feedback above this is approval."""
_TOKEN: Final = re.compile(r"[A-Za-z0-9][\w.-]{2,}")
_USED_SHARE: Final = 0.5
"""Share of a memory's words that must come up in what the agent did for it to count as used."""
_BYPASSED: Final = "bypass"
_LONGEST_NAME: Final = 128
"""Characters of a tool's name that are kept: the API allows no more."""


def text_hash(text: str) -> str:
    """Return the hash that stands for a text whose words do not matter, only whether it is the same."""
    return hashlib.sha256(" ".join(text.casefold().split()).encode()).hexdigest()[:16]


def digest(
    session_id: str,
    events: Sequence[Event],
    *,
    further: Iterable[Label] = (),
    memory_text: Callable[[str], str | None] = lambda _: None,
    not_after: datetime | None = None,
) -> Episode:
    """Return the episode of a session.

    Args:
        session_id: the session.
        events: all its events, in order.
        further: labels recorded elsewhere, such as a trial's scores.
        memory_text: gives a remembered text by its hash; None when it was removed.
        not_after: when it was written down: a session that says it began later is taken to have begun then,
            so that no clock that went wrong makes its statements the newest for ever.
    """
    state = fold(events)
    recalled = [memory for event in events if isinstance(event, MemoryRecalled) for memory in event.memories]
    texts = {memory.path: memory_text(memory.content_sha256) or "" for memory in recalled}
    injected = {text_hash(part) for text in texts.values() for part in (text, *statements_in(text))}
    said = "\n".join(_doings(events))
    return Episode(
        session_id=session_id,
        source=state.metadata.get("source", "run"),
        tenant=state.metadata.get("tenant", ""),
        task_type=_task_type(state, events),
        task=_task(session_id, state),
        at=_began(events, not_after),
        labels=(*_labels(state), *further),
        calls=tuple(_calls(state, events)),
        claims=tuple(_claims(events, state, injected)),
        recalled=tuple(texts),
        used=tuple(path for path, text in texts.items() if _is_used(text, said)),
        injected=tuple(sorted(injected)),
        excluded=_exclusion(state),
    )


def _task_type(state: SessionState, events: Sequence[Event]) -> str:
    named = state.metadata.get("task_type")
    if named:
        return named
    place = state.metadata.get("suite") or (state.agent.name if state.agent else "session")
    first = next((text_of(event.content) for event in events if isinstance(event, UserMessage)), "")
    return f"{place}/{action_of(first) or 'other'}"


def _task(session_id: str, state: SessionState) -> str:
    sample = state.metadata.get("sample_id") or state.metadata.get("task_id")
    if not sample:
        return session_id
    place = state.metadata.get("suite") or (state.agent.name if state.agent else "")
    return f"{place}/{sample}"


def _began(events: Sequence[Event], not_after: datetime | None) -> str:
    times = [event.processed_at for event in events if event.processed_at is not None]
    if not times:
        return ""
    began = min(times)
    return (began if not_after is None else min(began, not_after)).isoformat()


def _labels(state: SessionState) -> Iterable[Label]:
    for feedback in state.feedback:
        source = LabelSource(feedback.source) if feedback.source in set(LabelSource) else LabelSource.SELF
        yield Label(source=source, passed=feedback.value > _PASS, event_id=feedback.id)
    rubric = "" if state.outcome is None else text_hash(json.dumps(state.outcome.rubric, sort_keys=True))
    for verdict in state.evaluations[-1:]:
        if verdict.result not in {"failed", "interrupted"}:
            yield Label(
                source=LabelSource.GRADER,
                passed=verdict.result == "satisfied",
                event_id=verdict.id,
                judged_by=rubric,
            )


def _exclusion(state: SessionState) -> str:
    if state.deleted:
        return "deleted"
    if state.metadata.get("permissions") == _BYPASSED:
        return "permissions were bypassed"
    last = state.evaluations[-1].result if state.evaluations else ""
    if last in {"interrupted", "failed"} and not state.feedback:
        return f"its evaluation ended as {last}"
    return ""


def _calls(state: SessionState, events: Sequence[Event]) -> Iterable[Call]:
    later = _Later(events)
    for call in state.tool_calls:
        text = "" if call.result is None else redact(text_of(call.result.content))
        failed = call.result is not None and bool(call.result.is_error)
        yield Call(
            event_id=call.use.id,
            tool=call.use.name[:_LONGEST_NAME],
            kind=kind_of(call.use.name),
            parameters=tuple(sorted(call.use.input)),
            arguments_hash=text_hash(json.dumps(call.use.input, sort_keys=True, default=str)),
            result_hash=text_hash(text) if call.result is not None else "",
            error=normalise(text) if failed else "",
            cause=cause_of(text) if failed else None,
            is_used=kind_of(call.use.name) != "read" or later.mentions(call, text),
        )


class _Later:
    """What the session said after each of its events, as words."""

    def __init__(self, events: Sequence[Event]) -> None:
        self._places = {event.id: place for place, event in enumerate(events)}
        self._last: dict[str, int] = {}
        for place, event in enumerate(events):
            for word in _words(_said(event)):
                self._last[word] = place

    def mentions(self, call: ToolCall, result: str) -> bool:
        """Whether something that the result says came up afterwards, or it says nothing.

        Numbers, dates and ids tell results apart; other words count only where there are none of these. What
        had come up before the result must come up again.
        """
        if call.result is None:
            return True
        place = self._places.get(call.result.id, 0)
        words = _words(result)
        telling = {word for word in words if any(letter.isdigit() for letter in word)} or words
        return not telling or any(self._last.get(word, -1) > place for word in telling)


def _said(event: Event) -> str:
    if isinstance(event, AgentMessage | UserMessage):
        return text_of(event.content)
    given = getattr(event, "input", None)
    return json.dumps(given, default=str) if isinstance(given, dict) else ""


def _words(text: str) -> set[str]:
    return {word.casefold().strip(".-") for word in _TOKEN.findall(text)}


def _doings(events: Iterable[Event]) -> Iterable[str]:
    for event in events:
        if not isinstance(event, UserMessage):
            yield _said(event)


def _is_used(memory: str, said: str) -> bool:
    words = content_words(memory)
    return bool(words) and len(words & content_words(said)) >= _USED_SHARE * len(words)


def _claims(events: Sequence[Event], state: SessionState, injected: set[str]) -> Iterable[Claim]:
    for event in events:
        if isinstance(event, UserMessage):
            yield from _said_by(event.id, statements_in(text_of(event.content)), LabelSource.USER, injected)
        elif isinstance(event, FeedbackRecorded) and event.comment:
            source = LabelSource(event.source) if event.source in set(LabelSource) else LabelSource.SELF
            yield from _said_by(event.id, statements_in(event.comment, any_sentence=True), source, injected)
    for call in state.tool_calls:
        if call.result is None or call.result.is_error:
            continue
        for text in statements_in(text_of(call.result.content)):
            if is_instruction(text) and text_hash(text) not in injected:
                yield Claim(event_id=call.result.id, text=text, is_tainted=True)


def _said_by(event_id: str, texts: Iterable[str], source: LabelSource, injected: set[str]) -> Iterable[Claim]:
    for text in texts:
        if text_hash(text) not in injected:
            yield Claim(event_id=event_id, text=text, is_tainted=False, said_by=source)
