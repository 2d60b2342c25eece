"""What else the trials of an experiment say, beside the declared comparisons.

Pure. Everything here is a description or an exploration, and labelled so; claims come from the declared
family alone (`report`). Knows nothing about how it is shown.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from nightschool.experiments.contrast import EXPLORATORY, Contrast
from nightschool.experiments.design import Manifest
from nightschool.experiments.measures import Trial, is_lower_better
from nightschool.experiments.report import Report
from nightschool.experiments.statistics import (
    BestSet,
    Effect,
    FrontPlace,
    MixedEffect,
    Reliability,
    VarianceParts,
    benjamini_hochberg,
    best_set,
    effects,
    holm,
    mixed_effect,
    pass_all,
    pass_any,
    reliability,
    sample_means,
    uncertain_front,
    variance_parts,
)
from nightschool.experiments.tally import Tally

__all__ = ["Analysis", "FactorEffect", "Found", "PassingOdds", "analyse", "weigh"]

_QUANTITIES: Final = ("cost_usd", "tokens", "duration_seconds")
"""What is weighed against quality. Cost gives way to tokens where nothing costs anything."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """An exploratory comparison with its share of false finds held."""

    contrast: Contrast
    q: float | None
    """Adjusted by Benjamini and Hochberg over everything that was looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FactorEffect:
    """A main effect or an interaction, corrected over all of them."""

    effect: Effect
    p_holm: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PassingOdds:
    """How much an arm changes the odds of passing the declared tier, by a mixed model; exploratory."""

    treatment: str
    baseline: str
    effect: MixedEffect


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """All of it; what the design cannot show is empty or None."""

    exploratory: tuple[Found, ...]
    effects: tuple[FactorEffect, ...]
    quantities: tuple[str, ...]
    """What the front weighs, the primary metric first."""
    front: tuple[FrontPlace, ...]
    best: BestSet | None
    variance: Mapping[str, VarianceParts]
    """By arm, of the primary metric."""
    any_of: Mapping[str, tuple[Reliability, ...]]
    """Arm to pass@k for k from 1 on, at the declared tier."""
    all_of: Mapping[str, tuple[Reliability, ...]]
    """Arm to pass^k."""
    odds: tuple[PassingOdds, ...] = ()
    """Of the declared comparisons; those without an estimate are left out."""


def analyse(report: Report, trials: Iterable[Trial]) -> Analysis:
    """Describe and explore; empty before every trial is accounted for."""
    manifest, known = report.manifest, list(trials)
    tallies = {
        arm: Tally.of(
            [trial for trial in known if trial.arm == arm],
            samples=report.samples or manifest.samples,
            repeats=manifest.repeats,
        )
        for arm in manifest.arms
    }
    if not report.is_complete or not all(tally.counts.graded for tally in tallies.values()):
        return _nothing()
    quantities, front = weigh(manifest, tallies)
    return Analysis(
        exploratory=tuple(_explored(report.contrasts)),
        effects=tuple(_effects(manifest, tallies)),
        quantities=quantities,
        front=front,
        best=_best(manifest, tallies),
        variance=_variance(manifest, tallies),
        any_of={arm: _reliability(manifest, tally, any_of=True) for arm, tally in tallies.items()},
        all_of={arm: _reliability(manifest, tally, any_of=False) for arm, tally in tallies.items()},
        odds=tuple(_odds(manifest, tallies)),
    )


def _nothing() -> Analysis:
    return Analysis(
        exploratory=(), effects=(), quantities=(), front=(), best=None, variance={}, any_of={}, all_of={}
    )


def _odds(manifest: Manifest, tallies: Mapping[str, Tally]) -> Iterator[PassingOdds]:
    for plan in manifest.family:
        ours, theirs = (tallies[arm].passes(manifest.tier) for arm in (plan.treatment, plan.baseline))
        effect = mixed_effect(ours, theirs, level=1 - manifest.alpha)
        if effect is not None:
            yield PassingOdds(treatment=plan.treatment, baseline=plan.baseline, effect=effect)


