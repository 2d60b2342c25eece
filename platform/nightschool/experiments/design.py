"""What an experiment will do, fixed and hashed before its first trial, and the order of its trials.

Pure. Knows nothing about running a trial, and nothing about suites or arms beyond their names and hashes.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from nightschool.core.errors import InvalidInput, Malformed
from nightschool.core.ids import derived_id

__all__ = [
    "ContrastPlan",
    "FrozenStore",
    "Manifest",
    "TrialSpec",
    "canonical_json",
    "changes_since",
    "declare",
    "digest",
    "manifest_hash",
    "trial_order",
]

Name = Annotated[str, Field(min_length=1)]

_LATER: Final = (
    "brains",
    "budget",
    "cells",
    "factors",
    "gameable_by",
    "grader_sd",
    "memories",
    "question",
    "recipes",
    "regraded_from",
    "routings",
    "smallest_effect",
    "sources",
    "stop_rule",
    "tier_confidence",
    "tier_reason",
)


class _Declared(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ContrastPlan(_Declared):
    """One comparison of the declared family."""

    treatment: Name
    baseline: Name


class FrozenStore(_Declared):
    """The memory store of an arm as it stood when the experiment was declared; no later version is read."""

    store: Name
    """What people call it."""
    store_id: Name
    version: int = Field(ge=1)
    """How many events of the store's log are read."""
    sha256: Name
    """Hash over all that it said then."""
    memories: int = Field(ge=0)
    """How many of them could be recalled."""
    top_k: int | None = None
    """At most so many memories for a task; None: as many as its size calls for."""


def _each_against_the_first(declared: dict[str, Any]) -> tuple[ContrastPlan, ...]:
    first, *others = declared["arms"]
    return tuple(ContrastPlan(treatment=name, baseline=first) for name in others)


def _trials_asked_for(declared: dict[str, Any]) -> int:
    return len(declared["arms"]) * len(declared["samples"]) * int(declared["repeats"])


class Manifest(_Declared):
    """The experiment as declared. Its hash is taken before the first trial and stored with it."""

    schema_version: Literal[1] = 1
    suite: Name
    suite_hash: Name
    """Hash of the suite's files, so that a changed suite is another experiment."""
    arms: tuple[Name, ...] = Field(min_length=1)
    """The first is the baseline."""
    arm_hashes: dict[str, Name]
    """Arm to the hash of everything its definition says."""
    samples: tuple[Name, ...] = Field(min_length=1)
    repeats: int = Field(ge=1)
    """How often each arm meets each sample; a repeat re-draws what may vary in the world."""
    expected: int = Field(default_factory=_trials_asked_for)
    """How many trials there are when nothing is missing."""
    seed: int
    """Decides the world's draws, the order of trials, and the resampling of the statistics."""
    tier: Literal["strict", "standard", "lenient"] = "standard"
    tier_use: Literal["regrade", "loop"] = "regrade"
    """Whether the tier only reads kept scores, or also decides if an agent revises its work."""
    tier_reason: str = ""
    """Where the tier comes from; empty in experiments declared before it was recorded."""
    tier_confidence: float | None = Field(default=None, ge=0, le=1)
    """Probability of the field that the tier was inferred from; null where nothing was inferred."""
    brain: Name
    limits: dict[str, int | float | str | bool | None] = Field(default_factory=dict)
    """What every arm is held to alike: context, parallel agents, iterations, tokens."""
    code_version: Name
    primary_metric: Name
    lower_is_better: tuple[Name, ...] = ()
    """The suite's own metrics of which less is better (false_flags)."""
    weights: dict[str, float] = Field(default_factory=dict)
    """Weights of the dimensions in the tiers' mean; a dimension without one weighs 1."""
    routings: dict[str, Name] = Field(default_factory=dict)
    """Arm to how its work is routed; empty in experiments declared before it was recorded."""
    grader_sd: dict[str, Annotated[float, Field(ge=0, allow_inf_nan=False)]] = Field(default_factory=dict)
    """Standard deviation of the suite's grader, by dimension; empty where nobody measured it."""
    gameable_by: tuple[Name, ...] = ()
    """Shortcuts that pass Standard on these samples without doing the work; there should be none."""
    family: tuple[ContrastPlan, ...] = Field(default_factory=_each_against_the_first)
    """The comparisons that share the error rate; every arm against the first unless declared otherwise."""
    alpha: float = Field(default=0.05, gt=0, lt=1)
    question: str = ""
    """What the experiment is to find out, in a sentence."""
    smallest_effect: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    """δ: a difference of the primary metric that is smaller does not matter."""
    sources: dict[str, Name] = Field(default_factory=dict)
    """Sample to what it was taken from, where several samples share a source."""
    factors: dict[str, tuple[Name, ...]] = Field(default_factory=dict)
    """Factor to its levels, the first being what the others are compared with."""
    cells: dict[str, dict[str, Name]] = Field(default_factory=dict)
    """Arm to its level of every factor."""
    regraded_from: str | None = None
    """The experiment whose recorded answers these are, scored anew."""
    recipes: dict[str, dict[str, Any]] = Field(default_factory=dict)
    """Arm to how it was made from another, where it has no file of its own."""
    brains: dict[str, Name] = Field(default_factory=dict)
    """Arm to its brain, where that is a factor."""
    memories: dict[str, FrozenStore] = Field(default_factory=dict)
    """Arm to the store it recalls from, where it has one."""
    stop_rule: Literal["fixed", "sequence"] | None = None
    """fixed (as is None): nothing is judged before the last trial. sequence: looked at while it runs, by
    intervals that allow it, and stopped when they exclude zero."""
    budget: dict[str, float | int | None] = Field(default_factory=dict)
    """Caps of the whole run (usd, tokens, seconds), the share kept back for grading, and caps per trial."""
    declared_at: datetime

    @model_validator(mode="after")
    def _refuse_contradictions(self) -> Self:
        _refuse_repeats("arms", self.arms)
        _refuse_repeats("samples", self.samples)
        _refuse_repeats("family", [f"{c.treatment} − {c.baseline}" for c in self.family])
        if set(self.arm_hashes) != set(self.arms):
            raise ValueError(f"arm_hashes: must name exactly the arms ({', '.join(self.arms)})")
        if self.expected != len(self.arms) * len(self.samples) * self.repeats:
            raise ValueError("expected: is not arms times samples times repeats")
        for arm, cell in self.cells.items():
            if arm not in self.arms or cell.keys() != self.factors.keys():
                raise ValueError(f"cells: `{arm}` must be an arm with a level of every factor")
        for arm in self.memories.keys() - set(self.arms):
            raise ValueError(f"memories: `{arm}` is none of the arms ({', '.join(self.arms)})")
        for contrast in self.family:
            for name in (contrast.treatment, contrast.baseline):
                if name not in self.arms:
                    raise ValueError(f"family: `{name}` is none of the arms ({', '.join(self.arms)})")
            if contrast.treatment == contrast.baseline:
                raise ValueError(f"family: `{contrast.treatment}` is compared with itself")
        return self


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialSpec:
    """One meeting of an arm with a sample. Picklable: another process could run it from this alone."""

    trial_id: str
    experiment_id: str
    suite: str
    arm: str
    sample_id: str
    epoch: int
    """Which repeat, from 0."""
    seed: int
    brain: str
    tier: str
    limits: Mapping[str, int | float | str | bool | None]
    attempt: int = 1
    """1 unless an earlier attempt was interrupted or failed for reasons outside the trial."""


