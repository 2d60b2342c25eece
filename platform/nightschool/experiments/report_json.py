"""A report as JSON, for other programs. The fields are a promise: some may be added, none is renamed.

Knows nothing about how the numbers came about.
"""

from __future__ import annotations

from typing import Any, Final

from nightschool.experiments.contrast import Contrast
from nightschool.experiments.design import manifest_hash
from nightschool.experiments.report import ArmReport, Estimate, LengthBin, Report
from nightschool.experiments.statistics import Interval
from nightschool.experiments.steadiness import Steadiness
from nightschool.experiments.tally import Bounds

__all__ = ["SCHEMA", "to_json"]

SCHEMA: Final = "nightschool.compare/1"


def to_json(report: Report) -> dict[str, Any]:
    """Return the report as plain JSON values; what is not known is null, never zero."""
    manifest = report.manifest
    return {
        "schema": SCHEMA,
        "experiment_id": report.experiment_id,
        "manifest_hash": manifest_hash(manifest),
        "suite": manifest.suite,
        "brain": manifest.brain,
        "simulated": report.is_simulated,
        "complete": report.is_complete,
        "samples": len(manifest.samples),
        "repeats": manifest.repeats,
        "primary_metric": manifest.primary_metric,
        "alpha": manifest.alpha,
        "smallest_effect": manifest.smallest_effect,
        "arms": [_arm(arm, manifest.primary_metric) for arm in report.arms],
        "contrasts": [_contrast(contrast) for contrast in report.contrasts],
        "memories": {arm: frozen.model_dump() for arm, frozen in manifest.memories.items()},
        "gameable_by": list(manifest.gameable_by),
        "grader": _grader(report),
        "by_length": [_length(length) for length in report.lengths],
        "notes": list(report.notes),
    }


def _arm(arm: ArmReport, primary: str) -> dict[str, Any]:
    counts = arm.counts
    empty = {"n": 0, "trials": 0, "mean": None, "interval": None, "interval_method": None, "bounds": None}
    return {
        "arm": arm.arm,
        **(_estimate(arm.metrics[primary]) if primary in arm.metrics else empty),
        "expected": counts.expected,
        "recorded": counts.recorded,
        "errored": counts.errored,
        "graded": counts.graded,
        "missing": counts.missing,
        "errors": dict(counts.errors),
        "metrics": {metric: _estimate(estimate) for metric, estimate in arm.metrics.items()},
        "tiers": {tier: _estimate(rate) for tier, rate in arm.tiers.items()},
        "sweeps": {tier: [[at.threshold, at.share] for at in curve] for tier, curve in arm.sweeps.items()},
        "noise": {tier: _steadiness(each) for tier, each in arm.steadiness.items()} or None,
    }


def _grader(report: Report) -> dict[str, Any] | None:
    noise = report.noise
    if noise is None:
        return None
    return {"sd": dict(noise.sd), "repeats": noise.repeats, "joined_by": noise.joined_by}


def _steadiness(steadiness: Steadiness) -> dict[str, Any]:
    return {
        "verdicts": steadiness.verdicts,
        "inside": steadiness.inside,
        "share_inside": steadiness.share_inside,
        "mean_margin": steadiness.mean_margin,
        "mean_flip_probability": steadiness.mean_flip_probability,
    }


def _estimate(estimate: Estimate) -> dict[str, Any]:
    return {
        "n": estimate.n,
        "trials": estimate.trials,
        "mean": estimate.mean,
        "interval": _pair(estimate.interval),
        "interval_method": estimate.interval.method if estimate.interval else None,
        "bounds": _pair(estimate.bounds),
    }


def _contrast(contrast: Contrast) -> dict[str, Any]:
    found = contrast.comparison
    interval = None if found is None else found.interval
    return {
        "treatment": contrast.treatment,
        "baseline": contrast.baseline,
        "metric": contrast.metric,
        "role": contrast.role,
        "difference": found.difference if found else None,
        "interval": _pair(interval),
        "interval_method": interval.method if interval else None,
        "p": found.p if found else None,
        "p_method": (found.p_method or None) if found else None,
        "p_holm": contrast.p_holm,
        "p_equivalence": contrast.p_equivalence,
        "sources": found.n_sources if found else 0,
        "verdict": str(contrast.verdict),
        "n_pairs": found.n_pairs if found else 0,
        "unpaired": list(found.missing) if found else [],
        "wins": found.wins if found else None,
        "losses": found.losses if found else None,
        "ties": found.ties if found else None,
        "mde": contrast.detectable,
        "bounds": _pair(contrast.bounds),
        "note": contrast.note,
    }


def _length(length: LengthBin) -> dict[str, Any]:
    return {
        "pages": [length.shortest, length.longest],
        "samples": length.samples,
        "arms": {arm: _estimate(estimate) for arm, estimate in length.estimates.items()},
        "contrasts": [_contrast(contrast) for contrast in length.contrasts],
    }


def _pair(ends: Interval | Bounds | None) -> list[float] | None:
    return None if ends is None else [ends.low, ends.high]
