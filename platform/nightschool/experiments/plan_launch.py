"""A plan put to work outside any experiment: composition only.

What a run was started with stands in the metadata of its session, so that waking it needs only its id.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Any, Final

from nightschool.bootstrap import Workspace, agent_registry, connect_model, connect_reader
from nightschool.core.errors import InvalidInput, NotFound
from nightschool.core.ids import derived_id
from nightschool.events.plan import PlanCreated
from nightschool.events.session import AgentSnapshot
from nightschool.harness.model import Model
from nightschool.journal.versions import Versions
from nightschool.orchestration.agent_choice import ChoicePolicy
from nightschool.orchestration.agent_worker import AgentWorker
from nightschool.orchestration.asked_orchestrator import AskedOrchestrator
from nightschool.orchestration.board import Board
from nightschool.orchestration.escalation import decide_by_rule
from nightschool.orchestration.experience import Experience
from nightschool.orchestration.mediation import mediate_by_rule
from nightschool.orchestration.model_planner import plan_by_model
from nightschool.orchestration.plan import Plan
from nightschool.orchestration.plan_file import plan_from_event
from nightschool.orchestration.plan_log import SessionPlanLog
from nightschool.orchestration.pools import Pool
from nightschool.orchestration.review import Workplace
from nightschool.orchestration.scheduler import Scheduler
from nightschool.orchestration.shared import SharedResources
from nightschool.orchestration.slots import Slots
from nightschool.orchestration.split import split_long_tasks
from nightschool.orchestration.staff import Staff
from nightschool.orchestration.staffing import check_staff
from nightschool.orchestration.task_grader import TaskGrader, refuse_ungraded_stakes
from nightschool.registry.agents import AgentFile

__all__ = ["PlanRequest", "make_plan", "past_experience", "run_plan_request", "wake_plan"]

_WORKER: Final = AgentFile(
    name="worker",
    system="You do one task of a plan. Do what is described and hand the result in with `submit_result`.",
    tools=("submit_result", "read_shared", "write_shared"),
    description="does tasks that need nothing special",
    permissions=("file:**", "table:**", "endpoint:**"),
)
"""Who works where the registry is empty. It may write what its task says, and has no tool that does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRequest:
    """How a plan is to be run."""

    brain: str
    policy: ChoicePolicy = ChoicePolicy.CAPABILITY
    width: int = 20
    fallback: str | None = None
    context_limit_tokens: int | None = None

    def as_metadata(self) -> dict[str, str]:
        """Return it as a session keeps it."""
        kept = {
            "brain": self.brain,
            "policy": str(self.policy),
            "width": self.width,
            "fallback": self.fallback,
            "context_limit_tokens": self.context_limit_tokens,
        }
        return {name: str(value) for name, value in kept.items() if value is not None}

    @classmethod
    def of_metadata(cls, kept: Mapping[str, str]) -> PlanRequest:
        """Return what a session keeps."""
        limit = kept.get("context_limit_tokens")
        return cls(
            brain=kept["brain"],
            policy=ChoicePolicy(kept["policy"]),
            width=int(kept["width"]),
            fallback=kept.get("fallback"),
            context_limit_tokens=None if limit is None else int(limit),
        )


def past_experience(workspace: Workspace, model: str) -> Experience:
    """Return what tasks that this model did taught so far; nothing where there were none."""
    question = (files("nightschool.experiments") / "experience.sql").read_text("utf-8")
    with connect_reader(workspace.settings, clock=workspace.clock) as reader:
        rows = reader.query(question, {"model": model}).rows()
    found = Experience()
    totals: dict[str, tuple[int, float]] = {}
    for task_type, agent, good, bad, counted, mean in rows:
        found.verdicts.setdefault(task_type, {})[agent] = (good, bad)
        many, total = totals.get(task_type, (0, 0.0))
        totals[task_type] = (many + counted, total + counted * (mean or 0.0))
    found.tokens |= {kind: (many, total / many) for kind, (many, total) in totals.items() if many}
    return found


async def make_plan(
    workspace: Workspace, goal: str, *, brain: str, context_limit_tokens: int | None = None
) -> Plan:
    """Return the plan that a model makes of a goal for the agents of the registry.

    Raises:
        InvalidInput: the brain is no language model.
        Malformed: the plan and its one repair could not be run.
        ModelError: the model could not be asked.
    """
    if brain in ("reader", "simulated"):
        raise InvalidInput(
            f"the brain {brain!r} is no language model and makes no plans; take another --brain"
        )
    model = connect_model(workspace.settings, brain, context_limit_tokens=None)
    try:
        return await plan_by_model(
            goal,
            workplace=Workplace(log=workspace.log, model=model, clock=workspace.clock),
            model=brain,
            agents=_agents(workspace),
            session_id=workspace.ids.new("session"),
            context_limit_tokens=context_limit_tokens,
        )
    finally:
        await model.aclose()


