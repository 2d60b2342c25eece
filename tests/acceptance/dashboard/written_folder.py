"""A data folder with experiments in it, written through the journal as a run would write it.

The numbers follow a declared pattern (`orchestrated` holds its recall on long documents, `single` loses it),
so that a test can say what the pages must show. Sessions are as long as asked for.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from nightschool.core.clock import FrozenClock
from nightschool.core.ids import IdSource, derived_id
from nightschool.events.agent import AgentMessage, AgentToolResult, AgentToolUse
from nightschool.events.base import EventBase, TextBlock
from nightschool.events.experiment import (
    ExperimentCompleted,
    ExperimentCreated,
    FeedbackRecorded,
    TrialCompleted,
    TrialFailed,
    TrialStarted,
)
from nightschool.events.plan import PlanCreated, TaskCompleted, TaskFailed, TaskStarted
from nightschool.events.session import (
    AgentSnapshot,
    SessionCreated,
    SessionStatusIdle,
    SessionStatusRunning,
    StopReason,
)
from nightschool.events.span import ModelUsage, SpanModelRequestEnd, SpanModelRequestStart
from nightschool.events.user import UserMessage
from nightschool.experiments.design import Manifest, TrialSpec, declare, manifest_hash, trial_order
from nightschool.journal.journal import Journal
from nightschool.outcomes.tiers import judge

__all__ = ["Plan", "write_experiment", "write_tau_session"]

_SLOPE = {"single": -0.0032, "subagents": -0.0021, "orchestrated": -0.0006}
_ROLES = {
    "single": ("reviewer", ""),
    "subagents": ("lead", "subagent"),
    "orchestrated": ("orchestrator", "task"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What to write."""

    experiment_id: str = "exp_demo"
    arms: tuple[str, ...] = ("single", "subagents", "orchestrated")
    documents: int = 8
    repeats: int = 2
    brain: str = "reader"
    steps: int = 6
    """Tool calls of a trial, spread over its sessions; an event count is about four times that."""
    unfinished: int = 0
    """Trials left out at the end, as while a run goes on."""
    failing: tuple[int, ...] = ()
    """Trials that end without a result, by their place in the order."""
    coordinated: bool = False
    """Whether trials say what working together cost."""
    seed: int = 7
    slope: Mapping[str, float] = field(default_factory=dict)
    """How much recall an arm loses with each page, where it is another than usual."""
    pages: Sequence[int] = field(default=(6, 10, 16, 24, 36, 52, 76, 110, 150, 200))


@dataclass(slots=True)
class _World:
    journal: Journal
    clock: FrozenClock
    ids: IdSource
    rng: random.Random
    plan: Plan
    manifest: Manifest

    def event_id(self) -> str:
        return self.ids.new("event")


def write_experiment(folder: Path, plan: Plan | None = None, *, clock: FrozenClock | None = None) -> str:
    """Write an experiment into the folder's journal and return its id."""
    plan, clock = plan or Plan(), clock or FrozenClock()
    journal = Journal.open(folder / "journal.sqlite", clock=clock)
    rng = random.Random(f"{plan.experiment_id} {plan.seed}")
    world = _World(journal, clock, IdSource(clock=clock, rng=rng), rng, plan, _manifest(plan, clock))
    try:
        _write(world)
    finally:
        journal.close()
    return plan.experiment_id


def write_tau_session(folder: Path, *, reward: float = 0.0) -> str:
    """Write a session as an importer would: a transcript without times, and the benchmark's reward."""
    clock = FrozenClock()
    journal = Journal.open(folder / "journal.sqlite", clock=clock)
    session_id = derived_id("session", "tau-bench", "gpt-4o-airline", 0, 0)
    words = [
        "I want to change my flight to Denver.",
        "Which reservation is it?",
        "<b>ZX12</b> & <script>alert(1)</script>",
    ]
    events: list[EventBase] = [
        SessionCreated(
            id=derived_id("event", session_id, "created"),
            agent=AgentSnapshot(name="gpt-4o", model="gpt-4o"),
            title="airline 0, trial 0",
            metadata={"source": "import:tau-bench"},
        )
    ]
    for number, text in enumerate(words):
        kind = AgentMessage if number % 2 else UserMessage
        events.append(kind(id=derived_id("event", session_id, number), content=(TextBlock(text=text),)))
    events.append(
        FeedbackRecorded(
            id=derived_id("event", session_id, "reward"), source="true_check", value=reward, comment="reward"
        )
    )
    try:
        journal.append(session_id, events, epoch=1)
    finally:
        journal.close()
    return session_id


