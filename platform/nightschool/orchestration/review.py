"""Reviewing one document against a playbook, by one of three ways of routing the work.

    single        one agent, one context
    subagents     a lead that delegates and keeps the results in its own context
    orchestrated  a plan by the document's structure, tasks in a pool, a grader, a merge

Same brain, same tools, same budget: what differs is stated in the arm's definition. Every session's id
derives from the review's, so a review that is run again after a crash finds what was done and does the rest.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from nightschool.core.clock import Clock
from nightschool.core.ids import derived_id
from nightschool.events.base import EventBase
from nightschool.harness.loop import Harness, Limits
from nightschool.harness.model import Model
from nightschool.models.embed import Embedder
from nightschool.orchestration.agent_choice import ChoicePolicy
from nightschool.orchestration.assignment import Assignment
from nightschool.orchestration.merge import MergeRules
from nightschool.orchestration.plan import OnFailure
from nightschool.orchestration.planner import Granularity
from nightschool.orchestration.pools import Pool
from nightschool.orchestration.slots import Slots
from nightschool.outcomes.playbook import Policy
from nightschool.outcomes.rubric_parts import Rubric
from nightschool.outcomes.tiers import Tier
from nightschool.registry.agents import AgentFile
from nightschool.sandbox.document_tools import ListSections, ReadSection
from nightschool.sandbox.documents import Document
from nightschool.sandbox.submission import SubmitFindings
from nightschool.sandbox.tools import Tool
from nightschool.sessions.log import SessionLog

__all__ = ["Given", "Review", "Setup", "TaskMemory", "Workplace"]


class Given(NamedTuple):
    """What a session is given of what earlier ones left."""

    memories: str
    """As it stands in the system prompt; empty for none."""
    notes: tuple[EventBase, ...]
    """What the session notes of it before its first message."""


class TaskMemory(Protocol):
    """What earlier sessions left, asked for one task at a time. Blocking."""

    def for_task(self, session_id: str, sections: Collection[str]) -> Given:
        """Return what the session of a task over these sections is given; the same each time it is asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Workplace:
    """What work needs around it: the log, a brain, the time."""

    log: SessionLog
    model: Model
    clock: Clock
    embedder: Embedder | None = None
    """What graders compare sentences with, where they do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """An arm's choices, read from its definition file."""

    routing: str
    """single, subagents or orchestrated."""
    agents: Mapping[str, AgentFile]
    """Role to agent: reviewer; lead and subagent; or task."""
    limits: Limits = field(default_factory=Limits)
    slots: Slots = field(default_factory=Slots)
    granularity: Granularity = field(default_factory=Granularity)
    merge: MergeRules = field(default_factory=MergeRules)
    max_iterations: int = 3
    """How often a task's result may be graded, the first time included."""
    second_looks: int = 0
    """How often a single agent is sent back to look for what it says is missing."""
    graders: int = 0
    """Gradings of each result by a model, each in its own session, joined by the median; 0: by code alone."""
    self_checks: int = 0
    """How often an author without a grader is asked to look at its own work again."""
    loop_tier: Tier = Tier.STRICT
    """What the grader inside asks for before it lets a result stand."""
    policy: ChoicePolicy = ChoicePolicy.CAPABILITY
    """How an agent of the pool is chosen for a task."""
    fallback: str | None = None
    """The agent that works on the fallback queue."""
    on_failure: OnFailure = OnFailure.BEST_EFFORT
    """What happens when a task's attempts have failed."""
    pool: Pool | None = None
    """How many agents are kept ready; None: as many as there is work for, up to the width."""
    recalls_by_task: bool = False
    """Whether each task of a plan is given memories of its own, instead of all the document's."""
    point_from: float = 0.0
    """Strength from which on it is sent back with the sentence that may speak to it; 0: without one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """One document to be reviewed once."""

    id: str
    """The trial's id, or one made for a person's own review."""
    document: Document
    playbook: str
    policies: tuple[Policy, ...]
    model: str
    setup: Setup
    metadata: Mapping[str, str] = field(default_factory=dict)
    rubric: Rubric | None = None
    """What graders inside the review go by."""
    tier: Tier = Tier.STRICT
    """How much the grader inside the review asks before it lets a result stand."""
    tier_facts: Mapping[str, Any] = field(default_factory=dict)
    """Where the tier comes from, recorded with each verdict."""
    memories: str = ""
    """What earlier sessions left, as it stands in the system prompt; empty for none."""
    notes: tuple[EventBase, ...] = ()
    """What the root session notes before its first message, such as what was recalled and why."""
    task_memory: TaskMemory | None = None
    """Gives each task of a plan memories of its own; None: all have ``memories``."""

    def session_id(self, *parts: str | int) -> str:
        """Return the id that the session of this part of the review always has."""
        return derived_id("session", self.id, *parts)

    @property
    def root_session_id(self) -> str:
        """The session that the review as a whole is."""
        return self.session_id("root")

    def harness(self, workplace: Workplace) -> Harness:
        """Return the loop that runs this review's agents."""
        return Harness(
            log=workplace.log, model=workplace.model, clock=workplace.clock, limits=self.setup.limits
        )

    def tools(self, only: frozenset[str] | None = None) -> list[Tool]:
        """Return the tools over the document, restricted to some sections or not."""
        return [
            ListSections(self.document, only),
            ReadSection(self.document, only),
            SubmitFindings(self.document),
        ]

    def assignment(
        self,
        role: str,
        *parts: str | int,
        prompt: str,
        title: str,
        agent: AgentFile | None = None,
        **metadata: str,
    ) -> Assignment:
        """Return the assignment of one agent of the review; its session belongs to the root.

        Args:
            role: what it is there for.
            parts: what tells its session from others of the role; none: it is the root.
            prompt: what it is told.
            title: for people.
            agent: who; None: the one that the arm names for the role.
            metadata: what else its session belongs to.
        """
        agent = agent or self.setup.agents[role]
        is_root = not parts
        return Assignment(
            session_id=self.root_session_id if is_root else self.session_id(role, *parts),
            agent=agent,
            model=self.model,
            system="\n\n".join(part for part in (agent.system, self.playbook, self.memories) if part),
            prompt=prompt,
            tools=self.tools(),
            title=title,
            metadata={**self.metadata, "role": role, **metadata},
            notes=self.notes if is_root else (),
            parent_session_id=None if is_root else self.root_session_id,
        )
