"""What an experiment found: reconciled counts, means with intervals, and the declared comparisons.

Pure: a manifest and trials in, a report out. Knows nothing about how it is shown (`report_text`) or sent
(`report_json`). No mean is given before every expected trial is accounted for, and what errored is shown as
the range in which the number would lie had it not.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from nightschool.experiments.contrast import CONFIRMATORY, EXPLORATORY, Contrast, Member, judge_family
from nightschool.experiments.design import Manifest
from nightschool.experiments.live import settled
from nightschool.experiments.measures import Trial, bounds_of
from nightschool.experiments.statistics import Interval, Repeats, mean_interval, sample_means, wilson
from nightschool.experiments.steadiness import Steadiness, steadiness
from nightschool.experiments.tally import Bounds, Counts, Tally, mean_bounds
from nightschool.outcomes.noise import GraderNoise
from nightschool.outcomes.tiers import PassRate, Tier, sweep

__all__ = ["TIERS", "ArmReport", "Estimate", "LengthBin", "Report", "build_report"]

TIERS: Final = ("strict", "standard", "lenient")

_LENGTH_BINS: Final = 3
_THRESHOLDS_SWEPT: Final = tuple(step / 20 for step in range(21))


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """The mean of one metric in one arm, over samples."""

    metric: str
    n: int
    """Samples that have a value."""
    trials: int
    """Trials behind them."""
    mean: float | None
    """None where counts do not reconcile or nothing was measured."""
    interval: Interval | None
    bounds: Bounds | None
    """Given where trials lack a result and the metric has a least and a greatest value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmReport:
    """One arm."""

    arm: str
    counts: Counts
    metrics: Mapping[str, Estimate]
    tiers: Mapping[str, Estimate]
    """Pass rates; the interval is Wilson's."""
    steadiness: Mapping[str, Steadiness]
    """How sure the verdicts are at each tier; empty where the grader's scatter is not known."""
    sweeps: Mapping[str, Sequence[PassRate]]
    """Per tier, how many trials would pass were its threshold another; empty where nothing is graded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LengthBin:
    """The primary metric over documents of similar length; exploratory."""

    shortest: float
    longest: float
    """Pages."""
    samples: int
    estimates: Mapping[str, Estimate]
    """By arm."""
    contrasts: tuple[Contrast, ...]
    """One family over all bins: looking for a difference in three places is looking three times."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """All of it."""

    experiment_id: str
    manifest: Manifest
    arms: tuple[ArmReport, ...]
    contrasts: tuple[Contrast, ...]
    """The declared family first, then the same comparisons on every other metric."""
    lengths: tuple[LengthBin, ...]
    noise: GraderNoise | None
    """How the grader scatters; None where nobody measured it."""
    notes: tuple[str, ...]
    """What a reader must know before believing a number."""
    samples: tuple[str, ...] = ()
    """What all numbers rest on: every declared sample; with stop rule `sequence`, those that are settled."""

    @property
    def is_complete(self) -> bool:
        """Whether every arm's counts reconcile."""
        return all(arm.counts.reconcile for arm in self.arms)

    @property
    def is_simulated(self) -> bool:
        """Whether the numbers were drawn from a declared distribution rather than measured."""
        return self.manifest.brain == "simulated"

    @property
    def confirmatory(self) -> tuple[Contrast, ...]:
        """The comparisons that were declared before the first trial."""
        return tuple(contrast for contrast in self.contrasts if contrast.role == CONFIRMATORY)


def build_report(
    experiment_id: str,
    manifest: Manifest,
    trials: Iterable[Trial],
    *,
    noise: GraderNoise | None = None,
    stopped_on: Sequence[str] | None = None,
) -> Report:
    """Account for the trials, average what may be averaged, and judge the comparisons.

    Args:
        experiment_id: whose report it is.
        manifest: what was declared.
        trials: what became of it.
        noise: how the grader scatters; the declared deviation unless given.
        stopped_on: the samples that the stop rule `sequence` decided by; all that are settled unless given.
    """
    trials = list(trials)
    samples = manifest.samples
    if manifest.stop_rule == "sequence":
        samples = settled(manifest, trials) if stopped_on is None else tuple(stopped_on)
    known = noise or (GraderNoise(sd=manifest.grader_sd) if manifest.grader_sd else None)
    tallies = _by_arm(manifest, trials, samples)
    metrics = sorted({metric for tally in tallies.values() for metric in tally.metrics})
    arms = tuple(
        ArmReport(
            arm=arm,
            counts=tally.counts,
            metrics={metric: _estimate(tally, metric, manifest) for metric in metrics},
            tiers={tier: _pass_rate(tally, tier, manifest) for tier in TIERS},
            sweeps=_sweeps(tally, manifest),
            steadiness=steadiness(tally.trials.values(), known, manifest.weights),
        )
        for arm, tally in tallies.items()
    )
    return Report(
        experiment_id=experiment_id,
        manifest=manifest,
        arms=arms,
        contrasts=tuple(_contrasts(manifest, tallies, metrics)),
        lengths=_lengths(manifest, tallies),
        noise=known,
        notes=tuple(_notes(manifest, arms, samples)),
        samples=samples,
    )


def _by_arm(manifest: Manifest, trials: Sequence[Trial], samples: Sequence[str]) -> dict[str, Tally]:
    return {
        arm: Tally.of(
            [trial for trial in trials if trial.arm == arm],
            samples=samples,
            repeats=manifest.repeats,
        )
        for arm in manifest.arms
    }


