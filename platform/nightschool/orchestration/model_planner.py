"""From a goal to a plan by a model: structured output, validated, repaired once, then refused.

The planner is an agent in a session of its own, so what it was told and what it answered is in the log.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Final

from nightschool.core.errors import BudgetExceeded, Malformed
from nightschool.core.ids import derived_id
from nightschool.events.agent import AgentToolResult
from nightschool.events.base import EventBase, text_of
from nightschool.harness.loop import Harness
from nightschool.harness.progress import accepted_input
from nightschool.orchestration.assignment import Assignment, work
from nightschool.orchestration.plan import Plan
from nightschool.orchestration.plan_file import plan_from_json, plan_schema
from nightschool.orchestration.review import Workplace
from nightschool.orchestration.split import split_long_tasks
from nightschool.orchestration.staffing import check_staff
from nightschool.registry.agents import AgentFile
from nightschool.sandbox.tools import ToolDefinition, ToolResult

__all__ = ["SubmitPlan", "plan_by_model"]

_TOOL: Final = "submit_plan"
_REQUESTS: Final = 2
"""One for the plan, one for its repair."""
_SYSTEM: Final = (
    "You plan. Split the goal into atomic tasks that one agent can do in one context, and write down only"
    " the dependencies that are real: a task depends on another when it reads its result. Name for each task"
    " the tools it needs and what it writes. Hand the plan in with `submit_plan`."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmitPlan:
    """Accepts a plan that can be run by these agents, or says what is wrong with it."""

    agents: Sequence[AgentFile]
    context_limit_tokens: int | None = None

    @property
    def definition(self) -> ToolDefinition:
        """How the tool is presented to a model."""
        return ToolDefinition(
            name=_TOOL, description="Hand in the plan, once, as the last step.", input_schema=plan_schema()
        )

    async def execute(self, tool_input: Mapping[str, Any]) -> ToolResult:
        """Accept the plan, or say what to mend."""
        try:
            plan = self.checked(tool_input, plan_id="plan")
        except Malformed as error:
            return ToolResult(text=f"Not accepted: {error.message}", is_error=True)
        return ToolResult(text=f"accepted {len(plan.tasks)} tasks")

    def checked(self, tool_input: Mapping[str, Any], *, plan_id: str) -> Plan:
        """Return the plan, its long tasks split.

        Raises:
            Malformed: it cannot be run; says why by name.
        """
        plan = plan_from_json(dict(tool_input), plan_id=plan_id)
        check_staff(plan, self.agents)
        limit = self.context_limit_tokens
        return plan if limit is None else split_long_tasks(plan, limit)


async def plan_by_model(
    goal: str,
    *,
    workplace: Workplace,
    model: str,
    agents: Sequence[AgentFile],
    session_id: str,
    context_limit_tokens: int | None = None,
) -> Plan:
    """Return the plan that the model makes of a goal.

    Args:
        goal: the goal in the asker's words.
        workplace: the log and the brain.
        model: the brain's model id.
        agents: who will do the tasks.
        session_id: the planner's session; called again with the same one, it goes on where it stopped.
        context_limit_tokens: what the agents can read and write in one request.

    Raises:
        Malformed: the plan and its one repair could not be run; the message is the last thing wrong.
        ModelError: the model could not be asked.
    """
    tool = SubmitPlan(agents=agents, context_limit_tokens=context_limit_tokens)
    planner = AgentFile(name="planner", system=_SYSTEM, tools=(_TOOL,))
    assignment = Assignment(
        session_id=session_id,
        agent=planner,
        model=model,
        system=f"{_SYSTEM}\n\nAgents:\n{_described(agents)}",
        prompt=goal,
        tools=[tool],
        title=f"Plan for: {goal[:80]}",
        metadata={"role": "planner", "source": "plan"},
    )
    harness = Harness(log=workplace.log, model=workplace.model, clock=workplace.clock)
    # Its two requests may be used up; what they brought decides below.
    with suppress(BudgetExceeded):
        await work(workplace.log, _limited(harness), assignment)
    events = await workplace.log.get_events(session_id)
    accepted = accepted_input(events, _TOOL)
    if accepted is None:
        raise Malformed(f"no plan for this goal: {_last_refusal(events)} (session {session_id})")
    return tool.checked(accepted, plan_id=derived_id("plan", session_id))


def _limited(harness: Harness) -> Harness:
    return replace(harness, limits=replace(harness.limits, max_model_calls=_REQUESTS))


def _described(agents: Sequence[AgentFile]) -> str:
    return "\n".join(
        f"- {agent.name}: {agent.description or 'no description'}; tools: {', '.join(agent.tools) or 'none'};"
        f" may write: {', '.join(agent.permissions) or 'nothing'}"
        for agent in agents
    )


def _last_refusal(events: Sequence[EventBase]) -> str:
    refusals = [text_of(e.content) for e in events if isinstance(e, AgentToolResult) and e.is_error]
    return refusals[-1] if refusals else "the model handed in none"
