"""What may be said while an experiment is still running: intervals that hold however often one looks.

Pure. Only samples that both arms have finished count, in the order in which they were finished. The level is
shared out over the declared family (Bonferroni), since each of its intervals may be acted on.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from nightschool.experiments.design import ContrastPlan, Manifest
from nightschool.experiments.ledger import Ledger, TrialStatus
from nightschool.experiments.measures import Trial, from_ledger, is_lower_better
from nightschool.experiments.statistics import Interval, Verdict, anytime_interval, source_means

__all__ = ["LiveLook", "Look", "look", "look_at", "look_line", "settled"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """One declared comparison so far."""

    treatment: str
    baseline: str
    samples: int
    """Samples that both arms have finished."""
    difference: float | None
    interval: Interval | None
    """None while it is unbounded."""
    verdict: Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveLook:
    """A look at a whole experiment."""

    recorded: int
    expected: int
    looks: tuple[Look, ...]


def look_line(look: Look) -> str:
    """Return a comparison so far as one sentence."""
    head = f"{look.treatment} − {look.baseline}: "
    if look.difference is None or look.interval is None:
        return f"{head}nothing can be said of {look.samples} samples yet"
    ends = f"[{look.interval.low:+.3f}, {look.interval.high:+.3f}]"
    level = f"{look.interval.level:.1%} at every look"
    return f"{head}{look.difference:+.3f} {ends} ({level}), {look.samples} samples; so far: {look.verdict}"


def look(ledger: Ledger) -> list[Look]:
    """Return the declared comparisons as they stand.

    Raises:
        NotFound: the log is not an experiment's.
        StoreCorrupt: the declaration is not the one that was hashed.
    """
    return look_at(ledger.manifest, from_ledger(ledger))


def look_at(manifest: Manifest, trials: Sequence[Trial]) -> list[Look]:
    """Return the declared comparisons as these trials tell them."""
    values = _finished(manifest, trials)
    level = 1 - manifest.alpha / max(1, len(manifest.family))
    return [_look(manifest, plan, values, level) for plan in manifest.family]


def settled(manifest: Manifest, trials: Iterable[Trial]) -> tuple[str, ...]:
    """Return the samples that every arm has met as often as declared, whatever came of it."""
    ended = {
        (trial.arm, trial.sample_id, trial.epoch)
        for trial in trials
        if trial.status is not TrialStatus.STARTED
    }
    return tuple(
        sample
        for sample in manifest.samples
        if all((arm, sample, epoch) in ended for arm in manifest.arms for epoch in range(manifest.repeats))
    )


def _finished(manifest: Manifest, trials: Sequence[Trial]) -> dict[str, dict[str, float]]:
    """Return arm to sample to mean of the primary metric, where every repeat is there, in their order."""
    collected: dict[str, dict[str, list[float]]] = {arm: {} for arm in manifest.arms}
    for trial in trials:
        value = trial.values.get(manifest.primary_metric)
        if trial.status is TrialStatus.COMPLETED and value is not None and trial.arm in collected:
            collected[trial.arm].setdefault(trial.sample_id, []).append(value)
    return {
        arm: {
            sample: math.fsum(values) / len(values)
            for sample, values in samples.items()
            if len(values) == manifest.repeats
        }
        for arm, samples in collected.items()
    }


def _look(
    manifest: Manifest, plan: ContrastPlan, values: Mapping[str, Mapping[str, float]], level: float
) -> Look:
    ours, theirs = values[plan.treatment], values[plan.baseline]
    paired = {sample: value - theirs[sample] for sample, value in ours.items() if sample in theirs}
    differences = list(paired.values())
    interval = anytime_interval(
        source_means(paired, manifest.sources), level=level, expected=len(manifest.samples)
    )
    return Look(
        treatment=plan.treatment,
        baseline=plan.baseline,
        samples=len(differences),
        difference=math.fsum(differences) / len(differences) if differences else None,
        interval=interval,
        verdict=_verdict(manifest, interval),
    )


def _verdict(manifest: Manifest, interval: Interval | None) -> Verdict:
    if interval is None:
        return Verdict.UNDECIDED
    if interval.excludes_zero:
        is_better = (interval.low > 0) != is_lower_better(manifest.primary_metric, manifest.lower_is_better)
        return Verdict.BETTER if is_better else Verdict.WORSE
    delta = manifest.smallest_effect
    inside = delta is not None and -delta < interval.low and interval.high < delta
    return Verdict.EQUIVALENT if inside else Verdict.UNDECIDED