def _estimate(tally: Tally, metric: str, manifest: Manifest) -> Estimate:
    repeats, limits = tally.values(metric), bounds_of(metric)
    means = list(sample_means(repeats).values()) if tally.counts.reconcile else []
    interval = mean_interval(means, level=1 - manifest.alpha, seed=manifest.seed % 2**32)
    return Estimate(
        metric=metric,
        n=len(repeats),
        trials=_size(repeats),
        mean=_mean(means),
        interval=_within(interval, limits),
        bounds=None if metric == "consistency" else mean_bounds(tally, repeats, limits),
    )


def _pass_rate(tally: Tally, tier: str, manifest: Manifest) -> Estimate:
    repeats = tally.passes(tier)
    rates = list(sample_means(repeats).values()) if tally.counts.reconcile else []
    rate = _mean(rates)
    return Estimate(
        metric=tier,
        n=len(repeats),
        trials=_size(repeats),
        mean=rate,
        interval=None if rate is None else wilson(rate, len(rates), level=1 - manifest.alpha),
        bounds=mean_bounds(tally, repeats, (0.0, 1.0)),
    )


def _sweeps(tally: Tally, manifest: Manifest) -> dict[str, Sequence[PassRate]]:
    graded = [trial.scores for trial in tally.trials.values() if trial.is_graded]
    if not graded or not tally.counts.reconcile:
        return {}
    return {str(tier): sweep(tier, graded, _THRESHOLDS_SWEPT, manifest.weights) for tier in Tier}


def _contrasts(
    manifest: Manifest, tallies: Mapping[str, Tally], metrics: Sequence[str]
) -> Iterator[Contrast]:
    primary = manifest.primary_metric
    yield from judge_family(manifest, _members(manifest, tallies, primary), CONFIRMATORY)
    for metric in metrics:
        if metric != primary:
            yield from judge_family(manifest, _members(manifest, tallies, metric), EXPLORATORY)


def _members(manifest: Manifest, tallies: Mapping[str, Tally], metric: str) -> list[Member]:
    return [
        Member(plan=plan, metric=metric, treatment=tallies[plan.treatment], baseline=tallies[plan.baseline])
        for plan in manifest.family
    ]


def _lengths(manifest: Manifest, tallies: Mapping[str, Tally]) -> tuple[LengthBin, ...]:
    pages = {sample: length for tally in tallies.values() for sample, length in tally.pages().items()}
    groups = _split(pages)
    if len(groups) < 2:  # nothing to compare by
        return ()
    metric = manifest.primary_metric
    parts = [{arm: tally.only(group) for arm, tally in tallies.items()} for group in groups]
    family = [member for part in parts for member in _members(manifest, part, metric)]
    contrasts, size = judge_family(manifest, family, EXPLORATORY), len(manifest.family)
    return tuple(
        LengthBin(
            shortest=min(pages[sample] for sample in group),
            longest=max(pages[sample] for sample in group),
            samples=len(group),
            estimates={arm: _estimate(tally, metric, manifest) for arm, tally in part.items()},
            contrasts=tuple(contrasts[index * size : (index + 1) * size]),
        )
        for index, (group, part) in enumerate(zip(groups, parts, strict=True))
    )


def _split(pages: Mapping[str, float]) -> list[list[str]]:
    """Split samples by length into groups of about equal size; equal lengths stay together."""
    if not pages:
        return []
    ordered = sorted(pages.values())
    cuts = [ordered[math.ceil(len(ordered) * part / _LENGTH_BINS) - 1] for part in range(1, _LENGTH_BINS + 1)]
    groups: dict[float, list[str]] = {}
    for sample, length in sorted(pages.items()):
        groups.setdefault(next(cut for cut in cuts if length <= cut), []).append(sample)
    return [groups[cut] for cut in sorted(groups)]


def _notes(manifest: Manifest, arms: Sequence[ArmReport], samples: Sequence[str]) -> Iterator[str]:
    if manifest.stop_rule == "sequence":
        yield (
            f"{len(samples)} of {len(manifest.samples)} samples count, judged by intervals that hold at every"
            " look; the intervals of single arms and of other metrics hold at one look only"
        )
    if manifest.brain == "simulated":
        yield "simulated: drawn from a declared distribution; says nothing about any real agent"
    for probe in manifest.gameable_by:
        yield f"gameable: `{probe}` passes Standard without doing the work; a better score proves nothing"
    for arm in arms:
        counts = arm.counts
        if not counts.reconcile:
            yield f"{arm.arm}: {counts.recorded} of {counts.expected} trials recorded; no mean is given yet"
        if counts.errored:
            codes = ", ".join(f"{count} {code}" for code, count in counts.errors.items())
            yield f"{arm.arm}: {counts.errored} of {counts.expected} trials errored ({codes})"
        timed = arm.metrics.get("duration_seconds")
        if timed is not None and timed.trials < counts.graded:
            yield f"{arm.arm}: times are of the {timed.trials} trials that were not interrupted"


def _within(interval: Interval | None, limits: tuple[float, float]) -> Interval | None:
    """Cut off what cannot be: Student's interval of a share may reach beyond 1, that of a time below 0."""
    if interval is None:
        return None
    return replace(interval, low=max(limits[0], interval.low), high=min(limits[1], interval.high))


def _mean(values: Sequence[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None


def _size(repeats: Repeats) -> int:
    return sum(len(values) for values in repeats.values())