def _manifest(plan: Plan, clock: FrozenClock) -> Manifest:
    return declare(
        {
            "suite": "contracts",
            "suite_hash": "suite-hash",
            "arms": list(plan.arms),
            "arm_hashes": {name: f"hash of {name}" for name in plan.arms},
            "samples": [f"contract-{number:02}" for number in range(plan.documents)],
            "repeats": plan.repeats,
            "seed": plan.seed,
            "brain": plan.brain,
            "code_version": "0.1.0",
            "primary_metric": "recall",
            "lower_is_better": ["false_flags"],
            "declared_at": clock.now(),
        }
    )


def _write(world: _World) -> None:
    plan, log = world.plan, world.plan.experiment_id
    created = ExperimentCreated(
        id=world.event_id(),
        processed_at=world.clock.now(),
        experiment_id=log,
        manifest=world.manifest.model_dump(mode="json"),
        manifest_hash=manifest_hash(world.manifest),
    )
    world.journal.append(log, [created], epoch=1)
    order = trial_order(world.manifest, log)
    for number, spec in enumerate(order[: len(order) - plan.unfinished]):
        _write_trial(world, spec, failing=number in plan.failing)
    if not plan.unfinished:
        done = ExperimentCompleted(
            id=world.event_id(), processed_at=world.clock.now(), experiment_id=log, result_hash="result-hash"
        )
        world.journal.append(log, [done], epoch=1)


def _write_trial(world: _World, spec: TrialSpec, *, failing: bool) -> None:
    facts: dict[str, Any] = {
        "experiment_id": spec.experiment_id,
        "trial_id": spec.trial_id,
        "arm": spec.arm,
        "sample_id": spec.sample_id,
        "epoch": spec.epoch,
        "session_id": derived_id("session", spec.trial_id, "root"),
    }
    started = TrialStarted(id=world.event_id(), processed_at=world.clock.now(), **facts)
    world.journal.append(spec.experiment_id, [started], epoch=1)
    began = world.clock.monotonic()
    calls = _write_sessions(world, spec)
    seconds = world.clock.monotonic() - began
    if failing:
        error = {"type": "model_unavailable", "message": "the model's server answered 529: overloaded"}
        end: EventBase = TrialFailed(
            id=world.event_id(),
            processed_at=world.clock.now(),
            error=error,
            duration_seconds=seconds,
            **facts,
        )
    else:
        end = _completed(world, spec, facts, calls, seconds)
    world.journal.append(spec.experiment_id, [end], epoch=1)


