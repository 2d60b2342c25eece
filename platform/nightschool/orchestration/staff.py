"""The agents of a run and how one is chosen for a task."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass

from nightschool.orchestration.agent_choice import AgentChoice, ChoicePolicy, Standing, choose
from nightschool.orchestration.board import TaskState
from nightschool.orchestration.experience import Experience
from nightschool.orchestration.plan import Task
from nightschool.orchestration.staffing import capable
from nightschool.registry.agents import AgentFile

__all__ = ["Staff"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Staff:
    """Who may be put to work, and by which policy. Without agents the worker decides for itself."""

    agents: tuple[AgentFile, ...] = ()
    policy: ChoicePolicy = ChoicePolicy.CAPABILITY
    fallback: str | None = None
    """The agent that works on the fallback queue; None: whoever the policy names."""
    seed: int = 0
    """Of the draws of `learned`."""
    run_model: str = ""
    """The model of agents that name none."""

    def others(self, task: Task, state: TaskState) -> tuple[str, ...]:
        """Return the names of agents that could do the task and have not tried."""
        return tuple(agent.name for agent in capable(self.agents, task) if agent.name not in state.agents)

    def pick(
        self, task: Task, state: TaskState, *, at_work: Mapping[str, int], given: int, learnt: Experience
    ) -> AgentChoice | None:
        """Return who does the task's next attempt; None where there is nobody to choose from."""
        candidates = capable(self.agents, task)
        named = state.assigned_to or (self.fallback if state.is_fallback else None)
        only = [agent for agent in candidates if agent.name == named]
        if not candidates:
            return None
        standing = Standing(
            at_work=at_work,
            given=given,
            tried=state.agents,
            timed_out=state.timed_out,
            verdicts=learnt.of_type(task.type),
            run_model=self.run_model,
        )
        rng = random.Random(f"{self.seed}|{task.id}|{state.attempts}")
        return choose(self.policy, only or candidates, standing, rng)
