"""A model as orchestrator: what it is shown, what is done with its answer, and what when there is none."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from nightschool.core.clock import SystemClock
from nightschool.core.errors import ModelUnavailable
from nightschool.core.ids import IdSource
from nightschool.journal.journal import Journal
from nightschool.models.request import ModelRequest
from nightschool.orchestration.asked_orchestrator import AskedOrchestrator
from nightschool.orchestration.escalation import Action, Decision, Escalation
from nightschool.orchestration.mediation import Mediation
from nightschool.orchestration.plan import Task
from nightschool.orchestration.review import Workplace
from nightschool.orchestration.slots import Slots
from nightschool.outcomes.grader import Verdict
from nightschool.sessions.log import SessionLog
from tests.integration.orchestration.test_agent_worker import Scripted
from tests.unit.orchestration.workers import Recorder, run, task

pytestmark = [pytest.mark.anyio, pytest.mark.integration]

CASE = Escalation(
    task=Task(id="t", title="t"),
    reason="too short",
    agents=("a",),
    candidates=("b",),
    result={"n": 1},
    feedback=("too short",),
    escalations=0,
)
CLASH = Mediation(resource="table:t", task_id="x", base={"a": 1}, present={"a": 2}, proposed={"a": 3})


@pytest.fixture
def log(tmp_path: Path) -> Iterator[SessionLog]:
    clock = SystemClock()
    journal = Journal.open(tmp_path / "journal.sqlite", clock=clock)
    yield SessionLog(journal, clock=clock, ids=IdSource())
    journal.close()


def _asked(log: SessionLog, *answers: dict[str, Any]) -> tuple[AskedOrchestrator, Scripted]:
    left = list(answers)

    def answer(_request: ModelRequest) -> dict[str, Any]:
        if not left:
            return {"type": "text", "text": "done"}
        call = {"type": "tool_use", "id": f"toolu_{len(left)}", "name": "submit_result"}
        return call | {"input": left.pop(0)}

    model = Scripted(answer)
    place = Workplace(log=log, model=model, clock=SystemClock())
    return AskedOrchestrator(workplace=place, model="scripted", parent_session_id="sesn_o"), model


async def test_the_model_sees_the_case_and_its_decision_is_taken(log: SessionLog) -> None:
    asked, model = _asked(log, {"action": "reassign", "note": "b is better", "agent": "b"})

    decision = await asked.decide(CASE)

    assert Decision(action=Action.REASSIGN, note="b is better", agent="b") == decision
    assert "too short" in str(model.seen[0].messages)


async def test_an_answer_that_does_not_fit_is_sent_back_once(log: SessionLog) -> None:
    asked, model = _asked(log, {"action": "dance", "note": "x"}, {"action": "stop", "note": "hopeless"})

    assert Action.STOP is (await asked.decide(CASE)).action
    assert 2 == len(model.seen)


@pytest.mark.parametrize(
    "answers",
    [
        (),
        ({"action": "dance", "note": "x"}, {"action": "sing", "note": "x"}),
        ({"action": "reassign", "note": "no name"},),
    ],
)
async def test_without_an_answer_that_fits_the_rule_decides_and_says_so(
    answers: tuple[dict[str, Any], ...], log: SessionLog
) -> None:
    decision = await _asked(log, *answers)[0].decide(CASE)

    assert (Action.REASSIGN, "b") == (decision.action, decision.agent)
    assert "gave no answer that fits" in decision.note


async def test_new_tasks_are_read_or_said_to_be_unreadable(log: SessionLog) -> None:
    good = {
        "action": "replan",
        "note": "halve it",
        "tasks": [{"id": "t1", "on_failure": "retry"}, {"id": "t", "depends_on": ["t1"]}],
    }

    decision = await _asked(log, good)[0].decide(CASE)

    assert ["t1", "t"] == [each.id for each in decision.tasks]


async def test_a_clash_is_decided_with_both_versions_in_view(log: SessionLog) -> None:
    asked, model = _asked(log, {"value": {"a": 5}, "note": "the sum"})

    ruling = await asked.mediate(CLASH)

    assert ({"a": 5}, "the sum") == (ruling.value, ruling.note)
    assert "others have written" in str(model.seen[0].messages)
    # Asked again after a crash, the answer is found and not asked for a second time.
    assert ruling == await asked.mediate(CLASH)
    assert 2 == len(model.seen)


async def test_an_orchestrator_that_cannot_be_asked_does_not_stop_the_plan() -> None:
    async def down(_escalation: Escalation) -> Decision:
        raise ModelUnavailable("overloaded")

    async def never(_order: object, _value: object) -> Verdict:
        return Verdict(scores={"accuracy": 0.0}, satisfied=False, feedback=("no good",))

    board = await run([task("t")], Recorder(), grade=never, decide=down, slots=Slots(max_reruns=0))

    assert "could not be asked: overloaded" in str(board.tasks["t"].note)
