"""Comparisons that share an error rate, judged together.

Pure. Knows nothing about reports: it is told which comparisons form a family.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from nightschool.experiments.design import ContrastPlan, Manifest
from nightschool.experiments.measures import is_lower_better
from nightschool.experiments.statistics import (
    Comparison,
    Verdict,
    anytime_interval,
    anytime_p,
    compare,
    detectable_difference,
    equivalence_p,
    holm,
    judge,
    source_means,
)
from nightschool.experiments.tally import Bounds, Tally, difference_bounds

__all__ = ["CONFIRMATORY", "EXPLORATORY", "Contrast", "Member", "judge_family"]

CONFIRMATORY: Final = "confirmatory"
"""Declared before the first trial, on the primary metric."""
EXPLORATORY: Final = "exploratory"
"""Everything else that is looked at: a reason to run another experiment, not a finding."""

_SEEDS: Final = 2**32


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A comparison to be made: two sides' trials and the metric."""

    plan: ContrastPlan
    metric: str
    treatment: Tally
    baseline: Tally


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast:
    """One comparison, corrected for its family."""

    treatment: str
    baseline: str
    metric: str
    role: str
    comparison: Comparison | None
    """None while one of the two arms is incomplete."""
    p_holm: float | None
    verdict: Verdict
    detectable: float | None
    """The true difference that this design finds with 80 % power, given the spread it met."""
    bounds: Bounds | None
    """Range of the difference over what the trials without a result could have been."""
    note: str
    p_equivalence: float | None = None
    """Of "they differ by δ or more", corrected for the family; None where no δ was declared."""


def judge_family(manifest: Manifest, family: Sequence[Member], role: str) -> list[Contrast]:
    """Compare every member and correct for there being so many of them."""
    compared = [_compare(manifest, member, len(family)) for member in family]
    p_values = {str(index): None if found is None else found.p for index, found in enumerate(compared)}
    adjusted = list(holm(p_values).values())
    same = [
        _equivalence(manifest, each.metric, found, len(family))
        for each, found in zip(family, compared, strict=True)
    ]
    all_same = list(holm({str(index): p for index, p in enumerate(same)}).values())
    return [
        _contrast(manifest, member, found, _Corrected(p_holm, p_same, len(family)), role)
        for member, found, p_holm, p_same in zip(family, compared, adjusted, all_same, strict=True)
    ]


class _Corrected(NamedTuple):
    """The p values of a member, corrected for its family."""

    difference: float | None
    equivalence: float | None
    family: int
    """How many comparisons it was corrected for."""


def _equivalence(manifest: Manifest, metric: str, found: Comparison | None, family: int) -> float | None:
    """Return the p value against equivalence; δ is declared for the primary metric alone."""
    delta = manifest.smallest_effect
    if found is None or found.p is None or delta is None or metric != manifest.primary_metric:
        return None
    if found.p_method == "sequence":
        return _equivalence_at_every_look(manifest, found, delta, 1 - manifest.alpha / family)
    return equivalence_p(
        list(found.differences.values()),
        delta,
        standard_error=found.standard_error,
        degrees_of_freedom=found.degrees_of_freedom,
    )


def _compare(manifest: Manifest, member: Member, family: int) -> Comparison | None:
    if not (member.treatment.counts.reconcile and member.baseline.counts.reconcile):
        return None
    found = compare(
        member.treatment.values(member.metric),
        member.baseline.values(member.metric),
        level=1 - manifest.alpha,
        seed=manifest.seed % _SEEDS,
        sources=manifest.sources,
    )
    if manifest.stop_rule == "sequence" and member.metric == manifest.primary_metric:
        return _at_every_look(manifest, found, 1 - manifest.alpha / family)
    return found


def _at_every_look(manifest: Manifest, found: Comparison, level: float) -> Comparison:
    """Return the comparison with interval and p that hold however often they were looked at on the way."""
    values, expected = source_means(found.differences, manifest.sources), len(manifest.samples)
    return replace(
        found,
        interval=anytime_interval(values, level=level, expected=expected),
        p=None if found.p is None else anytime_p(values, level=level, expected=expected),
        p_method="sequence",
        hangs_on=None,
        note="",
    )


def _equivalence_at_every_look(
    manifest: Manifest, found: Comparison, delta: float, level: float
) -> float | None:
    values, expected = source_means(found.differences, manifest.sources), len(manifest.samples)
    if not -delta < sum(values) / len(values) < delta:
        return 1.0
    return max(
        anytime_p([sign * value + delta for value in values], level=level, expected=expected)
        for sign in (1, -1)
    )


def _contrast(
    manifest: Manifest,
    member: Member,
    comparison: Comparison | None,
    p: _Corrected,
    role: str,
) -> Contrast:
    bounds = difference_bounds(member.treatment, member.baseline, member.metric)
    verdict, note = _verdict(manifest, member.metric, comparison, p, bounds)
    return Contrast(
        treatment=member.plan.treatment,
        baseline=member.plan.baseline,
        metric=member.metric,
        role=role,
        comparison=comparison,
        p_holm=p.difference,
        p_equivalence=p.equivalence,
        verdict=verdict,
        detectable=None if comparison is None else _detectable(comparison, manifest.alpha, p.family),
        bounds=bounds,
        note=note,
    )


def _detectable(comparison: Comparison, alpha: float, family: int) -> float | None:
    """Return what the design finds, counting sources rather than samples where samples share them."""
    if comparison.p_method == "sequence":
        return None  # what a fixed number of samples finds says nothing of one that ends when it may
    count, is_shared = comparison.n_sources, comparison.n_sources < comparison.n_pairs
    return detectable_difference(
        (comparison.standard_error or 0.0) * math.sqrt(count),
        count,
        alpha=alpha,
        family=family,
        step=None if is_shared else comparison.step,
    )


def _verdict(
    manifest: Manifest,
    metric: str,
    comparison: Comparison | None,
    p: _Corrected,
    bounds: Bounds | None,
) -> tuple[Verdict, str]:
    if comparison is None:
        return Verdict.UNDECIDED, "not compared before every trial of both arms is recorded"
    higher_is_better = not is_lower_better(metric, manifest.lower_is_better)
    verdict = judge(comparison, p.difference, higher_is_better=higher_is_better, alpha=manifest.alpha)
    if verdict is not Verdict.UNDECIDED and bounds is not None and bounds.low <= 0 <= bounds.high:
        return Verdict.UNDECIDED, "the trials that errored could turn the difference round"
    if verdict is Verdict.UNDECIDED and p.equivalence is not None and p.equivalence <= manifest.alpha:
        delta = manifest.smallest_effect or 0.0
        if bounds is None or max(abs(bounds.low), abs(bounds.high)) < delta:
            return Verdict.EQUIVALENT, f"a difference of {delta:g} or more is ruled out"
    return verdict, comparison.note
