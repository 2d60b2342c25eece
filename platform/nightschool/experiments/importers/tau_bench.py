"""Trajectories as tau-bench writes them: a JSON list of conversations between an agent, tools and a user.

    [{"task_id": 0, "trial": 0, "reward": 1.0, "info": {...},
      "traj": [{"role": "system", "content": "# Airline Agent Policy ..."},
               {"role": "user", "content": "I want to change my flight."},
               {"role": "assistant", "content": null,
                "tool_calls": [{"id": "call_1", "type": "function",
                                "function": {"name": "list_all_airports", "arguments": "{}"}}]},
               {"role": "tool", "tool_call_id": "call_1", "name": "list_all_airports", "content": "..."}]}]

Each record becomes a session; its reward becomes feedback from a true check. The transcripts have no times,
and none are made up: `processed_at` stays null. Knows nothing about where sessions are kept.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Final, Literal, assert_never

from pydantic import BaseModel, ConfigDict, Field, JsonValue, TypeAdapter, ValidationError

from nightschool.core.errors import InvalidInput, Malformed
from nightschool.core.ids import derived_id
from nightschool.events.agent import AgentMessage, AgentToolResult, AgentToolUse
from nightschool.events.base import EventBase, TextBlock
from nightschool.events.experiment import FeedbackRecorded
from nightschool.events.session import AgentSnapshot, SessionCreated, SessionStatusIdle, StopReason
from nightschool.events.user import SystemMessage, UserMessage
from nightschool.experiments.importers.imported import ImportedSession
from nightschool.experiments.importers.reading import (
    OnRead,
    items,
    line_of_item,
    malformed,
    require_file,
    starts_with,
)

__all__ = ["SOURCE", "parse"]

SOURCE: Final = "import:tau-bench"
"""The ``source`` of every session that comes from here."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="allow", strict=True)


class _Function(_Part):
    name: str = Field(min_length=1)
    arguments: str


class _ToolCall(_Part):
    id: str
    function: _Function


class _System(_Part):
    role: Literal["system"]
    content: str


class _User(_Part):
    role: Literal["user"]
    content: str


class _Assistant(_Part):
    role: Literal["assistant"]
    content: str | None = None
    tool_calls: list[_ToolCall] | None = None


class _Tool(_Part):
    role: Literal["tool"]
    tool_call_id: str
    content: str


_Message = Annotated[_System | _User | _Assistant | _Tool, Field(discriminator="role")]


class _Record(_Part):
    task_id: int | str
    trial: int
    reward: float
    traj: list[_Message] = Field(min_length=1)
    info: dict[str, JsonValue] = Field(default_factory=dict)


_ITEM: Final = "item"
_ARGUMENTS: Final = TypeAdapter(dict[str, JsonValue])


def parse(
    path: Path, *, model: str | None = None, domain: str | None = None, on_read: OnRead | None = None
) -> Iterator[ImportedSession]:
    """Yield the file's sessions in its order, one record at a time.

    Args:
        path: the file; named MODEL-DOMAIN.json unless both are given.
        model: the model that acted as the agent.
        domain: the domain of the tasks, such as airline.
        on_read: told how far the file has been read.

    Raises:
        NotFound: there is no such file.
        InvalidInput: neither the arguments nor the file's name say which model and domain it is of.
        Malformed: the file breaks the format; names file, line, record and field.
    """
    require_file(path)
    origin = _origin(path, model, domain)
    seen: dict[str, int] = {}
    for index, fields in enumerate(_records(path, on_read)):
        place = _Place(path, index)
        session = _session(_record(fields, place), fields, origin, place)
        if session.session_id in seen:
            first = seen[session.session_id]
            line = line_of_item(path, _ITEM, index)
            raise malformed(path, line, f"record {index} repeats record {first}", record=index)
        seen[session.session_id] = index
        yield session


@dataclass(frozen=True, slots=True)
class _Origin:
    """What the file is of."""

    model: str
    domain: str

    @property
    def agent(self) -> str:
        return f"tau-bench-{self.domain}"


@dataclass(frozen=True, slots=True)
class _Place:
    """Which record of which file is being read."""

    path: Path
    record: int

    def malformed(self, field_path: str, reason: str) -> Malformed:
        line = line_of_item(self.path, _ITEM, self.record)
        said = f"record {self.record}, `{field_path}`: {reason}"
        return malformed(self.path, line, said, record=self.record, field=field_path)


def _origin(path: Path, model: str | None, domain: str | None) -> _Origin:
    stem = path.name.removesuffix(".gz").removesuffix(".json")
    named_model, dash, named_domain = stem.rpartition("-")
    if not dash and not (model and domain):
        raise InvalidInput(
            f"{path.name} does not say which model and domain it is of;"
            " name it MODEL-DOMAIN.json or give both with --model and --domain"
        )
    return _Origin(model or named_model, domain or named_domain)


