"""Trials of document review: an arm's definition becomes a setup, a drawn document becomes a review.

The gold of the draw stays with the suite: nothing here looks at it, so it is in no prompt and no request.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Final

from nightschool.experiments.arms import Arm
from nightschool.experiments.arms import Routing as ArmRouting
from nightschool.experiments.design import TrialSpec
from nightschool.experiments.pool_settings import pool_settings, refuse_value
from nightschool.experiments.runner import ArmResult
from nightschool.experiments.suite import Drawn
from nightschool.experiments.workplace_trials import WorkplaceTrials, metadata_of
from nightschool.experiments.yaml_file import fail_at
from nightschool.harness.loop import Limits
from nightschool.orchestration.merge import MergeRules
from nightschool.orchestration.plan import OnFailure
from nightschool.orchestration.planner import Granularity
from nightschool.orchestration.review import Review, Setup
from nightschool.orchestration.routes import run_review
from nightschool.orchestration.slots import Slots
from nightschool.outcomes.playbook import policies_of
from nightschool.outcomes.rubric_parts import Rubric
from nightschool.outcomes.tiers import Tier
from nightschool.registry.agents import AgentFile, load_agent
from nightschool.sandbox.documents import parse_document

__all__ = [
    "ROLES",
    "SETTINGS",
    "TOOLS",
    "ReviewTrials",
    "refuse_what_cannot_grade",
    "setup_of",
]

SETTINGS: Final[Mapping[str, type[int | float | str]]] = {
    "compact_at": float,
    "fallback": str,
    "graders": int,
    "keep_within": float,
    "max_attempts": int,
    "max_model_calls": int,
    "max_reruns": int,
    "max_seconds": float,
    "max_tokens": int,
    "max_tasks": int,
    "on_failure": str,
    "point_from": float,
    "policy": str,
    "pool_dynamic": int,
    "pool_static": int,
    "pool_ttl_seconds": float,
    "recall_by": str,
    "second_looks": int,
    "self_checks": int,
    "words_per_task": int,
}
"""What an arm's `settings` may hold, and of which kind."""

ROLES: Final[Mapping[ArmRouting, tuple[str, ...]]] = {
    ArmRouting.SINGLE: ("reviewer",),
    ArmRouting.SUBAGENTS: ("lead", "subagent"),
    ArmRouting.ORCHESTRATED: ("task",),
}
"""The agents that each routing cannot do without; those of `orchestrated` are a pool, further ones too."""

_AUTHORS: Final[Mapping[ArmRouting, tuple[str, ...]]] = {ArmRouting.SINGLE: ("author",)}
"""The same where something is made and handed in."""

_WITHOUT_JUDGEMENT: Final = frozenset({"reader", "simulated"})

_SUBMIT: Final = "submit_findings"

TOOLS: Final = ("delegate", "list_sections", "read_section", _SUBMIT)
"""What an agent file may ask for."""


def _checked(arm: Arm) -> dict[str, Any]:
    for name, value in arm.settings.items():
        if name not in SETTINGS:
            known = ", ".join(SETTINGS)
            fail_at(arm.path, ("settings", name), f"unknown setting; known: {known}")
        refuse_value(arm, name, value, SETTINGS[name])
    return {name: SETTINGS[name](value) for name, value in arm.settings.items()}


def _agent(arm: Arm, role: str, hand_in: str) -> AgentFile:
    """Return the agent of a role; one that could not do the work at all would only look like a bad one."""
    agent = load_agent(arm.agents[role])
    known = TOOLS if hand_in == _SUBMIT else (hand_in,)
    unknown = [name for name in agent.tools if name not in known]
    if unknown:
        reason = f"{arm.agents[role]} asks for tool `{unknown[0]}`; there are: {', '.join(known)}"
        fail_at(arm.path, ("agents", role), reason)
    if hand_in not in agent.tools:
        reason = f"{arm.agents[role]} lacks the tool `{hand_in}`, without which nothing is handed in"
        fail_at(arm.path, ("agents", role), reason)
    return agent


