"""What an experiment will take and what it will be able to show, before anything is run.

Pure. Projected from trials of the same arms on the same suite that were run before; where there are none,
from what the suite calls competent, and then it says so. A projection is never a measurement.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from nightschool.experiments.design import ContrastPlan, Manifest
from nightschool.experiments.ledger import Ledger
from nightschool.experiments.measures import Trial, from_ledger
from nightschool.experiments.statistics import (
    MINIMUM_PAIRS,
    Repeats,
    compare,
    detectable_difference,
    power_of,
)
from nightschool.experiments.tally import Tally

__all__ = ["ASSUMED_DEVIATION", "ArmProjection", "ContrastProjection", "Projection", "project"]

ASSUMED_DEVIATION: Final = 0.25
"""Of a paired difference of scores, where nothing was run before: a wide guess, labelled as one."""

_POWER: Final = 0.8
_FROM_TRIALS: Final = "earlier trials"
_FROM_SUITE: Final = "the suite's reference"
_UNKNOWN: Final = "nothing known"


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmProjection:
    """One arm."""

    arm: str
    trials: int
    tokens: float | None
    """All trials together; None where nothing is known."""
    usd: float | None
    seconds: float | None
    """One after another."""
    basis: str
    """What it was projected from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContrastProjection:
    """One declared comparison."""

    treatment: str
    baseline: str
    deviation: float
    """Of the paired difference."""
    basis: str
    detectable: float | None
    """At 80 % power, at the level of Holm's first step."""
    power: float | None
    """For the smallest effect of interest; None where none was declared."""
    samples_needed: int | None
    """For 80 % power at the smallest effect of interest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Projection:
    """All of it."""

    manifest: Manifest
    arms: tuple[ArmProjection, ...]
    contrasts: tuple[ContrastProjection, ...]
    within_budget: Mapping[str, bool | None]
    """Cap to whether the projection stays below it; None where it cannot be said."""


def project(
    manifest: Manifest,
    earlier: Sequence[Ledger],
    pages: Mapping[str, float],
    per_page: tuple[float | None, float | None],
) -> Projection:
    """Project a declared experiment.

    Args:
        manifest: what would be run.
        earlier: experiments that were run before.
        pages: sample to pages, where known.
        per_page: tokens and seconds that the suite calls competent.
    """
    known = _known(manifest, earlier)
    arms = tuple(_arm(manifest, arm, known.get(arm, []), pages, per_page) for arm in manifest.arms)
    return Projection(
        manifest=manifest,
        arms=arms,
        contrasts=tuple(_contrast(manifest, plan, earlier) for plan in manifest.family),
        within_budget=_within(manifest, arms),
    )


def _known(manifest: Manifest, earlier: Sequence[Ledger]) -> dict[str, list[Trial]]:
    """Return finished trials of arms that are defined alike, by the arm's name here."""
    found: dict[str, list[Trial]] = {}
    for ledger in earlier:
        past = ledger.manifest
        if past.suite != manifest.suite:
            continue
        trials = from_ledger(ledger)
        for arm in manifest.arms:
            brain = manifest.brains.get(arm, manifest.brain)
            names = [
                name
                for name, digest in past.arm_hashes.items()
                if digest == manifest.arm_hashes[arm] and past.brains.get(name, past.brain) == brain
            ]
            found.setdefault(arm, []).extend(t for t in trials if t.arm in names and t.is_graded)
    return found


def _arm(
    manifest: Manifest,
    arm: str,
    trials: Sequence[Trial],
    pages: Mapping[str, float],
    per_page: tuple[float | None, float | None],
) -> ArmProjection:
    count = len(manifest.samples) * manifest.repeats
    if trials:
        scale = _scale(manifest, trials, pages)
        tokens, usd, seconds = (
            _total(trials, metric, count, scale) for metric in ("tokens", "cost_usd", "duration_seconds")
        )
        return ArmProjection(
            arm=arm,
            trials=count,
            tokens=tokens,
            usd=usd,
            seconds=seconds,
            basis=f"{len(trials)} {_FROM_TRIALS}",
        )
    all_pages = sum(pages.get(sample, math.nan) for sample in manifest.samples) * manifest.repeats
    totals = [None if each is None or math.isnan(all_pages) else each * all_pages for each in per_page]
    basis = _UNKNOWN if totals == [None, None] else _FROM_SUITE
    return ArmProjection(arm=arm, trials=count, tokens=totals[0], usd=None, seconds=totals[1], basis=basis)


