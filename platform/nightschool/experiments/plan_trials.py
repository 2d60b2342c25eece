"""Trials of plans: the drawn document is a plan, the arm says how agents are arranged around it.

    {"plan": {"goal": ..., "tasks": [...]}, "simulation": {"crash": 0.1, "agents": {"quick": {"error": 0.2}}}}

With the brain `simulated`, the faults of the draw are the brain's; any other brain works on the same plan
without them. The gold of the draw stays with the suite.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Self

from nightschool.core.clock import Clock
from nightschool.core.errors import InvalidInput
from nightschool.core.ids import derived_id
from nightschool.core.usage import Usage
from nightschool.events.agent import AgentMessage
from nightschool.events.base import EventBase, text_of
from nightschool.events.plan import PlanCompleted, TaskStarted
from nightschool.events.session import AgentSnapshot
from nightschool.experiments.arms import Arm
from nightschool.experiments.design import TrialSpec
from nightschool.experiments.pool_settings import pool_settings, refuse_value
from nightschool.experiments.runner import ArmResult
from nightschool.experiments.suite import Drawn
from nightschool.experiments.workplace_trials import close_models, metadata_of
from nightschool.experiments.yaml_file import fail_at
from nightschool.harness.model import Model
from nightschool.models.connect import mount
from nightschool.models.simulated_worker import EXCHANGE, Faults, SimulatedWorker, Skill, base_of
from nightschool.orchestration.agent_choice import ChoicePolicy
from nightschool.orchestration.agent_worker import AgentWorker
from nightschool.orchestration.aggregate import answer_of
from nightschool.orchestration.board import Board
from nightschool.orchestration.coordination import coordination
from nightschool.orchestration.divide import divide
from nightschool.orchestration.plan import OnFailure, Plan
from nightschool.orchestration.plan_file import plan_from_json
from nightschool.orchestration.plan_log import SessionPlanLog
from nightschool.orchestration.pools import Pool
from nightschool.orchestration.scheduler import Scheduler
from nightschool.orchestration.simulated_time import SimulatedTime
from nightschool.orchestration.slots import Grade, Order, Slots
from nightschool.orchestration.staff import Staff
from nightschool.orchestration.topology import Topology, arrange
from nightschool.outcomes.grader import Verdict
from nightschool.registry.agents import AgentFile, load_agent
from nightschool.sessions.log import SessionLog

__all__ = ["PLAN_SETTINGS", "PlanSetup", "PlanTrials", "plan_setup_of"]

PLAN_SETTINGS: Final[Mapping[str, type]] = {
    "divided": bool,
    "fallback": str,
    "max_attempts": int,
    "max_reruns": int,
    "max_seconds": float,
    "on_failure": str,
    "peers": int,
    "policy": str,
    "pool_dynamic": int,
    "pool_static": int,
    "pool_ttl_seconds": float,
}
"""What the `settings` of an arm for plans may hold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanSetup:
    """An arm's choices."""

    topology: Topology
    agents: tuple[AgentFile, ...]
    policy: ChoicePolicy = ChoicePolicy.CAPABILITY
    fallback: str | None = None
    on_failure: OnFailure | None = None
    """What happens when a task's attempts have failed; None: what each task says itself."""
    pool: Pool = field(default_factory=Pool)
    divided: bool = False
    """Whether tasks with parts are divided among as many agents as may work at once."""
    peers: int = 3
    slots: Slots = field(default_factory=Slots)


def plan_setup_of(arm: Arm) -> PlanSetup:
    """Return what a trial of a plan works with.

    Raises:
        Malformed: the routing, a setting or an agent cannot be used.
    """
    if str(arm.routing) not in tuple(map(str, Topology)):
        fail_at(arm.path, ("routing",), f"{arm.routing} is not for plans; there are: {', '.join(Topology)}")
    if arm.memory is not None:
        fail_at(arm.path, ("memory",), "memories are recalled for documents; arms for plans have none yet")
    agents = tuple(load_agent(path) for path in arm.agents.values())
    values = {name: _setting(arm, name, value) for name, value in arm.settings.items()}
    pooled = pool_settings(arm, values, agents)
    own = {name: values[name] for name in ("max_attempts", "max_reruns", "max_seconds") if name in values}
    return PlanSetup(
        topology=Topology(arm.routing),
        agents=agents,
        policy=pooled.policy,
        fallback=pooled.fallback,
        on_failure=pooled.on_failure,
        pool=pooled.pool,
        divided=values.get("divided", False),
        peers=values.get("peers", 3),
        slots=Slots(max_parallel_agents=arm.max_parallel_agents, **own),
    )


