"""What an arrangement of agents costs and brings, arm by arm: estimates, error amplification, the table.

Pure: a report and its trials in, numbers or HTML out. Knows nothing about how agents were arranged.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from nightschool.dashboard.charts import Axis, Estimate
from nightschool.dashboard.comparison import means
from nightschool.dashboard.markup import Cell, Column, data_table
from nightschool.dashboard.metrics import Metric, metric_named
from nightschool.dashboard.palette import ArmStyle
from nightschool.dashboard.wording import decimal, percent
from nightschool.experiments.design import Manifest
from nightschool.experiments.measures import Trial
from nightschool.experiments.report import Report
from nightschool.experiments.statistics import Interval, Repeats, mean_interval, ratio_of_means, sample_means

__all__ = ["ALONE", "AMPLIFICATION", "MEASURES", "amplification", "estimates", "topology_table"]

ALONE: Final = "single"
"""The arm of one agent, to which the error rates of the others are related."""

MEASURES: Final[Mapping[str, Metric]] = {
    "overhead": Metric(
        label="Overhead",
        unit="extra turns",
        axis=Axis(title="overhead (turns beyond one agent's)", format=".0%", from_zero=True),
        written=percent,
    ),
    "coordination_efficiency": Metric(
        label="Efficiency",
        unit="per relative turn",
        axis=Axis(title="accuracy per relative turn", from_zero=True),
    ),
    "redundancy": Metric(
        label="Redundancy", unit="0–1", axis=Axis(title="redundancy (0–1)", from_zero=True), written=decimal
    ),
    "message_density": Metric(
        label="Message density",
        unit="per turn",
        axis=Axis(title="messages per turn", from_zero=True),
    ),
    "span_seconds": Metric(
        label="Critical path",
        unit="s",
        axis=Axis(title="critical path (s)", format=",.1f", from_zero=True),
        written=partial(decimal, digits=1),
    ),
    "work_over_span": Metric(
        label="Work / span",
        unit="×",
        axis=Axis(title="work / span (×)", from_zero=True),
    ),
    "idle": Metric(
        label="Idle share",
        unit="of agents' time",
        axis=Axis(title="idle share of agents' time", format=".0%", from_zero=True),
        written=percent,
    ),
    "error_amplification": Metric(
        label="Final / step",
        unit="error, ×",
        axis=Axis(title="final error / step error (×)", from_zero=True),
    ),
}
"""In the order in which they are offered and stand in the table."""

AMPLIFICATION: Final = Metric(
    label="Amplification",
    unit=f"× {ALONE}'s error",
    axis=Axis(title=f"error / error of {ALONE} (×)", from_zero=True),
)

Found = Mapping[str, Mapping[str, Estimate]]
"""Measure to arm to its mean over samples; a measure or arm without one is left out."""

_LIMITS: Final = {"overhead": (-1.0, math.inf), "redundancy": (0.0, 1.0), "idle": (0.0, 1.0)}
_NOT_NEGATIVE: Final = (0.0, math.inf)


def estimates(report: Report, trials: Sequence[Trial]) -> dict[str, dict[str, Estimate]]:
    """Return every measure's mean and interval in each arm that is complete."""
    found = {name: means(report, name) for name in MEASURES}
    found["work_over_span"] = _work_over_span(report, trials)
    return {
        name: {arm: _within(each, _LIMITS.get(name, _NOT_NEGATIVE)) for arm, each in by_arm.items()}
        for name, by_arm in found.items()
        if by_arm
    }


def _within(found: Estimate, limits: tuple[float, float]) -> Estimate:
    """Cut off what cannot be: Student's interval of a share may reach below 0."""
    if found.low is None or found.high is None:
        return found
    return replace(found, low=max(limits[0], found.low), high=min(limits[1], found.high))


