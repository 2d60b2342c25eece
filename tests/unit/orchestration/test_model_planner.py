from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from nightschool.core.clock import SystemClock
from nightschool.core.errors import Malformed
from nightschool.core.ids import IdSource
from nightschool.core.usage import Usage
from nightschool.journal.journal import Journal
from nightschool.models.request import ModelReply, ModelRequest
from nightschool.orchestration.model_planner import plan_by_model
from nightschool.orchestration.plan import Plan
from nightschool.orchestration.review import Workplace
from nightschool.registry.agents import AgentFile
from nightschool.sessions.log import SessionLog

pytestmark = pytest.mark.anyio

AGENT = AgentFile(name="reader", system="s", tools=("read",))
GOOD = {"goal": "g", "tasks": [{"id": "a", "needs": ["read"]}, {"id": "b", "depends_on": ["a"]}]}
CYCLE = {"goal": "g", "tasks": [{"id": "a", "depends_on": ["b"]}, {"id": "b", "depends_on": ["a"]}]}
NOBODY = {"goal": "g", "tasks": [{"id": "a", "needs": ["fly"]}]}


@dataclass
class Scripted:
    """A model that hands in these plans one after another."""

    plans: list[dict[str, Any]]
    seen: list[ModelRequest] = field(default_factory=list)

    async def complete(self, request: ModelRequest) -> ModelReply:
        self.seen.append(request)
        said: dict[str, Any] = {"type": "text", "text": "done"}
        if self.plans:
            made = f"toolu_{len(self.seen)}"
            said = {"type": "tool_use", "id": made, "name": "submit_plan", "input": self.plans.pop(0)}
        reason = "tool_use" if said["type"] == "tool_use" else "end_turn"
        return ModelReply(content=(said,), stop_reason=reason, usage=Usage(), model="scripted")

    async def aclose(self) -> None:
        """Nothing to close."""


async def _plan(model: Scripted, path: Path) -> Plan:
    clock = SystemClock()
    journal = Journal.open(path / "journal.sqlite", clock=clock)
    try:
        log = SessionLog(journal, clock=clock, ids=IdSource())
        place = Workplace(log=log, model=model, clock=clock)
        return await plan_by_model(
            "do it", workplace=place, model="scripted", agents=[AGENT], session_id="sesn_planner"
        )
    finally:
        journal.close()


async def test_a_valid_plan_is_taken(tmp_path: Path) -> None:
    plan = await _plan(Scripted([GOOD]), tmp_path)

    assert ["a", "b"] == [task.id for task in plan.tasks]


@pytest.mark.parametrize(("wrong", "told"), [(CYCLE, "wait for one another"), (NOBODY, "lacks tool fly")])
async def test_a_plan_that_cannot_be_run_is_repaired_once(
    wrong: dict[str, Any], told: str, tmp_path: Path
) -> None:
    model = Scripted([wrong, GOOD])

    plan = await _plan(model, tmp_path)

    assert 2 == len(plan.tasks)
    assert told in str(model.seen[1].messages)


async def test_a_plan_wrong_twice_is_refused_with_the_last_mistake(tmp_path: Path) -> None:
    model = Scripted([CYCLE, NOBODY, GOOD])

    with pytest.raises(Malformed, match=r"no plan for this goal: .*no agent can do task 'a'"):
        await _plan(model, tmp_path)
    assert 2 == len(model.seen)


async def test_a_model_that_hands_in_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Malformed, match="handed in none"):
        await _plan(Scripted([]), tmp_path)