def _fill(kind: type[Any], values: Mapping[str, Any]) -> Any:
    """Build one part of the setup from those settings that are its own."""
    own = {each.name for each in fields(kind)}
    return kind(**{name: value for name, value in values.items() if name in own})


def setup_of(arm: Arm, *, hand_in: str | None = None) -> Setup:
    """Return what the routing works with.

    Args:
        arm: as declared.
        hand_in: the tool by which results are handed in, where the suite declares one.

    Raises:
        Malformed: a role is not filled, or a setting or agent file of the arm cannot be used.
        NotFound: an agent file does not exist.
    """
    roles = ROLES if hand_in is None else _AUTHORS
    if arm.routing not in roles:
        fail_at(arm.path, ("routing",), f"{arm.routing} is not for this suite; here: {', '.join(roles)}")
    lacking = [role for role in roles[arm.routing] if role not in arm.agents]
    if lacking:
        fail_at(arm.path, ("agents",), f"routing {arm.routing} needs an agent for role `{lacking[0]}`")
    values = _checked(arm) | {"context_limit_tokens": arm.context_limit_tokens}
    values["max_parallel_agents"] = arm.max_parallel_agents
    agents = {role: _agent(arm, role, hand_in or _SUBMIT) for role in arm.agents}
    pooled = pool_settings(arm, values, tuple(agents.values()))
    # What falls short after its revisions stands, unless the arm has another agent try.
    values.setdefault("max_reruns", 0)
    return Setup(
        routing=str(arm.routing),
        agents=agents,
        policy=pooled.policy,
        fallback=pooled.fallback,
        on_failure=pooled.on_failure or OnFailure.BEST_EFFORT,
        pool=pooled.pool,
        limits=_fill(Limits, values),
        slots=_fill(Slots, values),
        granularity=_fill(Granularity, values),
        merge=_fill(MergeRules, values),
        max_iterations=arm.max_iterations,
        second_looks=values.get("second_looks", 0),
        self_checks=values.get("self_checks", 0),
        loop_tier=arm.loop_tier or Tier.STRICT,
        recalls_by_task=_recalls_by_task(arm, values),
        point_from=values.get("point_from", 0.0),
        graders=values.get("graders", 0),
    )


def _recalls_by_task(arm: Arm, values: Mapping[str, Any]) -> bool:
    by = values.get("recall_by", "document")
    if by not in {"document", "task"}:
        fail_at(arm.path, ("settings", "recall_by"), f"there is no `{by}`; there are: document, task")
    if by == "task" and arm.routing is not ArmRouting.ORCHESTRATED:
        fail_at(arm.path, ("settings", "recall_by"), f"routing {arm.routing} has no tasks; orchestrated has")
    return bool(by == "task")


def refuse_what_cannot_grade(arm: Arm, setup: Setup, brain: str) -> None:
    """Refuse an arm that has a brain grade which cannot.

    Raises:
        Malformed: the arm asks for graders, and the brain has no judgement of its own.
    """
    if setup.graders and brain in _WITHOUT_JUDGEMENT:
        fail_at(arm.path, ("settings", "graders"), f"the brain `{brain}` cannot grade; take another --brain")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewTrials(WorkplaceTrials):
    """Runs the trials of an experiment; an instance is a `RunTrial`."""

    playbook: str
    rubric: Rubric | None = None
    """What graders inside a trial go by."""

    async def __call__(self, trial: TrialSpec, drawn: Drawn) -> ArmResult:
        """Review the drawn document and return the answer with what it took."""
        review = Review(
            id=trial.trial_id,
            document=parse_document(drawn.document, name=trial.sample_id),
            playbook=self.playbook,
            policies=policies_of(self.playbook),
            model=trial.brain,
            setup=self.setups[trial.arm],
            rubric=self.rubric,
            tier=self.setups[trial.arm].loop_tier,
            metadata=metadata_of(trial),
        )
        review = await self.remembering(trial.arm, review)
        workplace = self.workplaces[trial.arm]
        return await self.result_of(review, workplace, await run_review(review, workplace))