def _setting(arm: Arm, name: str, value: Any) -> Any:
    kind = PLAN_SETTINGS.get(name)
    if kind is None:
        fail_at(arm.path, ("settings", name), f"unknown setting; known: {', '.join(PLAN_SETTINGS)}")
    refuse_value(arm, name, value, kind)
    return kind(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanTrials:
    """Runs the trials of an experiment over plans; an instance is a `RunTrial`."""

    log: SessionLog
    clock: Clock
    models: Mapping[str, Model]
    """Arm to the brain that works where the brain is not simulated."""
    setups: Mapping[str, PlanSetup]

    async def __aenter__(self) -> Self:
        """Return itself."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close the connections to the brains."""
        await close_models(self.models.values())

    async def __call__(self, trial: TrialSpec, drawn: Drawn) -> ArmResult:
        """Run the drawn plan and return its answer with what it took.

        Raises:
            InvalidInput: the brain reads contracts and nothing else.
        """
        if trial.brain == "reader":
            raise InvalidInput(
                "the reader reads contracts and does no tasks of plans; take --brain simulated"
            )
        document = json.loads(drawn.document)
        plan = plan_from_json(document["plan"], plan_id=derived_id("plan", trial.trial_id))
        if trial.brain != "simulated":
            return await self._run(trial, plan, self.models[trial.arm], None)
        brain = SimulatedWorker(_faults(document["simulation"]), seed=trial.seed)
        model = mount(brain, clock=self.clock)
        try:
            return await self._run(trial, plan, model, brain)
        finally:
            await model.aclose()

    async def _run(
        self, trial: TrialSpec, plan: Plan, model: Model, brain: SimulatedWorker | None
    ) -> ArmResult:
        setup = self.setups[trial.arm]
        if setup.on_failure is not None:
            plan = replace(plan, tasks=tuple(replace(t, on_failure=setup.on_failure) for t in plan.tasks))
        width = setup.slots.max_parallel_agents
        if setup.divided:
            plan = divide(plan, width)
        arranged = arrange(plan, setup.topology, peers=setup.peers, exchange=EXCHANGE)
        root = derived_id("session", trial.trial_id, "root")
        metadata = metadata_of(trial)
        await self.log.create(
            root,
            agent=AgentSnapshot(name="orchestrator", model="code"),
            title=plan.goal,
            metadata={**metadata, "role": "orchestrator"},
        )
        place = SessionPlanLog(self.log, await self.log.wake(root))
        worker = AgentWorker(
            log=self.log,
            model=model,
            clock=self.clock,
            run_model=trial.brain,
            default=setup.agents[0],
            seconds_of=None if brain is None else _simulated_seconds,
            parent_session_id=root,
            metadata=metadata,
        )
        staff = Staff(
            agents=setup.agents,
            policy=setup.policy,
            fallback=setup.fallback,
            seed=trial.seed,
            run_model=trial.brain,
        )
        # What a simulated brain says it takes is the time of the run.
        timed = None if brain is None else SimulatedTime(place, worker, self.clock)
        scheduler = Scheduler(
            worker=timed or worker,
            log=timed or place,
            clock=timed or self.clock,
            slots=setup.slots,
            pool=setup.pool,
            staff=staff,
            grade=_checks(brain) if brain is not None and setup.topology.is_checked else None,
        )
        board = await scheduler.run(arranged.plan)
        events = await place.read()
        measures = coordination(plan, arranged, events, width=width, base_of=base_of)
        if timed is not None and timed.seconds:
            measures |= _timed(timed.seconds, measures["work_seconds"], setup)
        if setup.divided:
            # Its widths are run, not replayed.
            measures = {name: each for name, each in measures.items() if not name.startswith("speedup_")}
        answer = answer_of(board) | {"coordination": measures} | _account(board, events)
        return await self._result(root, answer, events)

    async def _result(self, root: str, answer: dict[str, Any], events: Sequence[EventBase]) -> ArmResult:
        children = [e.task_session_id for e in events if isinstance(e, TaskStarted) and e.task_session_id]
        states = [
            await self.log.get_session(session) for session in children if await self.log.exists(session)
        ]
        return ArmResult(
            answer=answer,
            usage=sum((state.usage for state in states), Usage()),
            tool_calls=sum(len(state.tool_calls) for state in states),
            model_calls=sum(state.model_calls for state in states),
            root_session_id=root,
        )


def _timed(seconds: float, work: float, setup: PlanSetup) -> dict[str, float]:
    """Return how long the run took and how much of the agents' time was idle, in the brain's seconds."""
    width = setup.slots.max_parallel_agents
    found = {"makespan_seconds": seconds, "idle": 1 - work / (seconds * width)}
    return found | ({"divided_among": float(width)} if setup.divided else {})


def _faults(declared: Mapping[str, Any]) -> Faults:
    rates = {name: value for name, value in declared.items() if name != "agents"}
    skills = {name: Skill(**values) for name, values in declared.get("agents", {}).items()}
    return Faults(**rates, skills=skills)


def _checks(brain: SimulatedWorker) -> Grade:
    """Return the orchestrator's check of a result; a simulated one, as mistaken as is declared."""

    async def check(order: Order, value: Mapping[str, Any]) -> Verdict | None:
        if order.task.merge is not None:
            return None
        right = brain.check(order.context, value.get("value"))
        feedback = () if right else ("the sum does not agree with a second calculation",)
        return Verdict(scores={"accuracy": float(right)}, satisfied=right, feedback=feedback)

    return check


def _simulated_seconds(events: Sequence[EventBase]) -> float:
    """Return the seconds that the simulated brain says its answers took."""
    total = 0.0
    for event in events:
        text = text_of(event.content) if isinstance(event, AgentMessage) else ""
        if text.startswith('{"simulated"'):
            total += float(json.loads(text)["seconds"])
    return total


def _account(board: Board, events: Sequence[EventBase]) -> dict[str, Any]:
    """Return what became of every task, for whoever checks what was promised, and the summary."""
    summaries = [event.summary for event in events if isinstance(event, PlanCompleted)]
    tasks = {
        task.id: {
            "status": str(board.tasks[task.id].status),
            "on_failure": str(task.on_failure),
            "depends_on": list(task.depends_on),
            "attempts": board.tasks[task.id].attempts,
            "is_joined": task.merge is not None,
            "is_fallback": board.tasks[task.id].is_fallback,
            "error": (board.tasks[task.id].error or {}).get("code"),
            "value": (board.tasks[task.id].result or {}).get("value"),
        }
        for task in board.plan.tasks
    }
    return {"tasks": tasks, "summary": summaries[-1] if summaries else {}}