def _explored(contrasts: Sequence[Contrast]) -> list[Found]:
    looked_at = [contrast for contrast in contrasts if contrast.role == EXPLORATORY]
    p_values = {str(i): c.comparison.p if c.comparison else None for i, c in enumerate(looked_at)}
    adjusted = benjamini_hochberg(p_values)
    return [Found(contrast=contrast, q=adjusted[str(i)]) for i, contrast in enumerate(looked_at)]


def _effects(manifest: Manifest, tallies: Mapping[str, Tally]) -> list[FactorEffect]:
    """Return the effects of the factors where the arms are all combinations of their levels."""
    varied = {name: levels for name, levels in manifest.factors.items() if len(levels) > 1}
    cells = {
        tuple(manifest.cells[arm][name] for name in varied): tally.values(manifest.primary_metric)
        for arm, tally in tallies.items()
        if arm in manifest.cells
    }
    if not varied or len(cells) < math.prod(len(levels) for levels in varied.values()):
        return []
    found = effects(
        varied,
        cells,
        level=1 - manifest.alpha,
        seed=manifest.seed % 2**32,
        sources=manifest.sources,
    )
    adjusted = holm({effect.name: effect.comparison.p for effect in found})
    return [FactorEffect(effect=effect, p_holm=adjusted[effect.name]) for effect in found]


def weigh(manifest: Manifest, tallies: Mapping[str, Tally]) -> tuple[tuple[str, ...], tuple[FrontPlace, ...]]:
    """Return what is weighed against each other, the primary metric first, and each arm's place on the front.

    Both are empty where there is one arm, nothing but quality varies, or no sample has all of it.
    """
    table = {
        quantity: {arm: sample_means(tally.values(quantity)) for arm, tally in tallies.items()}
        for quantity in (manifest.primary_metric, *_QUANTITIES)
    }
    weighed = [name for name, arms in table.items() if all(arms.values()) and _varies(arms)]
    if "cost_usd" in weighed and "tokens" in weighed:
        weighed.remove("tokens")
    if manifest.primary_metric not in weighed or len(weighed) < 2 or len(tallies) < 2:
        return (), ()
    arms = {arm: [table[quantity][arm] for quantity in weighed] for arm in tallies}
    if not set.intersection(*[set(values) for lists in arms.values() for values in lists]):
        return (), ()
    better = [not is_lower_better(quantity, manifest.lower_is_better) for quantity in weighed]
    return tuple(weighed), tuple(uncertain_front(arms, better, seed=manifest.seed % 2**32))


def _varies(arms: Mapping[str, Mapping[str, float]]) -> bool:
    return len({value for samples in arms.values() for value in samples.values()}) > 1


def _best(manifest: Manifest, tallies: Mapping[str, Tally]) -> BestSet | None:
    if len(tallies) < 2:
        return None
    metric = manifest.primary_metric
    return best_set(
        {arm: tally.values(metric) for arm, tally in tallies.items()},
        higher_is_better=not is_lower_better(metric, manifest.lower_is_better),
        alpha=manifest.alpha,
        seed=manifest.seed % 2**32,
    )


def _variance(manifest: Manifest, tallies: Mapping[str, Tally]) -> dict[str, VarianceParts]:
    values = {arm: tally.values(manifest.primary_metric) for arm, tally in tallies.items()}
    return {
        arm: variance_parts({sample: {e: [v] for e, v in runs.items()} for sample, runs in table.items()})
        for arm, table in values.items()
        if table
    }


def _reliability(manifest: Manifest, tally: Tally, *, any_of: bool) -> tuple[Reliability, ...]:
    outcomes, of = tally.passes(manifest.tier), pass_any if any_of else pass_all
    found = (
        reliability(outcomes, k, of, level=1 - manifest.alpha, seed=manifest.seed % 2**32)
        for k in range(1, manifest.repeats + 1)
    )
    return tuple(each for each in found if each is not None)
