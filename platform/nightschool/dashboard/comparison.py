"""A report as the page shows it: verdicts in words, the arms' table, and the points of the charts.

Pure. The numbers are the report's own, the same that the command line prints; nothing is computed here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from nightschool.dashboard.charts import Band, Difference, TradeOff
from nightschool.dashboard.charts import Estimate as Point
from nightschool.dashboard.markup import Cell, Column, data_table, escaped
from nightschool.dashboard.metrics import in_order, metric_named
from nightschool.dashboard.palette import ArmStyle
from nightschool.dashboard.wording import p_value, percent, plural
from nightschool.experiments.contrast import Contrast
from nightschool.experiments.report import TIERS, ArmReport, Estimate, Report
from nightschool.experiments.statistics import Verdict

__all__ = [
    "arms_table",
    "bands",
    "counts_table",
    "differences",
    "has_means",
    "means",
    "metrics_of",
    "trade_offs",
    "verdicts",
]

_TABLE_METRICS: Final = ("accuracy", "recall", "false_flags", "tokens", "duration_seconds")
"""Shown in the arms' table beside the primary metric, where there are any."""

_CLASSES: Final[Mapping[Verdict, str]] = {
    Verdict.BETTER: "is-better",
    Verdict.WORSE: "is-worse",
    Verdict.UNDECIDED: "is-undecided",
    Verdict.EQUIVALENT: "is-undecided",
}


def metrics_of(report: Report) -> list[str]:
    """Return the metrics that were measured, the primary one first."""
    return in_order(
        (name for arm in report.arms for name in arm.metrics), first=report.manifest.primary_metric
    )


def has_means(report: Report) -> bool:
    """Return whether any arm is accounted for, so that it has means."""
    return any(found.mean is not None for arm in report.arms for found in arm.metrics.values())


def verdicts(contrasts: Iterable[Contrast]) -> str:
    """Return what may be claimed, a card for each comparison."""
    cards = "".join(_card(contrast) for contrast in contrasts)
    return f'<div class="ns-verdicts">{cards}</div>' if cards else ""


def _card(contrast: Contrast) -> str:
    lines = "".join(f"<p>{escaped(line)}</p>" for line in _evidence(contrast))
    kind = _CLASSES[contrast.verdict]
    return f'<div class="ns-verdict {kind}"><b>{escaped(_claim(contrast))}</b>{lines}</div>'


def _claim(contrast: Contrast) -> str:
    if contrast.comparison is None:
        return f"{contrast.treatment} against {contrast.baseline}: not yet"
    if contrast.verdict is Verdict.UNDECIDED:
        return f"{contrast.treatment} and {contrast.baseline} cannot be told apart"
    return f"{contrast.treatment} is {contrast.verdict} than {contrast.baseline}"


def _evidence(contrast: Contrast) -> list[str]:
    found, metric = contrast.comparison, metric_named(contrast.metric)
    lines = []
    if found is not None:
        interval = found.interval
        span = (
            ""
            if interval is None
            else f" [{metric.difference(interval.low)}, {metric.difference(interval.high)}]"
        )
        adjusted = "" if contrast.p_holm is None else f" · Holm {p_value(contrast.p_holm)}"
        lines.append(f"{metric.label} {metric.difference(found.difference)}{span}{adjusted}")
        lines.append(
            f"paired over {plural(found.n_pairs, 'document')}:"
            f" {found.wins} higher, {found.losses} lower, {found.ties} equal"
        )
        if contrast.verdict is Verdict.UNDECIDED and contrast.detectable is not None:
            unsigned = metric.difference(contrast.detectable).removeprefix("+")
            lines.append(f"a true difference of {unsigned} would be found with 80 % power")
    return [*lines, contrast.note] if contrast.note else lines


def arms_table(report: Report, styles: Mapping[str, ArmStyle]) -> str:
    """Return the table of the arms: means with intervals beneath, pass rates at each tier."""
    measured = set(metrics_of(report))
    primary = report.manifest.primary_metric
    shown = [primary, *(name for name in _TABLE_METRICS if name in measured and name != primary)]
    columns = [Column(name="Arm", numeric=False), Column(name="Graded", unit="of expected")]
    columns += [Column(name=metric_named(name).label, unit=metric_named(name).unit) for name in shown]
    columns += [Column(name=tier.capitalize(), unit="passed") for tier in TIERS]
    rows = [_arm_row(arm, shown, styles) for arm in report.arms]
    return data_table(columns, rows, caption="Arms: means over documents with their intervals")