def _scale(manifest: Manifest, trials: Sequence[Trial], pages: Mapping[str, float]) -> float:
    """Return how much longer the documents of this experiment are than those of the trials."""
    past = [trial.pages for trial in trials if trial.pages]
    now = [pages[sample] for sample in manifest.samples if sample in pages]
    return statistics.fmean(now) / statistics.fmean(past) if past and now else 1.0


def _total(trials: Sequence[Trial], metric: str, count: int, scale: float) -> float | None:
    values = [trial.values[metric] for trial in trials if metric in trial.values]
    return statistics.fmean(values) * scale * count if values else None


class _Scatter(NamedTuple):
    """How the differences of two arms scatter over samples."""

    deviation: float
    basis: str
    step: float | None = None
    """By how much a difference can change where outcomes are right or wrong; None for scores."""

    def power(self, manifest: Manifest, delta: float, units: int) -> float:
        """Return how often δ would be found; 0 where it cannot be said."""
        found = power_of(
            delta,
            self.deviation,
            units,
            alpha=manifest.alpha,
            family=max(1, len(manifest.family)),
            step=self.step,
        )
        return found or 0.0


def _contrast(manifest: Manifest, plan: ContrastPlan, earlier: Sequence[Ledger]) -> ContrastProjection:
    scatter = _past_scatter(manifest, plan, earlier) or _Scatter(ASSUMED_DEVIATION, "assumed; run a pilot")
    if manifest.stop_rule == "sequence":
        scatter = scatter._replace(basis=f"{scatter.basis}; if all samples are taken, a sequence finds less")
    units = len({manifest.sources.get(sample, sample) for sample in manifest.samples})
    delta = manifest.smallest_effect
    return ContrastProjection(
        treatment=plan.treatment,
        baseline=plan.baseline,
        deviation=scatter.deviation,
        basis=scatter.basis,
        detectable=detectable_difference(
            scatter.deviation,
            units,
            alpha=manifest.alpha,
            family=max(1, len(manifest.family)),
            step=scatter.step,
        ),
        power=None if delta is None or units < MINIMUM_PAIRS else scatter.power(manifest, delta, units),
        samples_needed=None if delta is None else _needed(manifest, delta, scatter),
    )


def _needed(manifest: Manifest, delta: float, scatter: _Scatter) -> int | None:
    """Return the least number of samples with 80 % power; None beyond a hundred thousand."""
    low, high = 5, 100_000
    if scatter.power(manifest, delta, high) < _POWER:
        return None
    while high - low > 1:
        middle = (low + high) // 2
        enough = scatter.power(manifest, delta, middle) >= _POWER
        low, high = (low, middle) if enough else (middle, high)
    return high


def _past_scatter(manifest: Manifest, plan: ContrastPlan, earlier: Sequence[Ledger]) -> _Scatter | None:
    """Return the scatter that these two arms' differences had in the newest experiment with both."""
    for ledger in reversed(earlier):
        past = ledger.manifest
        by_hash = {digest: name for name, digest in past.arm_hashes.items()}
        names = [by_hash.get(manifest.arm_hashes[arm]) for arm in (plan.treatment, plan.baseline)]
        if past.suite != manifest.suite or past.brain != manifest.brain or None in names:
            continue
        ours, theirs = (_values(past, ledger, str(name), manifest.primary_metric) for name in names)
        found = compare(ours, theirs)
        if found.standard_deviation is not None and found.n_pairs > 2 and found.standard_deviation > 0:
            # More repeats than were run would narrow it by an amount nobody knows: none is promised.
            basis = f"{found.n_pairs} pairs of an earlier experiment"
            return _Scatter(found.standard_deviation, basis, found.step)
    return None


def _values(past: Manifest, ledger: Ledger, arm: str, metric: str) -> Repeats:
    trials = [trial for trial in from_ledger(ledger) if trial.arm == arm]
    return Tally.of(trials, samples=past.samples, repeats=past.repeats).values(metric)


def _within(manifest: Manifest, arms: Sequence[ArmProjection]) -> dict[str, bool | None]:
    totals = {
        "usd": [arm.usd for arm in arms],
        "tokens": [arm.tokens for arm in arms],
        "seconds": [arm.seconds for arm in arms],
    }
    share = 1 - float(manifest.budget.get("grading_reserve") or 0.0)
    return {
        name: None if None in values else sum(value or 0.0 for value in values) <= float(cap) * share
        for name, values in totals.items()
        if (cap := manifest.budget.get(name)) is not None
    }
