"""A world small enough to see through: a log in memory, a suite of sums, and an arm that adds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nightschool.core.clock import FrozenClock
from nightschool.core.usage import Usage
from nightschool.events.experiment import ExperimentCreated, TrialCompleted, TrialFailed
from nightschool.events.union import Event
from nightschool.experiments.design import Manifest, TrialSpec, declare, manifest_hash
from nightschool.experiments.runner import ArmResult
from nightschool.experiments.suite import Drawn, Reference, Suite

GOLD = 918_273_645
"""So unlikely a number that finding it anywhere means the truth leaked."""


class Killed(BaseException):
    """The process is gone: nothing after this point runs, and nobody may catch it."""


@dataclass
class MemoryLog:
    """A log in a list, which may die after so many appends."""

    events: list[Event] = field(default_factory=list)
    dies_after: int | None = None
    error: BaseException | None = None
    appended: int = 0

    async def get_events(self) -> Sequence[Event]:
        return list(self.events)

    async def emit_event(self, *events: Event) -> object:
        if self.dies_after is not None and self.appended >= self.dies_after:
            raise self.error or Killed
        known = {event.id for event in self.events}
        self.events += [event for event in events if event.id not in known]
        self.appended += 1
        return None

    def types(self) -> list[str]:
        return [event.type for event in self.events]


@dataclass(frozen=True)
class Sum:
    id: str
    facts: Mapping[str, Any]


@dataclass(frozen=True)
class DrawnSum:
    document: str
    gold: object
    facts: Mapping[str, Any]


@dataclass(frozen=True)
class Marks:
    accuracy: float
    completeness: float
    format: float
    metrics: Mapping[str, float]


class Sums:
    """A suite whose documents are numbers; an answer is right to the degree it says."""

    def samples(self, config: Mapping[str, Any]) -> Sequence[Sum]:
        return [Sum(id=name, facts={}) for name in config["names"]]

    def draw(self, sample_id: str, epoch: int, seed: int) -> Drawn:
        return DrawnSum(f"{sample_id} {epoch} {seed}", GOLD, {"pages": 1 + len(sample_id)})

    def playbook_text(self) -> str:
        return "Add."

    def score(self, gold: Any, answer: dict[str, Any], document: str) -> Marks:
        assert gold == GOLD
        assert document == answer["document"]
        metrics = {"recall": answer["quality"], "false_flags": 2.0}
        return Marks(answer["quality"], answer["quality"], 1.0, metrics)


def suite(reference: Reference | None = None, module: Any = None) -> Suite:
    return Suite(
        name="sums",
        title="Sums",
        folder=Path("sums"),
        primary_metric="completeness",
        lower_is_better=("false_flags",),
        rubric=None,
        reference=reference,
        config={"names": ["a", "bb", "ccc"]},
        content_hash="suite-hash",
        module=module or Sums(),
    )


def manifest(**changes: Any) -> Manifest:
    fields: dict[str, Any] = {
        "suite": "sums",
        "suite_hash": "suite-hash",
        "arms": ["single", "pool"],
        "arm_hashes": {"single": "1", "pool": "2"},
        "samples": ["a", "bb", "ccc"],
        "repeats": 2,
        "seed": 3,
        "brain": "reader",
        "code_version": "0",
        "primary_metric": "completeness",
        "lower_is_better": ["false_flags"],
        "declared_at": "2026-01-01T00:00:00Z",
    }
    arms = changes.get("arms", fields["arms"])
    hashes = {arm: str(index) for index, arm in enumerate(arms, 1)}
    return declare({**fields, "arm_hashes": hashes, **changes})


@dataclass
class Adder:
    """An arm that works for ten seconds and whose quality depends on arm, sample and repeat only."""

    clock: FrozenClock = field(default_factory=FrozenClock)
    worked: list[TrialSpec] = field(default_factory=list)
    before: Callable[[TrialSpec], None] | None = None

    async def __call__(self, trial: TrialSpec, drawn: Drawn) -> ArmResult:
        if self.before is not None:
            self.before(trial)
        self.worked.append(trial)
        self.clock.advance(10)
        step = (len(trial.arm) * 3 + len(trial.sample_id) + trial.epoch) % 7
        return ArmResult(
            answer={"document": drawn.document, "quality": step / 7},
            usage=Usage(input_tokens=100 * step, output_tokens=10),
            tool_calls=step,
            model_calls=2,
            root_session_id=f"sesn_{trial.trial_id}",
        )


Quality = Callable[[str, str, int], float]
"""(arm, sample, repeat) to the quality of the answer."""


def completed(
    arm: str, sample: str, epoch: int, quality: float, *, trial_id: str = "", **changes: Any
) -> TrialCompleted:
    trial = trial_id or f"trial_{arm}_{sample}_{epoch}"
    fields: dict[str, Any] = {
        "id": f"evt_{trial}_completed",
        "experiment_id": "exp_1",
        "trial_id": trial,
        "arm": arm,
        "sample_id": sample,
        "epoch": epoch,
        "brain": "reader",
        "scores": {"accuracy": quality, "completeness": quality, "format": 1.0},
        "metrics": {"recall": quality, "false_flags": 2.0},
        "tiers": {"strict": quality > 0.9, "standard": quality > 0.75, "lenient": quality > 0.6},
        "usage": {"input_tokens": 100, "output_tokens": 10},
        "tool_calls": 1,
        "model_calls": 2,
        "duration_seconds": 10.0,
        "answer": {"quality": quality},
        "sample": {"pages": 3},
    }
    return TrialCompleted.model_validate(fields | changes)


def failed(arm: str, sample: str, epoch: int) -> TrialFailed:
    trial = f"trial_{arm}_{sample}_{epoch}"
    return TrialFailed(
        id=f"evt_{trial}_failed",
        experiment_id="exp_1",
        trial_id=trial,
        arm=arm,
        sample_id=sample,
        epoch=epoch,
        error={"code": "model_unavailable", "message": "overloaded", "retryable": False},
    )


def events_of(declared: Manifest, quality: Quality) -> list[Event]:
    """The log of an experiment that was run to its end."""
    created = ExperimentCreated(
        id="evt_created",
        experiment_id="exp_1",
        manifest=declared.model_dump(mode="json"),
        manifest_hash=manifest_hash(declared),
    )
    trials = [
        completed(arm, sample, epoch, quality(arm, sample, epoch))
        for epoch in range(declared.repeats)
        for sample in declared.samples
        for arm in declared.arms
    ]
    return [created, *trials]
