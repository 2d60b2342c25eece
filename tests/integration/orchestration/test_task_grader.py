"""Results of a plan judged by graders in sessions of their own, and what follows from their verdicts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from nightschool.core.clock import SystemClock
from nightschool.core.errors import Malformed
from nightschool.core.ids import IdSource
from nightschool.core.usage import Usage
from nightschool.events.plan import EscalationDecided, PlanCompleted, TaskCompleted, TaskGraded, TaskStarted
from nightschool.events.session import AgentSnapshot
from nightschool.journal.journal import Journal
from nightschool.models.request import ModelReply, ModelRequest
from nightschool.orchestration.agent_worker import AgentWorker
from nightschool.orchestration.board import Board, Status
from nightschool.orchestration.plan import Plan, Task
from nightschool.orchestration.plan_log import SessionPlanLog
from nightschool.orchestration.scheduler import Scheduler
from nightschool.orchestration.staff import Staff
from nightschool.orchestration.task_grader import TaskGrader, refuse_ungraded_stakes
from nightschool.registry.agents import AgentFile
from nightschool.sessions.log import SessionLog

pytestmark = [pytest.mark.anyio, pytest.mark.integration]

RUBRIC = {"rubric": "# Rubric: words\n## Accuracy\n- The word is good."}
CLERK = AgentFile(name="clerk", system="You are a clerk.")
Judge = Callable[[str], dict[str, Any] | None]


@dataclass
class Desk:
    """A model that hands in the next of its words as a clerk, and judges as a grader."""

    words: list[dict[str, Any]]
    judge: Judge
    papers: list[str] = field(default_factory=list)
    prompts: list[str] = field(default_factory=list)

    async def complete(self, request: ModelRequest) -> ModelReply:
        asked = str(request.messages[0]["content"][0]["text"])
        tools = {tool["name"] for tool in request.tools}
        if "submit_grades" in tools:
            grade = self.judge(asked.partition("<result>")[2])
            if grade is not None and len(request.messages) > 1:
                return self._reply(None, {})
            self.papers.append(asked)
            said = [{"criterion": "accuracy.1", "reason": "so it is", **grade}] if grade else []
            return self._reply("submit_grades", {"grades": said})
        if len(request.messages) > 1:
            return self._reply(None, {})
        self.prompts.append(asked)
        return self._reply("submit_result", self.words.pop(0))

    def _reply(self, tool: str | None, value: dict[str, Any]) -> ModelReply:
        said: dict[str, Any] = {"type": "text", "text": "done"}
        if tool is not None:
            said = {"type": "tool_use", "id": "toolu_1", "name": tool, "input": value}
        reason = "end_turn" if tool is None else "tool_use"
        return ModelReply(content=(said,), stop_reason=reason, usage=Usage(input_tokens=5), model="scripted")

    async def aclose(self) -> None:
        """Nothing to close."""


def _good(word: str) -> Judge:
    return lambda result: {"score": 1, "evidence": word} if word in result else {"score": 0, "evidence": None}


@pytest.fixture
def log(tmp_path: Path) -> Iterator[SessionLog]:
    clock = SystemClock()
    journal = Journal.open(tmp_path / "journal.sqlite", clock=clock)
    yield SessionLog(journal, clock=clock, ids=IdSource())
    journal.close()


async def _run(
    log: SessionLog, model: Desk, *tasks: Task, outcome: dict[str, Any] | None = None
) -> tuple[Board, list[Any]]:
    writer = await log.create("sesn_o", agent=AgentSnapshot(name="orchestrator", model="code"))
    place = SessionPlanLog(log, writer)
    plan = Plan(id="plan_x", goal="g", tasks=tasks, outcome=outcome)
    clock = SystemClock()
    scheduler = Scheduler(
        worker=AgentWorker(log=log, model=model, clock=clock, run_model="scripted", default=CLERK),
        log=place,
        clock=clock,
        staff=Staff(agents=(CLERK,)),
        grade=TaskGrader(
            log=log, model=model, clock=clock, run_model="scripted", plan=plan, parent_session_id="sesn_o"
        ),
    )
    return await scheduler.run(plan), list(await place.read())


def _of(events: list[Any], kind: type) -> list[Any]:
    return [event for event in events if isinstance(event, kind)]


async def test_a_result_below_its_tier_is_done_again_with_the_graders_words(log: SessionLog) -> None:
    model = Desk([{"word": "bad", "confidence": 0.99}, {"word": "good"}], _good("good"))

    board, events = await _run(log, model, Task(id="a", title="a", prompt="Find a word.", outcome=RUBRIC))

    assert {"word": "good"} == board.tasks["a"].result
    first, second = _of(events, TaskGraded)
    assert ("rerun", "accept") == (first.next, second.next)
    assert ("standard", 0.75, -0.75) == (first.tier, first.threshold, first.margin)
    assert first.task_session_id
    assert first.usage.input_tokens
    assert "accuracy.1: The word is good. (so it is)" in model.prompts[1]
    # The grader sees what was asked, never what was said of earlier attempts or how sure the author is.
    assert all("Find a word." in paper and "sent back" not in paper for paper in model.papers)
    assert not any("confidence" in paper for paper in model.papers)
    (summary,) = _of(events, PlanCompleted)
    assert {"satisfied": 1, "sent_back": 1} == summary.summary["verdicts"]
    assert summary.summary["grading_tokens"] >= 10


async def test_the_plans_outcome_holds_and_a_threshold_of_its_own_decides(log: SessionLog) -> None:
    model = Desk([{"word": "bad"}], _good("good"))

    board, events = await _run(log, model, Task(id="a", title="a"), outcome={**RUBRIC, "threshold": 0})

    assert Status.DONE is board.tasks["a"].status
    (graded,) = _of(events, TaskGraded)
    assert (True, 0.0, 0.0) == (graded.satisfied, graded.threshold, graded.margin)


async def test_past_its_reruns_a_result_is_decided_by_the_orchestrator(log: SessionLog) -> None:
    model = Desk([{"word": "bad"}, {"word": "worse"}], _good("good"))

    board, events = await _run(log, model, Task(id="a", title="a", outcome={**RUBRIC, "max_reruns": 1}))

    assert ["rerun", "escalate"] == [event.next for event in _of(events, TaskGraded)]
    (decided,) = _of(events, EscalationDecided)
    assert "accept" == decided.action
    assert "The word is good." in (board.tasks["a"].note or "")


async def test_a_grader_without_grades_sends_nothing_back_and_blames_nobody(log: SessionLog) -> None:
    model = Desk([{"word": "good"}], lambda _result: None)

    board, events = await _run(log, model, Task(id="a", title="a", outcome=RUBRIC))

    assert ["escalate"] == [event.next for event in _of(events, TaskGraded)]
    assert "could not be graded" in (board.tasks["a"].note or "")
    assert 1 == len(_of(events, TaskStarted))


async def test_a_conflict_above_its_stake_is_settled_by_the_graders(log: SessionLog) -> None:
    """The surer author is wrong: by confidence `bad` would stand."""
    model = Desk([{"word": "bad", "confidence": 0.9}, {"word": "good", "confidence": 0.2}], _good("good"))
    merge = Task(id="j", title="j", depends_on=("a", "b"), merge={"stake": 2}, stake=2, outcome=RUBRIC)

    board, _ = await _run(log, model, Task(id="a", title="a"), Task(id="b", title="b"), merge)

    result = dict(board.tasks["j"].result or {})
    assert "good" == result["word"]
    assert [("word", "grader")] == [(each["field"], each["by"]) for each in result["conflicts"]]
    assert any("disagree on the field `word`" in paper for paper in model.papers)


async def test_a_joined_result_below_its_tier_is_not_joined_again(log: SessionLog) -> None:
    model = Desk([{"word": "bad"}], _good("good"))
    merge = Task(id="j", title="j", depends_on=("a",), merge={}, outcome=RUBRIC)

    board, events = await _run(log, model, Task(id="a", title="a"), merge)

    assert ["escalate"] == [event.next for event in _of(events, TaskGraded)]
    assert 1 == sum(event.task_id == "j" for event in _of(events, TaskStarted))
    assert json.dumps({"word": "bad"}) == json.dumps(board.tasks["j"].result)
    assert [None] == [event.agent_id for event in _of(events, TaskCompleted) if event.task_id == "j"]


async def test_a_stake_without_a_rubric_is_refused_by_name() -> None:
    merge = Task(id="j", title="j", merge={"stake": 2}, stake=3)

    with pytest.raises(Malformed, match="task 'j' has a stake of 3; from 2 on"):
        refuse_ungraded_stakes(Plan(id="p", goal="g", tasks=(merge,)))
    refuse_ungraded_stakes(Plan(id="p", goal="g", tasks=(merge,), outcome=RUBRIC))