def _completed(
    world: _World, spec: TrialSpec, facts: Mapping[str, Any], calls: int, seconds: float
) -> TrialCompleted:
    pages = world.plan.pages[int(spec.sample_id[-2:]) % len(world.plan.pages)]
    # The document's own difficulty is shared by the arms: that is what pairing takes out.
    difficulty = random.Random(f"{spec.sample_id} {spec.epoch}").gauss(0, 0.08)
    recall = min(
        1.0,
        max(
            0.0,
            0.9
            + {**_SLOPE, **world.plan.slope}.get(spec.arm, 0.0) * pages
            + difficulty
            + world.rng.gauss(0, 0.03),
        ),
    )
    flags = max(0, round(1 + pages / 60 + world.rng.gauss(0, 0.8)))
    accuracy = min(1.0, max(0.0, recall + 0.04 - 0.02 * flags))
    scores = {"accuracy": accuracy, "completeness": recall, "format": 1.0, "efficiency": 0.8}
    tokens = round(
        (900 + 420 * pages) * (1.5 if spec.arm == "orchestrated" else 1.0) * world.rng.uniform(0.9, 1.1)
    )
    return TrialCompleted(
        id=world.event_id(),
        processed_at=world.clock.now(),
        **facts,
        brain=world.plan.brain,
        scores=scores,
        metrics={
            "recall": recall,
            "false_flags": float(flags),
            "precision": 1 / (1 + flags / 10),
            "gold": 12.0,
            **(_coordination(world, spec) if world.plan.coordinated else {}),
        },
        tiers=judge(scores),
        usage={"input_tokens": tokens, "output_tokens": tokens // 12},
        tool_calls=calls,
        model_calls=calls + 1,
        duration_seconds=seconds,
        cost_usd=f"{tokens * 3e-6:.6f}",
        answer={"positions": [_position(number) for number in range(1, 5)]},
        sample={"pages": pages, "sections": pages * 3},
    )


def _coordination(world: _World, spec: TrialSpec) -> dict[str, float]:
    """One agent is never sooner; others are up to their fourth, and then hardly."""
    useful = 1.0 if spec.arm == "single" else 4.0
    span = world.rng.uniform(10, 20)
    return {
        "turns": 8.0 * useful,
        "overhead": useful - 1,
        "message_density": 2.0 * (useful - 1),
        "redundancy": 0.5,
        "coordination_efficiency": 0.6 / useful,
        "work_seconds": span * useful,
        "span_seconds": span,
        "idle": 0.4,
        "error_amplification": 1.2,
        **{f"speedup_{width}": min(float(width), useful) for width in (1, 2, 4, 8, 16, 32)},
    }


def _position(number: int) -> dict[str, object]:
    if number == 4:
        return {
            "policy": "P04",
            "position": "missing",
            "section": None,
            "quote": None,
            "confidence": 0.71,
            "reason": "no such clause",
        }
    position = "violation" if number % 2 else "compliant"
    return {
        "policy": f"P{number:02}",
        "position": position,
        "section": f"7.{number}",
        "quote": "The Supplier's liability shall not exceed the fees paid in the preceding three months.",
        "confidence": 0.9 - number / 20,
        "reason": "below twelve months' fees",
    }


def _write_sessions(world: _World, spec: TrialSpec) -> int:
    root_role, child_role = _ROLES.get(spec.arm, ("reviewer", ""))
    root = derived_id("session", spec.trial_id, "root")
    if not child_role:
        world.journal.append(
            root, list(_session(world, spec, root, root_role, None, world.plan.steps)), epoch=1
        )
        return world.plan.steps
    children = 3
    opening = list(_session(world, spec, root, root_role, None, 1 if root_role == "lead" else 0))
    start = world.clock.elapsed_seconds
    latest = start
    for number in range(children):
        # The children work side by side: each starts at the same time.
        world.clock.elapsed_seconds = start + 0.1 * number
        child = derived_id("session", spec.trial_id, child_role, number)
        steps = max(1, world.plan.steps // children)
        events = list(_session(world, spec, child, child_role, root, steps, task=f"t{number}"))
        world.journal.append(child, events, epoch=1)
        latest = max(latest, world.clock.elapsed_seconds)
    world.clock.elapsed_seconds = latest
    planned = list(_plan(world, spec, child_role, children)) if root_role == "orchestrator" else []
    closing = SessionStatusIdle(
        id=world.event_id(), processed_at=world.clock.now(), stop_reason=StopReason(type="end_turn")
    )
    world.journal.append(root, [*opening[:-1], *planned, closing], epoch=1)
    return children * max(1, world.plan.steps // children)


def _plan(world: _World, spec: TrialSpec, role: str, children: int) -> Iterator[EventBase]:
    """The last task waits for the first and was tried twice."""
    plan_id, last = f"plan_{spec.trial_id}", children - 1
    tasks = tuple(
        {"id": f"t{n}", "title": f"Sections of t{n}", "depends_on": ["t0"] if n == last else []}
        for n in range(children)
    )
    layers = (tuple(f"t{n}" for n in range(last)), (f"t{last}",))
    yield PlanCreated(
        id=world.event_id(),
        processed_at=world.clock.now(),
        plan_id=plan_id,
        goal="Review",
        tasks=tasks,
        layers=layers,
    )
    for number in range(children):
        facts: dict[str, Any] = {
            "plan_id": plan_id,
            "task_id": f"t{number}",
            "task_session_id": derived_id("session", spec.trial_id, role, number),
        }
        if number == last:
            yield TaskStarted(id=world.event_id(), processed_at=world.clock.now(), **facts)
            error = {"type": "timeout", "message": "took longer than its slot"}
            yield TaskFailed(id=world.event_id(), processed_at=world.clock.now(), error=error, **facts)
        yield TaskStarted(
            id=world.event_id(), processed_at=world.clock.now(), attempt=2 if number == last else 1, **facts
        )
        yield TaskCompleted(
            id=world.event_id(),
            processed_at=world.clock.now(),
            result={"found": number},
            duration_ms=1000.0 * (number + 1),
            **facts,
        )


def _session(
    world: _World,
    spec: TrialSpec,
    session_id: str,
    role: str,
    parent: str | None,
    steps: int,
    task: str | None = None,
) -> Iterator[EventBase]:
    metadata = {
        "experiment_id": spec.experiment_id,
        "trial_id": spec.trial_id,
        "arm": spec.arm,
        "sample_id": spec.sample_id,
        "epoch": str(spec.epoch),
        "role": role,
        "source": "run",
        **({"task_id": task} if task else {}),
    }
    model = "code" if role == "orchestrator" else world.plan.brain
    yield SessionCreated(
        id=derived_id("event", session_id, "created"),
        processed_at=world.clock.now(),
        agent=AgentSnapshot(
            name=role, model=model, system="You review contracts.\n\n# Playbook\n" + "A policy. " * 80
        ),
        title=f"Review of {spec.sample_id}" if parent is None else f"Sections of {task}",
        parent_session_id=parent,
        metadata=metadata,
    )
    said = "Review the whole contract." if parent is None else "Sections: 3, 3.1\nReport only what you find."
    yield UserMessage(id=world.event_id(), processed_at=world.clock.now(), content=(TextBlock(text=said),))
    yield SessionStatusRunning(id=world.event_id(), processed_at=world.clock.now())
    for number in range(steps):
        yield from _step(world, number)
    yield AgentMessage(
        id=world.event_id(),
        processed_at=world.clock.now(),
        content=(TextBlock(text="Four positions are handed in."),),
    )
    yield SessionStatusIdle(
        id=world.event_id(), processed_at=world.clock.now(), stop_reason=StopReason(type="end_turn")
    )


def _step(world: _World, number: int) -> Iterator[EventBase]:
    start = SpanModelRequestStart(id=world.event_id(), processed_at=world.clock.now(), model=world.plan.brain)
    yield start
    took = world.rng.uniform(0.02, 0.2)
    world.clock.advance(took)
    now = world.clock.now()
    yield SpanModelRequestEnd(
        id=world.event_id(),
        processed_at=now,
        model_request_start_id=start.id,
        model=world.plan.brain,
        model_usage=ModelUsage(input_tokens=900 + 300 * number, output_tokens=80),
        stop_reason="tool_use",
        duration_ms=took * 1000,
        time_to_first_token_ms=took * 400,
    )
    call = AgentToolUse(
        id=world.event_id(), processed_at=now, name="read_section", input={"number": f"{number + 1}.1"}
    )
    yield call
    yield AgentToolResult(
        id=world.event_id(),
        processed_at=now + timedelta(milliseconds=2),
        tool_use_id=call.id,
        content=(
            TextBlock(
                text=f"## {number + 1}.1 Fees\n\n" + "The Customer pays the Fees within thirty days. " * 25
            ),
        ),
        duration_ms=2.0,
    )
