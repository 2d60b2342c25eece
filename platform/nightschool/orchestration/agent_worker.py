"""A worker that puts an agent to work on each task, in a session of its own with the task's own tools.

The agent sees its system prompt and the order's context, byte for byte as the plan's log has it, and
nothing else: no other task's words, no history.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from nightschool.core.clock import Clock
from nightschool.core.errors import ModelError, TaskTimeout
from nightschool.core.ids import derived_id
from nightschool.events.base import EventBase
from nightschool.events.plan import TaskGranted
from nightschool.harness.loop import Harness, Limits
from nightschool.harness.model import Model
from nightschool.harness.progress import accepted_input
from nightschool.orchestration.assignment import Assignment, work
from nightschool.orchestration.grant import grant, writes_of
from nightschool.orchestration.result_tool import SUBMIT_RESULT, SubmitResult
from nightschool.orchestration.shared import SharedResources
from nightschool.orchestration.shared_tools import shared_tools
from nightschool.orchestration.slots import Done, Order
from nightschool.registry.agents import AgentFile
from nightschool.sandbox.tools import Tool
from nightschool.sessions.log import SessionLog
from nightschool.sessions.state import fold

__all__ = ["AgentWorker"]

_ANY_OBJECT: Final[Mapping[str, Any]] = {"type": "object"}


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentWorker:
    """Carries out orders by agents; an instance is a `Worker`."""

    log: SessionLog
    model: Model
    clock: Clock
    run_model: str
    """The model of agents that name none."""
    default: AgentFile
    """Who does a task for which nobody was chosen."""
    tools: Sequence[Tool] = ()
    """What there is; a task gets of it what it needs and its agent has."""
    shared: SharedResources | None = None
    """What tasks share; a task that needs `read_shared` or `write_shared` reaches it."""
    seconds_of: Callable[[Sequence[EventBase]], float] | None = None
    """Reads from a session how long a simulated brain says it took; None: time is what passes."""
    limits: Limits = field(default_factory=Limits)
    parent_session_id: str | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)

    async def __call__(self, order: Order) -> Done:
        """Work on the order and return the result handed in.

        Raises:
            ModelError: the model could not be asked, or handed in nothing that fits.
            TaskTimeout: a simulated brain says that it took too long.
        """
        agent = order.agent or self.default
        hands: list[Tool] = [SubmitResult(order.task.returns or _ANY_OBJECT), *self.tools]
        if self.shared is not None:
            hands += shared_tools(self.shared, order.task.id)
        allowed = grant(order.task, agent, hands, always=(SUBMIT_RESULT,))
        assignment = Assignment(
            session_id=order.session_id or "",
            # What is granted is decided above; nothing is taken away from it below.
            agent=replace(agent, tools=tuple(tool.definition.name for tool in allowed)),
            model=self.run_model,
            system=agent.system,
            prompt=order.context,
            tools=allowed,
            title=order.task.title,
            metadata={**self.metadata, "role": "task", "task_id": order.task.id, "plan_id": order.plan_id},
            parent_session_id=self.parent_session_id,
            notes=(self._granted(order, agent, [tool.definition.name for tool in allowed]),),
        )
        events = await work(self.log, self._harness(agent), assignment)
        seconds = None if self.seconds_of is None else self.seconds_of(events)
        if seconds is not None and seconds > order.max_seconds:
            late = f"task {order.task.id} took longer than {order.max_seconds:g} s"
            raise TaskTimeout(late, seconds=order.max_seconds)
        answer = accepted_input(events, SUBMIT_RESULT)
        if answer is None:
            said = f"task {order.task.id}: {agent.name} handed in no result that fits"
            raise ModelError(said, **({} if seconds is None else {"seconds": seconds}))
        return Done(value=answer, tokens=fold(events).usage.total_tokens, seconds=seconds)

    def _granted(self, order: Order, agent: AgentFile, tools: Sequence[str]) -> TaskGranted:
        return TaskGranted(
            id=derived_id("event", order.session_id or "", "granted"),
            processed_at=self.clock.now(),
            agent_id=agent.name,
            plan_id=order.plan_id,
            task_id=order.task.id,
            attempt=order.attempt,
            tools=tuple(tools),
            writes=writes_of(order.task, agent),
        )

    def _harness(self, agent: AgentFile) -> Harness:
        own = {
            "max_model_calls": agent.limits.max_model_calls,
            "max_tokens": agent.limits.max_tokens,
            "context_limit_tokens": agent.context_limit_tokens,
        }
        limits = replace(self.limits, **{name: value for name, value in own.items() if value is not None})
        return Harness(log=self.log, model=self.model, clock=self.clock, limits=limits)
