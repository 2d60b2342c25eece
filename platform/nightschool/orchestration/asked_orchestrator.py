"""An orchestrator that is a model: asked where agents were not good enough, or clash over a resource.

Each question is a session of its own, with the facts of the one case in it and nothing else. An answer that
does not fit is sent back once; after that the plain rule decides, and the note says so.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Final

from nightschool.core.errors import BudgetExceeded, Malformed
from nightschool.core.ids import derived_id
from nightschool.harness.loop import Harness, Limits
from nightschool.harness.progress import accepted_input
from nightschool.orchestration.assignment import Assignment, work
from nightschool.orchestration.escalation import Action, Decision, Escalation, by_rule
from nightschool.orchestration.mediation import Mediation, Ruling, mediate_by_rule
from nightschool.orchestration.plan import Task
from nightschool.orchestration.plan_file import TaskFile
from nightschool.orchestration.result_tool import SUBMIT_RESULT, SubmitResult
from nightschool.orchestration.review import Workplace
from nightschool.registry.agents import AgentFile

__all__ = ["AskedOrchestrator"]

_REQUESTS: Final = 2
_SYSTEM: Final = "You are the orchestrator of a plan. Decide the one case below and hand your decision in."
_RULING: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {"value": {"description": "What is to be written."}, "note": {"type": "string"}},
    "required": ["value", "note"],
}


def _decision_schema(escalation: Escalation) -> Mapping[str, Any]:
    items = TaskFile.model_json_schema()
    possible = [a for a in Action if a is not Action.REASSIGN or escalation.candidates]
    return {
        "type": "object",
        # References inside the tasks' schema are looked up from here.
        "$defs": items.pop("$defs", {}),
        "properties": {
            "action": {"enum": [str(action) for action in possible]},
            "note": {"type": "string", "minLength": 1, "description": "Why, in a sentence."},
            "agent": {"enum": [*escalation.candidates], "description": "For reassign: who does it now."}
            if escalation.candidates
            else {"type": "null"},
            "tasks": {
                "type": "array",
                "items": items,
                "description": f"For replan: tasks in its place, one with the id {escalation.task.id}.",
            },
        },
        "required": ["action", "note"],
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedOrchestrator:
    """Decides by asking a model; its methods are a `Decide` and a `Mediate`."""

    workplace: Workplace
    model: str
    parent_session_id: str

    async def decide(self, escalation: Escalation) -> Decision:
        """Return what becomes of the task.

        Raises:
            ModelError: the model could not be asked.
        """
        facts = {
            "task": escalation.task.as_json(),
            "reason": escalation.reason,
            "agents that tried": escalation.agents,
            "agents that could try": escalation.candidates,
            "last result": escalation.result,
            "what was wrong with it": escalation.feedback,
        }
        case = ("decide", escalation.task.id, escalation.escalations)
        answer = await self._asked(facts, _decision_schema(escalation), *case)
        if answer is None:
            return _unasked(by_rule(escalation))
        try:
            tasks = _tasks(answer.get("tasks", ()))
        except Malformed as error:
            decided = by_rule(escalation)
            return replace(decided, note=f"{decided.note} (the new tasks cannot be read: {error.message})")
        action = Action(answer["action"])
        if action is Action.REASSIGN and answer.get("agent") not in escalation.candidates:
            return _unasked(by_rule(escalation))
        return Decision(action=action, note=answer["note"], agent=answer.get("agent"), tasks=tasks)

    async def mediate(self, case: Mediation) -> Ruling:
        """Return what is to be written.

        Raises:
            ModelError: the model could not be asked.
        """
        facts = {
            "resource": case.resource,
            "task": case.task_id,
            "what the task had read": case.base,
            "what others have written since": case.present,
            "what the task wants to write": case.proposed,
        }
        told = json.dumps([case.present, case.proposed], sort_keys=True)
        answer = await self._asked(facts, _RULING, "mediate", case.resource, case.task_id, told)
        if answer is None:
            ruled = await mediate_by_rule(case)
            return Ruling(value=ruled.value, note=f"{ruled.note} (the orchestrator gave no answer that fits)")
        return Ruling(value=answer["value"], note=answer["note"])

    async def _asked(
        self, facts: Mapping[str, Any], schema: Mapping[str, Any], *case: str | int
    ) -> Mapping[str, Any] | None:
        place = self.workplace
        assignment = Assignment(
            session_id=derived_id("session", self.parent_session_id, "orchestrator", *case),
            agent=AgentFile(name="orchestrator", system=_SYSTEM, tools=(SUBMIT_RESULT,)),
            model=self.model,
            system=_SYSTEM,
            prompt=json.dumps(facts, ensure_ascii=False, indent=1),
            tools=[SubmitResult(schema)],
            title=f"{case[0]}: {case[1]}",
            metadata={"role": "orchestrator", "source": "plan"},
            parent_session_id=self.parent_session_id,
        )
        limits = Limits(max_model_calls=_REQUESTS)
        harness = Harness(log=place.log, model=place.model, clock=place.clock, limits=limits)
        with suppress(BudgetExceeded):
            await work(place.log, harness, assignment)
        return accepted_input(await place.log.get_events(assignment.session_id), SUBMIT_RESULT)


def _unasked(decision: Decision) -> Decision:
    return replace(decision, note=f"{decision.note} (the orchestrator gave no answer that fits)")


def _tasks(declared: Any) -> tuple[Task, ...]:
    try:
        return tuple(TaskFile.model_validate(each).task() for each in declared)
    except ValueError as error:
        raise Malformed(str(error).splitlines()[0]) from error
