"""One arm in two experiments: the candidate against what it is to replace.

Pure. Pairs are made only of the same samples, drawn with the same seed, by the same suite: anything else
would compare different worlds.
"""

from __future__ import annotations

from nightschool.core.errors import InvalidInput
from nightschool.experiments.design import Manifest
from nightschool.experiments.ledger import Ledger, TrialState
from nightschool.experiments.measures import Trial, from_ledger
from nightschool.experiments.report import Report, build_report

__all__ = ["rivals_report"]


def rivals_report(
    candidate: Ledger, baseline: Ledger, *, arm: str, baseline_arm: str, alpha: float, names: tuple[str, str]
) -> Report:
    """Return a report of two arms, one from each experiment.

    Args:
        candidate: the newer experiment.
        baseline: the older.
        arm: the arm of the candidate.
        baseline_arm: the arm of the baseline.
        alpha: the level of the comparison.
        names: ids of candidate and baseline.

    Raises:
        InvalidInput: the two did not meet the same samples drawn alike, or one lacks the arm.
    """
    ours, theirs = candidate.manifest, baseline.manifest
    _refuse_other_worlds(ours, theirs)
    for manifest, wanted, name in ((ours, arm, names[0]), (theirs, baseline_arm, names[1])):
        if wanted not in manifest.arms:
            raise InvalidInput(f"{name} has no arm `{wanted}`; it has: {', '.join(manifest.arms)}")
    if names[0] == names[1] and arm == baseline_arm:
        raise InvalidInput(f"`{arm}` of {names[0]} would be compared with itself")
    after, before = f"{arm}@{names[0]}", f"{baseline_arm}@{names[1]}"
    repeats = min(ours.repeats, theirs.repeats)
    samples = tuple(sample for sample in ours.samples if sample in theirs.samples)
    merged = Manifest.model_validate(
        ours.model_dump()
        | {
            "arms": (before, after),
            "arm_hashes": {before: theirs.arm_hashes[baseline_arm], after: ours.arm_hashes[arm]},
            "samples": samples,
            "repeats": repeats,
            "expected": 2 * len(samples) * repeats,
            "family": ({"treatment": after, "baseline": before},),
            "routings": {},
            "memories": {
                name: manifest.memories[own]
                for name, manifest, own in ((before, theirs, baseline_arm), (after, ours, arm))
                if own in manifest.memories
            },
            "factors": {},
            "cells": {},
            "alpha": alpha,
            "brain": _brain(ours, theirs),
        }
    )
    trials = [
        *_renamed(candidate, arm, after),
        *_renamed(baseline, baseline_arm, before),
    ]
    return build_report(names[0], merged, trials)


def _brain(ours: Manifest, theirs: Manifest) -> str:
    """Return the brain; one simulated side makes the comparison simulated."""
    if "simulated" in (ours.brain, theirs.brain):
        return "simulated"
    return ours.brain if ours.brain == theirs.brain else f"{ours.brain} after {theirs.brain}"


def _refuse_other_worlds(ours: Manifest, theirs: Manifest) -> None:
    differing = [
        what
        for what, one, other in (
            ("suite", ours.suite, theirs.suite),
            ("suite's files", ours.suite_hash, theirs.suite_hash),
            ("seed", ours.seed, theirs.seed),
            ("primary metric", ours.primary_metric, theirs.primary_metric),
        )
        if one != other
    ]
    if not set(ours.samples) & set(theirs.samples):
        differing.append("samples")
    if differing:
        raise InvalidInput(
            f"the two experiments differ in their {', '.join(differing)}: their trials met different worlds"
            " and cannot be paired"
        )


def _renamed(ledger: Ledger, arm: str, name: str) -> list[Trial]:
    own: dict[str, TrialState] = {key: trial for key, trial in ledger.trials.items() if trial.arm == arm}
    return [
        Trial(
            arm=name,
            sample_id=trial.sample_id,
            epoch=trial.epoch,
            status=trial.status,
            values=trial.values,
            scores=trial.scores,
            tiers=trial.tiers,
            pages=trial.pages,
            error_code=trial.error_code,
        )
        for trial in from_ledger(Ledger(created=ledger.created, trials=own))
    ]
