"""What becomes of trajectories in ATIF."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from nightschool.core.errors import Malformed, NotFound
from nightschool.events.agent import AgentMessage, AgentToolResult, AgentToolUse
from nightschool.events.session import SessionCreated
from nightschool.events.span import SpanModelRequestEnd
from nightschool.events.user import UserMessage
from nightschool.experiments.importers.atif import parse


def trajectory(session: str = "run-1", **changes: Any) -> dict[str, Any]:
    steps = [
        {"step_id": 1, "source": "user", "message": "Fix the test."},
        {
            "step_id": 2,
            "source": "agent",
            "message": [{"type": "text", "text": "I look."}],
            "tool_calls": [{"tool_call_id": "c1", "function_name": "bash", "arguments": {"cmd": "ls"}}],
            "observation": {"results": [{"source_call_id": "c1", "content": "a.py"}]},
            "metrics": {"prompt_tokens": 520, "completion_tokens": 80, "cached_tokens": 200},
        },
    ]
    agent = {"name": "mini", "version": "1", "model_name": "m"}
    return {"schema_version": "ATIF-v1.4", "session_id": session, "agent": agent, "steps": steps} | changes


def written(tmp_path: Path, *records: Any, indent: int | None = None) -> Path:
    path = tmp_path / "trajectory.json"
    path.write_text("\n".join(json.dumps(record, indent=indent) for record in records), "utf-8")
    return path


@pytest.mark.parametrize("indent", [None, 2])
def test_a_trajectory_is_a_session(indent: int | None, tmp_path: Path) -> None:
    (session,) = parse(written(tmp_path, trajectory(), indent=indent))
    kinds = [type(event) for event in session.events]
    told = [SessionCreated, UserMessage, AgentMessage, AgentToolUse, AgentToolResult]
    assert told == kinds[:5]
    (used,) = (event for event in session.events if isinstance(event, SpanModelRequestEnd))
    usage = used.model_usage
    assert (320, 200, 80) == (usage.input_tokens, usage.cache_read_input_tokens, usage.output_tokens)


def test_a_file_may_have_one_on_each_line(tmp_path: Path) -> None:
    path = written(tmp_path, *[trajectory(f"run-{n}") for n in range(5)])
    assert 5 == len({session.session_id for session in parse(path)})


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (trajectory("b", schema_version="ATIF-v2.0"), "line 2: `schema_version`"),
        (trajectory("b", steps=[]), "line 2: `steps`"),
        (trajectory("b", steps=[{"step_id": 1, "source": "ghost"}]), "line 2: `steps.0.source`"),
        (trajectory("a"), "line 2: session `a` stands on line 1"),
        ("not a trajectory", "line 2: `trajectory`"),
    ],
)
def test_a_mistake_is_named_by_line_and_field(record: Any, reason: str, tmp_path: Path) -> None:
    with pytest.raises(Malformed, match=reason):
        list(parse(written(tmp_path, trajectory("a"), record)))


def test_an_answer_without_its_call_is_named(tmp_path: Path) -> None:
    step = {
        "step_id": 1,
        "source": "agent",
        "observation": {"results": [{"source_call_id": "x", "content": "y"}]},
    }
    with pytest.raises(Malformed, match=r"steps.0`.observation: answers `x`"):
        list(parse(written(tmp_path, trajectory(steps=[step]))))


def test_what_is_no_json_is_named_by_line(tmp_path: Path) -> None:
    path = tmp_path / "broken.json"
    path.write_text('{\n  "schema_version": "ATIF-v1.4",\n  oops\n}', "utf-8")
    with pytest.raises(Malformed, match="line 3: not JSON"):
        list(parse(path))
    with pytest.raises(NotFound):
        list(parse(tmp_path / "none.json"))