def _arm_row(arm: ArmReport, shown: Sequence[str], styles: Mapping[str, ArmStyle]) -> list[Cell]:
    counts = arm.counts
    graded = Cell(
        text=f"{counts.graded} / {counts.expected}",
        note=f"{counts.errored} errored" if counts.errored else "",
        tone="warn" if counts.errored else "",
    )
    cells = [Cell(text=arm.arm, colour=styles[arm.arm].colour), graded]
    for name in shown:
        written = metric_named(name).written
        found = arm.metrics.get(name)
        cells.append(Cell(text=written(found.mean if found else None), note=_span(found, written)))
    cells += [
        Cell(text=percent(arm.tiers[tier].mean), note=_span(arm.tiers[tier], _bare_percent)) for tier in TIERS
    ]
    return cells


def _span(found: Estimate | None, written: object) -> str:
    if found is None or found.mean is None or found.interval is None or not callable(written):
        return ""
    return f"[{written(found.interval.low)}, {written(found.interval.high)}]"


def _bare_percent(value: float | None) -> str:
    return percent(value).removesuffix(" %")


def counts_table(report: Report) -> str:
    """Return how the trials of each arm add up, with what the errors were."""
    columns = [
        Column(name="Arm", numeric=False),
        *(Column(name=name, unit="trials") for name in ("Expected", "Ended", "Graded", "Errored", "Missing")),
    ]
    if _is_bounded(report):
        name = metric_named(report.manifest.primary_metric).label
        columns.append(Column(name=name, unit="were the others at their worst – best"))
    columns.append(Column(name="Errors", numeric=False, wraps=True))
    rows = []
    for arm in report.arms:
        counts = arm.counts
        errors = ", ".join(f"{code} × {number}" for code, number in counts.errors.items())
        numbers = [Cell(text=str(n)) for n in (counts.expected, counts.recorded, counts.graded)]
        numbers.append(Cell(text=str(counts.errored), tone="warn" if counts.errored else ""))
        numbers.append(Cell(text=str(counts.missing)))
        if _is_bounded(report):
            numbers.append(Cell(text=_bounds(arm, report.manifest.primary_metric)))
        rows.append([Cell(text=arm.arm), *numbers, Cell(text=errors)])
    return data_table(columns, rows, caption="How the trials of each arm add up")


def _is_bounded(report: Report) -> bool:
    """Whether some trial ended without a result, so that the mean might have been another."""
    primary = report.manifest.primary_metric
    return report.is_complete and any(_bounds(arm, primary) for arm in report.arms)


def _bounds(arm: ArmReport, metric: str) -> str:
    found = arm.metrics.get(metric)
    if found is None or found.bounds is None:
        return ""
    written = metric_named(metric).written
    return f"{written(found.bounds.low)} – {written(found.bounds.high)}"


def _point(found: Estimate | None) -> Point | None:
    if found is None or found.mean is None:
        return None
    interval = found.interval
    return Point(
        value=found.mean,
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        n=found.n,
    )


def means(report: Report, metric: str) -> dict[str, Point]:
    """Return each arm's mean of a metric; arms without one are left out."""
    points = {arm.arm: _point(arm.metrics.get(metric)) for arm in report.arms}
    return {arm: point for arm, point in points.items() if point is not None}


def differences(report: Report, metric: str) -> list[Difference]:
    """Return the paired differences of a metric; comparisons that could not be made are left out."""
    return [
        Difference(
            treatment=contrast.treatment,
            baseline=contrast.baseline,
            verdict=contrast.verdict.value,
            estimate=Point(
                value=contrast.comparison.difference,
                low=contrast.comparison.interval.low if contrast.comparison.interval else None,
                high=contrast.comparison.interval.high if contrast.comparison.interval else None,
                n=contrast.comparison.n_pairs,
            ),
        )
        for contrast in report.contrasts
        if contrast.metric == metric
        and contrast.comparison is not None
        and contrast.comparison.difference is not None
    ]


def trade_offs(report: Report, quality: str, cost: str) -> list[TradeOff]:
    """Return each arm's quality against what it costs."""
    qualities, costs = means(report, quality), means(report, cost)
    return [
        TradeOff(arm=arm, quality=point, cost=costs[arm]) for arm, point in qualities.items() if arm in costs
    ]


def _pages(shortest: float, longest: float) -> str:
    low, high = f"{shortest:.0f}", f"{longest:.0f}"
    return f"{low} pages" if low == high else f"{low}–{high} pages"


def bands(report: Report) -> list[Band]:
    """Return the primary metric by document length, short documents first."""
    return [
        Band(arm=arm, label=_pages(each.shortest, each.longest), estimate=point)
        for each in report.lengths
        for arm, found in each.estimates.items()
        if (point := _point(found)) is not None
    ]