def _work_over_span(report: Report, trials: Sequence[Trial]) -> dict[str, Estimate]:
    """Return how many agents a plan keeps busy at most, on average over its course."""
    found = {}
    for arm in (each.arm for each in report.arms if each.counts.reconcile):
        repeats: dict[str, dict[int, float]] = {}
        for trial in trials:
            span = trial.values.get("span_seconds")
            if trial.arm == arm and span:
                ratio = trial.values.get("work_seconds", 0.0) / span
                repeats.setdefault(trial.sample_id, {})[trial.epoch] = ratio
        if repeats:
            found[arm] = _mean(repeats, report.manifest)
    return found


def _mean(repeats: Repeats, manifest: Manifest) -> Estimate:
    values = list(sample_means(repeats).values())
    interval = mean_interval(values, level=1 - manifest.alpha, seed=manifest.seed % 2**32)
    return _estimate(sum(values) / len(values), interval, len(values))


def _estimate(value: float, interval: Interval | None, n: int) -> Estimate:
    low, high = (None, None) if interval is None else (interval.low, interval.high)
    return Estimate(value=value, low=low, high=high, n=n)


def amplification(report: Report, trials: Iterable[Trial]) -> dict[str, Estimate]:
    """Return each arm's error rate over that of the arm `single` on the same samples and repeats.

    A_e of "Towards a Science of Scaling Agent Systems" (arXiv 2512.08296). The interval is a bootstrap over
    samples. Empty where there is no arm `single`, where it is not complete, or where it made no error.
    """
    manifest, errors = report.manifest, _errors(trials)
    complete = [each.arm for each in report.arms if each.counts.reconcile]
    if ALONE not in complete:
        return {}
    alone, found = errors.get(ALONE, {}), {}
    for arm in complete:
        own = errors.get(arm, {})
        shared = own.keys() & alone.keys()
        ratio = ratio_of_means(
            _by_sample(own, shared),
            _by_sample(alone, shared),
            level=1 - manifest.alpha,
            seed=manifest.seed % 2**32,
        )
        if arm != ALONE and ratio is not None:
            found[arm] = _estimate(ratio.value, ratio.interval, ratio.n)
    return found


Place = tuple[str, int]
"""Sample and repeat."""


def _errors(trials: Iterable[Trial]) -> dict[str, dict[Place, float]]:
    errors: dict[str, dict[Place, float]] = {}
    for trial in trials:
        accuracy = trial.values.get("accuracy")
        error = trial.values.get("error", None if accuracy is None else 1 - accuracy)
        if error is not None:
            errors.setdefault(trial.arm, {})[trial.sample_id, trial.epoch] = error
    return errors


def _by_sample(errors: Mapping[Place, float], shared: Iterable[Place]) -> dict[str, float]:
    repeats: dict[str, dict[int, float]] = {}
    for sample, epoch in shared:
        repeats.setdefault(sample, {})[epoch] = errors[sample, epoch]
    return sample_means(repeats)


def topology_table(
    report: Report, found: Found, amplified: Mapping[str, Estimate], styles: Mapping[str, ArmStyle]
) -> str:
    """Return the table of the arms: the primary metric, what coordination cost, and what became of errors."""
    primary = report.manifest.primary_metric
    columns: list[tuple[Metric, Mapping[str, Estimate]]] = [(metric_named(primary), means(report, primary))]
    if amplified:
        columns.append((AMPLIFICATION, amplified))
    columns += [(metric, found[name]) for name, metric in MEASURES.items() if name in found]
    heads = [Column(name="Arm", numeric=False)]
    heads += [Column(name=metric.label, unit=metric.unit) for metric, _ in columns]
    rows = [
        [
            Cell(text=arm, colour=styles[arm].colour),
            *(_cell(metric, by_arm.get(arm)) for metric, by_arm in columns),
        ]
        for arm in (each.arm for each in report.arms)
    ]
    return data_table(heads, rows, caption="Topologies: means over samples with their intervals")


def _cell(metric: Metric, found: Estimate | None) -> Cell:
    if found is None:
        return Cell(text=metric.written(None))
    if found.low is None or found.high is None:
        return Cell(text=metric.written(found.value))
    note = f"[{metric.written(found.low)}, {metric.written(found.high)}]"
    return Cell(text=metric.written(found.value), note=note)
