"""Agents at work on the tasks of a plan: what reaches them, and what is refused to them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from nightschool.core.clock import SystemClock
from nightschool.core.ids import IdSource
from nightschool.core.usage import Usage
from nightschool.events.agent import AgentToolRefused, AgentToolResult
from nightschool.events.base import text_of
from nightschool.events.plan import TaskGranted, TaskStarted
from nightschool.events.session import AgentSnapshot
from nightschool.events.user import UserMessage
from nightschool.journal.journal import Journal
from nightschool.models.request import ModelReply, ModelRequest
from nightschool.orchestration.agent_worker import AgentWorker
from nightschool.orchestration.board import Board
from nightschool.orchestration.plan import Plan, Task
from nightschool.orchestration.plan_log import SessionPlanLog
from nightschool.orchestration.scheduler import Scheduler
from nightschool.orchestration.staff import Staff
from nightschool.registry.agents import AgentFile
from nightschool.sessions.log import SessionLog

pytestmark = [pytest.mark.anyio, pytest.mark.integration]

AGENT = AgentFile(name="clerk", system="You are a clerk.", tools=("read",))
Answer = Callable[[ModelRequest], dict[str, Any]]


@dataclass
class Scripted:
    """A model that answers each request by a function of it, then ends its turn."""

    answer: Answer
    seen: list[ModelRequest] = field(default_factory=list)

    async def complete(self, request: ModelRequest) -> ModelReply:
        self.seen.append(request)
        said = self.answer(request)
        reason = "tool_use" if said["type"] == "tool_use" else "end_turn"
        usage = Usage(input_tokens=7, output_tokens=3)
        return ModelReply(content=(said,), stop_reason=reason, usage=usage, model="scripted")

    async def aclose(self) -> None:
        """Nothing to close."""


def _call(name: str, tool_input: dict[str, Any]) -> dict[str, Any]:
    return {"type": "tool_use", "id": "toolu_1", "name": name, "input": tool_input}


@pytest.fixture
def log(tmp_path: Path) -> Iterator[SessionLog]:
    clock = SystemClock()
    journal = Journal.open(tmp_path / "journal.sqlite", clock=clock)
    yield SessionLog(journal, clock=clock, ids=IdSource())
    journal.close()


async def _run(log: SessionLog, model: Scripted, *tasks: Task) -> tuple[Board, SessionPlanLog]:
    writer = await log.create("sesn_o", agent=AgentSnapshot(name="orchestrator", model="code"))
    place = SessionPlanLog(log, writer)
    worker = AgentWorker(log=log, model=model, clock=SystemClock(), run_model="scripted", default=AGENT)
    scheduler = Scheduler(worker=worker, log=place, clock=SystemClock(), staff=Staff(agents=(AGENT,)))
    return await scheduler.run(Plan(id="plan_x", goal="the whole goal", tasks=tasks)), place


async def test_nothing_but_the_declared_inputs_reaches_a_task(log: SessionLog) -> None:
    """Every task has a secret in its words and one in its result; a request has the declared ones only."""

    def answer(request: ModelRequest) -> dict[str, Any]:
        if len(request.messages) > 1:
            return {"type": "text", "text": "done"}
        name = request.messages[0]["content"][0]["text"].split()[0].removeprefix("words-")
        return _call("submit_result", {"found": f"result-{name}"})

    def task(name: str, *needed: str) -> Task:
        return Task(id=name, title=f"title-{name}", prompt=f"words-{name} to do", depends_on=needed)

    model = Scripted(answer)
    board, place = await _run(log, model, task("a"), task("b"), task("c", "a"), task("d", "b", "c"))

    assert {"found": "result-d"} == board.tasks["d"].result
    allowed = {"a": [], "b": [], "c": ["a"], "d": ["b", "c"]}
    started = {e.task_id: e for e in await place.read() if isinstance(e, TaskStarted)}
    for request in model.seen:
        whole = json.dumps([request.system, list(request.messages), list(request.tools)])
        (mine,) = (name for name in allowed if f"words-{name} " in whole)
        assert AGENT.system == request.system
        assert {f"result-{n}" for n in allowed[mine]} == {
            f"result-{n}" for n in allowed if n != mine and f"result-{n}" in whole
        }
        assert "the whole goal" not in whole
        assert "title-" not in whole
        # What the plan's log says was received is, byte for byte, what the model read.
        assert started[mine].received == request.messages[0]["content"][0]["text"]
    for event in started.values():
        said = await log.get_events(event.task_session_id or "", types=("user.message",))
        assert [event.received] == [text_of(e.content) for e in said if isinstance(e, UserMessage)]


async def test_what_a_task_may_do_stands_in_its_session_before_its_first_message(log: SessionLog) -> None:
    def answer(request: ModelRequest) -> dict[str, Any]:
        done = {"type": "text", "text": "done"}
        return done if len(request.messages) > 1 else _call("submit_result", {})

    task = Task(id="a", title="a", needs=("read",), writes=("file:out/a", "file:etc/passwd"))
    agent = replace(AGENT, permissions=("file:out/**",))
    writer = await log.create("sesn_o", agent=AgentSnapshot(name="orchestrator", model="code"))
    worker = AgentWorker(
        log=log, model=Scripted(answer), clock=SystemClock(), run_model="scripted", default=agent
    )
    place = SessionPlanLog(log, writer)
    await Scheduler(worker=worker, log=place, clock=SystemClock()).run(Plan(id="p", goal="g", tasks=(task,)))

    (started,) = [event for event in await place.read() if isinstance(event, TaskStarted)]
    events = await log.get_events(started.task_session_id or "")
    kinds = [event.type for event in events]
    assert ["session.created", "task.granted", "user.message"] == kinds[:3]
    assert isinstance(events[1], TaskGranted)
    assert (("submit_result",), ("file:out/a",)) == (events[1].tools, events[1].writes)


async def test_a_call_that_was_not_granted_is_an_event_and_the_agent_is_told(log: SessionLog) -> None:
    def answer(request: ModelRequest) -> dict[str, Any]:
        match len(request.messages):
            case 1:
                return _call("read", {"path": "secret"})
            case 3:
                return _call("submit_result", {"n": 1})
        return {"type": "text", "text": "done"}

    model = Scripted(answer)
    board, place = await _run(log, model, Task(id="a", title="a"))

    assert {"n": 1} == board.tasks["a"].result
    (started,) = (event for event in await place.read() if isinstance(event, TaskStarted))
    events = await log.get_events(started.task_session_id or "")
    (refused,) = (event for event in events if isinstance(event, AgentToolRefused))
    assert "read" == refused.name
    result = next(event for event in events if isinstance(event, AgentToolResult))
    assert result.is_error
    assert "not granted" in text_of(result.content)
    assert "not granted" in str(model.seen[1].messages)
    assert ["submit_result"] == [tool["name"] for tool in model.seen[0].tools]


async def test_who_hands_in_nothing_has_failed(log: SessionLog) -> None:
    board, _ = await _run(
        log, Scripted(lambda _request: {"type": "text", "text": "I give up"}), Task(id="a", title="a")
    )

    assert "clerk handed in no result" in str(board.tasks["a"].error)