async def run_plan_request(
    workspace: Workspace, plan: Plan, request: PlanRequest, *, session_id: str
) -> Board:
    """Run a plan in a new session.

    Raises:
        Malformed: no agent can do a task, one is too long and cannot be split, or has a stake to be graded
            without a rubric; named.
        InvalidInput: the brain does no tasks of plans, or the fallback agent does not exist.
        ConfigurationMissing: the brain needs a key.
    """
    agents = _agents(workspace)
    if request.fallback is not None and request.fallback not in {agent.name for agent in agents}:
        raise InvalidInput(f"no agent {request.fallback!r} to fall back on; see `nightschool agents list`")
    check_staff(plan, agents)
    refuse_ungraded_stakes(plan)
    learnt = past_experience(workspace, request.brain)
    limit = request.context_limit_tokens
    # A file may be run many times: each run is a plan of its own.
    own = replace(plan, id=derived_id("plan", session_id))
    fitting = own if limit is None else split_long_tasks(own, limit, learnt.mean_tokens())
    model = _model(workspace, request)
    await workspace.log.create(
        session_id,
        agent=AgentSnapshot(name="orchestrator", model="code"),
        title=plan.goal,
        metadata={**request.as_metadata(), "role": "orchestrator", "source": "plan"},
    )
    return await _carried_on(workspace, fitting, request, session_id, model, learnt)


async def wake_plan(workspace: Workspace, session_id: str) -> Board:
    """Finish the plan of a session that was interrupted; one that is finished is only read.

    Raises:
        NotFound: no such session, or it has no plan that `plan run` began.
    """
    state = await workspace.log.get_session(session_id)
    created = await workspace.log.get_events(session_id, types=("plan.created",))
    first = next((event for event in created if isinstance(event, PlanCreated)), None)
    if first is None or state.metadata.get("source") != "plan":
        raise NotFound(f"session {session_id} has no plan that `nightschool plan run` began")
    plan = plan_from_event(first, name=session_id)
    request = PlanRequest.of_metadata(state.metadata)
    # What was learnt before it began stands in its log.
    return await _carried_on(workspace, plan, request, session_id, _model(workspace, request), Experience())


def _agents(workspace: Workspace) -> tuple[AgentFile, ...]:
    return tuple(each.agent for each in agent_registry(workspace).latest()) or (_WORKER,)


def _model(workspace: Workspace, request: PlanRequest) -> Model:
    if request.brain == "reader":
        raise InvalidInput("the reader reads contracts and does no tasks of plans; take another --brain")
    if request.brain != "simulated":
        limit = request.context_limit_tokens
        return connect_model(workspace.settings, request.brain, context_limit_tokens=limit)
    # The SDK takes a second to import.
    from nightschool.models.connect import mount
    from nightschool.models.simulated_worker import SimulatedWorker

    return mount(SimulatedWorker(), clock=workspace.clock)


async def _carried_on(
    workspace: Workspace,
    plan: Plan,
    request: PlanRequest,
    session_id: str,
    model: Model,
    learnt: Experience,
) -> Board:
    agents = _agents(workspace)
    place = SessionPlanLog(workspace.log, await workspace.log.wake(session_id))
    options: dict[str, Any] = {"log": workspace.log, "model": model, "clock": workspace.clock}
    place_of_work = Workplace(log=workspace.log, model=model, clock=workspace.clock)
    asked = AskedOrchestrator(workplace=place_of_work, model=request.brain, parent_session_id=session_id)
    # A simulated brain does sums and decides nothing.
    is_model = request.brain != "simulated"
    store = Versions(journal=workspace.journal, clock=workspace.clock, scope=f"shared:{session_id}")
    worker = AgentWorker(
        **options,
        run_model=request.brain,
        default=agents[0],
        shared=SharedResources(
            store, place, workspace.clock, mediate=asked.mediate if is_model else mediate_by_rule
        ),
        parent_session_id=session_id,
        metadata={"source": "plan"},
    )
    grader = TaskGrader(
        **options,
        run_model=request.brain,
        plan=plan,
        parent_session_id=session_id,
        metadata={"source": "plan"},
    )
    scheduler = Scheduler(
        worker=worker,
        log=place,
        clock=workspace.clock,
        slots=Slots(max_parallel_agents=request.width),
        pool=Pool(dynamic=request.width),
        staff=Staff(agents=agents, policy=request.policy, fallback=request.fallback, run_model=request.brain),
        learnt=learnt,
        grade=grader,
        keeps_open=True,
        decide=asked.decide if is_model else decide_by_rule,
    )
    try:
        return await scheduler.run(plan)
    finally:
        await model.aclose()
