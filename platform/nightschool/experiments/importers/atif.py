"""Trajectories in the Agent Trajectory Interchange Format (ATIF 1.x), as Harbor and others write them.

    {"schema_version": "ATIF-v1.4", "session_id": "run-1", "agent": {"name": "mini", "model_name": "m"},
     "steps": [{"step_id": 1, "source": "user", "message": "Fix the test."},
               {"step_id": 2, "source": "agent", "message": "I look.",
                "tool_calls": [{"tool_call_id": "c1", "function_name": "bash", "arguments": {"cmd": "ls"}}],
                "observation": {"results": [{"source_call_id": "c1", "content": "a.py"}]},
                "metrics": {"prompt_tokens": 520, "completion_tokens": 80}}]}

A file holds one trajectory, or one on each line.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from nightschool.core.errors import Malformed
from nightschool.core.ids import derived_id
from nightschool.experiments.importers.imported import ImportedSession
from nightschool.experiments.importers.reading import OnRead, lines, malformed, opened
from nightschool.experiments.importers.telling import Telling

__all__ = ["SOURCE", "parse"]

SOURCE: Final = "import:atif"
"""The ``source`` of every session that comes from here."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="allow")


class _Call(_Part):
    tool_call_id: str
    function_name: str
    arguments: dict[str, Any] = {}


class _Answer(_Part):
    source_call_id: str | None = None
    content: str | list[dict[str, Any]] | None = None


class _Observation(_Part):
    results: list[_Answer] = []


class _Metrics(_Part):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None


class _Step(_Part):
    step_id: int
    source: Literal["system", "user", "agent"]
    message: str | list[dict[str, Any]] = ""
    tool_calls: list[_Call] | None = None
    observation: _Observation | None = None
    metrics: _Metrics | None = None


class _Agent(_Part):
    name: str
    version: str = ""
    model_name: str | None = None


class _Trajectory(_Part):
    schema_version: str = Field(pattern=r"^ATIF-v1\.\d+$")
    session_id: str
    agent: _Agent
    steps: list[_Step] = Field(min_length=1)


def parse(path: Path, *, on_read: OnRead | None = None) -> Iterator[ImportedSession]:
    """Yield the file's sessions; a file with a trajectory on each line is read line by line.

    Raises:
        NotFound: there is no such file.
        InvalidInput: it is a folder, or cannot be read.
        Malformed: it breaks the format; names file, line and field.
    """
    seen: dict[str, int] = {}
    for line, fields in _records(path, on_read):
        trajectory = _checked(path, line, fields)
        if trajectory.session_id in seen:
            first = seen[trajectory.session_id]
            raise malformed(path, line, f"session `{trajectory.session_id}` stands on line {first} already")
        seen[trajectory.session_id] = line
        yield _session(path, line, trajectory)


def _records(path: Path, on_read: OnRead | None) -> Iterator[tuple[int, Any]]:
    """Yield each trajectory with the line it begins on."""
    with opened(path) as file:
        first = file.readline()
    if _is_whole(first):
        yield from lines(path, on_read)
        return
    with opened(path, on_read) as file:
        yield 1, _loads(path, file.read())


def _is_whole(data: bytes) -> bool:
    try:
        return isinstance(json.loads(data), dict)
    except (ValueError, RecursionError):
        return False


def _loads(path: Path, data: bytes) -> Any:
    try:
        return json.loads(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise malformed(path, data.count(b"\n", 0, error.start) + 1, "no UTF-8") from error
    except json.JSONDecodeError as error:
        raise malformed(path, error.lineno, f"not JSON: {error.msg}") from error
    except RecursionError as error:
        raise malformed(path, 1, "not JSON that can be read: nested too deep") from error


def _checked(path: Path, line: int, fields: Any) -> _Trajectory:
    try:
        return _Trajectory.model_validate(fields)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "trajectory"
        raise malformed(path, line, f"`{where}`: {first['msg']}", field=where) from error


def _session(path: Path, line: int, told: _Trajectory) -> ImportedSession:
    telling = Telling(derived_id("session", SOURCE, told.agent.name, told.session_id), told.agent.name)
    telling.create(
        model=told.agent.model_name or "unknown",
        title=f"{told.agent.name} {told.session_id}",
        metadata={"source": SOURCE, "sample_id": told.session_id, "agent_version": told.agent.version},
    )
    for index, step in enumerate(told.steps):
        _tell(telling, step, f"{path}, line {line}: `steps.{index}`")
    return telling.end()


def _tell(telling: Telling, step: _Step, where: str) -> None:
    words = _words(step.message)
    match step.source:
        case "system":
            telling.system(words)
        case "user":
            telling.user(words)
        case "agent":
            if words:
                telling.answer(words)
    for call in step.tool_calls or ():
        telling.call(call.tool_call_id, call.function_name, call.arguments)
    for answer in step.observation.results if step.observation else ():
        content = _words(answer.content or "")
        if answer.source_call_id is None:
            telling.system(content)
        elif not telling.result(answer.source_call_id, content):
            raise Malformed(f"{where}.observation: answers `{answer.source_call_id}`, which was not called")
    if step.metrics is not None:
        cached = step.metrics.cached_tokens or 0
        telling.used(
            input_tokens=max(0, (step.metrics.prompt_tokens or 0) - cached),
            output_tokens=step.metrics.completion_tokens or 0,
            cached_tokens=cached,
        )


def _words(content: str | list[dict[str, Any]]) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(str(part["text"]) for part in content if "text" in part)