def _records(path: Path, on_read: OnRead | None) -> Iterator[object]:
    if starts_with(path) not in (b"[", b""):
        raise Malformed(f"{path}: expected a list of records", path=str(path))
    yield from items(path, _ITEM, on_read)


def _record(fields: object, place: _Place) -> _Record:
    try:
        return _Record.model_validate(fields)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"] if part not in _ROLES)
        raise place.malformed(where or "record", first["msg"]) from error


_ROLES: Final = frozenset({"system", "user", "assistant", "tool"})
"""Pydantic names the chosen variant in an error's path; the file has no such level."""


def _session(record: _Record, fields: object, origin: _Origin, place: _Place) -> ImportedSession:
    content = json.dumps(fields, sort_keys=True, separators=(",", ":"))
    digest = hashlib.sha256(content.encode()).hexdigest()
    session = _Session(derived_id("session", SOURCE, origin.model, origin.domain, digest), origin, place)
    session.create(record)
    for index, message in enumerate(record.traj):
        if index or not isinstance(message, _System):  # a leading one is the agent's own prompt
            session.tell(index, message)
    session.close(record)
    return ImportedSession(session_id=session.session_id, events=tuple(session.events))


@dataclass(slots=True)
class _Session:
    """A session being told, event by event."""

    session_id: str
    origin: _Origin
    place: _Place
    events: list[EventBase] = field(default_factory=list)
    calls: dict[str, str] = field(default_factory=dict)
    """Open tool calls: the transcript's id to the event's. Once answered, an id may be used again."""

    def create(self, record: _Record) -> None:
        first = record.traj[0]
        policy = first.content if isinstance(first, _System) else ""
        self.events.append(
            SessionCreated(
                id=self._id("created"),
                agent=AgentSnapshot(name=self.origin.agent, model=self.origin.model, system=policy),
                title=f"{self.origin.domain} task {record.task_id}, trial {record.trial}",
                metadata={
                    "source": SOURCE,
                    "suite": f"tau-bench/{self.origin.domain}",
                    "task_id": str(record.task_id),
                    "sample_id": str(record.task_id),
                    "epoch": str(record.trial),
                },
            )
        )

    def tell(self, index: int, message: _System | _User | _Assistant | _Tool) -> None:
        match message:
            case _System():
                self.events.append(SystemMessage(id=self._id(index), content=_text(message.content)))
            case _User():
                self.events.append(UserMessage(id=self._id(index), content=_text(message.content)))
            case _Assistant():
                self._act(index, message)
            case _Tool():
                self._answer(index, message)
            case _:
                assert_never(message)

    def close(self, record: _Record) -> None:
        ended = SessionStatusIdle(id=self._id("idle"), stop_reason=StopReason(type="end_turn"))
        judged = FeedbackRecorded(id=self._id("reward"), source="true_check", value=record.reward)
        self.events += [ended, judged]

    def _act(self, index: int, message: _Assistant) -> None:
        agent = self.origin.agent
        if message.content:
            self.events.append(
                AgentMessage(id=self._id(index), agent_id=agent, content=_text(message.content))
            )
        for number, call in enumerate(message.tool_calls or ()):
            event_id = self._id(f"{index}.{number}")
            arguments = self._arguments(f"traj.{index}.tool_calls.{number}.function.arguments", call)
            self.events.append(
                AgentToolUse(
                    id=event_id,
                    agent_id=agent,
                    name=call.function.name,
                    input=arguments,
                    api_tool_use_id=call.id,
                )
            )
            self.calls[call.id] = event_id

    def _arguments(self, field_path: str, call: _ToolCall) -> dict[str, JsonValue]:
        try:
            return _ARGUMENTS.validate_json(call.function.arguments)
        except ValidationError as error:
            raise self.place.malformed(field_path, "is not the text of a JSON object") from error

    def _answer(self, index: int, message: _Tool) -> None:
        called = self.calls.pop(message.tool_call_id, None)
        if called is None:
            reason = f"answers `{message.tool_call_id}`, which was not called before or is answered already"
            raise self.place.malformed(f"traj.{index}.tool_call_id", reason)
        self.events.append(
            AgentToolResult(
                id=self._id(index),
                tool_use_id=called,
                content=_text(message.content),
                is_error=message.content.startswith("Error"),
            )
        )

    def _id(self, step: str | int) -> str:
        return derived_id("event", self.session_id, step)


def _text(content: str) -> tuple[TextBlock, ...]:
    return (TextBlock(text=content),)