def declare(fields: Mapping[str, Any]) -> Manifest:
    """Build a manifest from plain fields, as the command line gives them or the log kept them.

    Raises:
        Malformed: a field is missing, unknown, out of range or contradicts another; names the field.
    """
    try:
        return Manifest.model_validate(dict(fields))
    except ValidationError as error:
        first = error.errors()[0]
        reason = first["msg"].removeprefix("Value error, ")
        where = ".".join(str(part) for part in first["loc"])
        if not where:  # what contradicts another field begins with its own name
            where, _, reason = reason.partition(": ")
        raise Malformed(f"manifest: `{where}`: {reason}", field=where) from error


def canonical_json(value: object) -> str:
    """Write JSON in the one form that hashes are taken of: sorted keys, no spaces, no NaN."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def digest(value: object) -> str:
    """Return the SHA-256 of a JSON value's canonical form."""
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()


def manifest_hash(manifest: Manifest) -> str:
    """Return the hash that is stored before the first trial."""
    fields = manifest.model_dump(mode="json")
    # What came later and is empty is left out: an experiment declared before it keeps its hash.
    return digest({name: value for name, value in fields.items() if value or name not in _LATER})


def trial_order(manifest: Manifest, experiment_id: str) -> list[TrialSpec]:
    """Return every trial once, in a random order that the seed repeats.

    Blocked: the arms meet one repeat of one sample right after another, in shuffled order, so that a
    machine that gets slower or a server that gets busier falls on all arms alike.
    """
    rng = random.Random(f"order {manifest.seed}")
    blocks = [(sample, epoch) for epoch in range(manifest.repeats) for sample in manifest.samples]
    rng.shuffle(blocks)
    if manifest.stop_rule == "sequence":
        # A sample says something once all its repeats are there: they come one after another.
        first = {sample: index for index, (sample, _) in reversed(list(enumerate(blocks)))}
        blocks.sort(key=lambda block: first[block[0]])
    return [
        _spec(manifest, experiment_id, arm, sample, epoch)
        for sample, epoch in blocks
        for arm in rng.sample(manifest.arms, len(manifest.arms))
    ]


def changes_since(
    manifest: Manifest, *, suite_hash: str, arm_hashes: Mapping[str, str], code_version: str
) -> list[str]:
    """Say what is no longer as it was declared, so that a resumed half is not unlike the first half."""
    changes = [] if suite_hash == manifest.suite_hash else [f"the files of suite `{manifest.suite}` changed"]
    changes += [
        f"the definition of arm `{arm}` changed"
        for arm, declared in manifest.arm_hashes.items()
        if arm_hashes.get(arm) != declared
    ]
    if code_version != manifest.code_version:
        changes.append(f"the code is version {code_version}, it was {manifest.code_version}")
    return changes


def _spec(manifest: Manifest, experiment_id: str, arm: str, sample_id: str, epoch: int) -> TrialSpec:
    if not experiment_id:
        raise InvalidInput("an experiment needs an id before its trials can have theirs")
    return TrialSpec(
        trial_id=derived_id("trial", experiment_id, arm, sample_id, epoch),
        experiment_id=experiment_id,
        suite=manifest.suite,
        arm=arm,
        sample_id=sample_id,
        epoch=epoch,
        seed=manifest.seed,
        brain=manifest.brains.get(arm, manifest.brain),
        tier=manifest.tier,
        limits=manifest.limits,
    )


def _refuse_repeats(field: str, names: tuple[str, ...] | list[str]) -> None:
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"{field}: given more than once: {', '.join(twice)}")
