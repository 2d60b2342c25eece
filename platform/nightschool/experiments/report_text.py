"""A report as words: the rows of its tables and the sentence of each comparison.

Knows nothing about terminals, colours or widths: whoever shows it lays the cells out.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

from nightschool.experiments.contrast import Contrast
from nightschool.experiments.report import TIERS, ArmReport, Estimate, LengthBin, Report
from nightschool.experiments.statistics import Interval
from nightschool.experiments.tally import Bounds

__all__ = [
    "Table",
    "arm_table",
    "contrast_line",
    "counts_table",
    "length_table",
    "memory_lines",
    "noise_lines",
]

_COLUMNS: Final = (
    ("accuracy", "accuracy"),
    ("completeness", "complete"),
    ("recall", "recall"),
    ("false_flags", "false flags"),
    ("tokens", "tokens"),
    ("duration_seconds", "time/doc"),
)
"""Metric and heading; a column is left out where no arm has the metric."""

_NOTHING: Final = "–"


class Table(NamedTuple):
    """Headings and rows of cells, the first cell of a row being its name."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def arm_table(report: Report) -> Table:
    """Return one row per arm: what it found, missed and consumed, and how often it passed each tier."""
    present = [column for column in _COLUMNS if any(column[0] in arm.metrics for arm in report.arms)]
    headings = ("arm", *(heading for _, heading in present), *(tier.title() for tier in TIERS))
    return Table(headings, tuple(_arm_row(arm, [metric for metric, _ in present]) for arm in report.arms))


def counts_table(report: Report) -> Table:
    """Return how each arm's trials are accounted for."""
    rows = (
        (arm.arm, str(c.expected), str(c.recorded), str(c.errored), str(c.graded))
        for arm in report.arms
        for c in (arm.counts,)
    )
    return Table(("arm", "expected", "recorded", "errored", "graded"), tuple(rows))


def length_table(report: Report) -> Table:
    """Return the primary metric by length of document: a row per group, a column per arm."""
    arms = report.manifest.arms
    rows = (
        (_pages(length), str(length.samples), *(_cell(length.estimates[arm]) for arm in arms))
        for length in report.lengths
    )
    return Table((f"{_words(report.manifest.primary_metric)} by pages", "docs", *arms), tuple(rows))


def contrast_line(contrast: Contrast) -> str:
    """Return the comparison as one sentence, with everything its verdict rests on."""
    head = f"{contrast.treatment} − {contrast.baseline}, {_words(contrast.metric)}: "
    found = contrast.comparison
    if found is None or found.difference is None:
        return f"{head}{contrast.verdict} ({contrast.note or 'no sample has both'})"
    parts = [
        f"{_signed(found.difference, contrast.metric)} {_ends(found.interval, contrast.metric)}".rstrip()
    ]
    parts.append(f"paired over {found.n_pairs} documents")
    if contrast.p_holm is not None:
        parts.append(f"Holm p {_p(contrast.p_holm)}")
    if contrast.detectable is not None:
        parts.append(f"detectable {_number(contrast.detectable, contrast.metric)}")
    note = f" ({contrast.note})" if contrast.note else ""
    return f"{head}{', '.join(parts)}; verdict: {contrast.verdict}{note}"


def noise_lines(report: Report) -> list[str]:
    """Return a line per arm: how many of its verdicts another grading might turn over.

    One line for all where code decides every score, and none where the grader's scatter is not known.
    """
    noise = report.noise
    if noise is None:
        return []
    if not any(noise.sd.values()):
        return ["grader: every score is decided by code, so the same answer is graded the same again"]
    scatter = f"grader SD {_range(noise.sd.values())}"
    gradings = f", {noise.joined_by} of {noise.repeats} gradings" if noise.repeats > 1 else ""
    return [
        f"{arm.arm}: inside the noise band are {_inside(arm)} of the verdicts ({scatter}{gradings})"
        for arm in report.arms
        if arm.steadiness
    ]


def memory_lines(report: Report) -> list[str]:
    """Return a line per arm with memory: the store and version it recalled from."""
    return [
        f"{arm} recalls from {frozen.store}, version {frozen.version} ({frozen.sha256[:12]}),"
        f" {frozen.memories} memories" + ("" if frozen.top_k is None else f", at most {frozen.top_k} a task")
        for arm, frozen in report.manifest.memories.items()
    ]


def _inside(arm: ArmReport) -> str:
    shares = (f"{each.share_inside:.0%} ({tier.title()})" for tier, each in arm.steadiness.items())
    return ", ".join(shares)


def _range(values: Collection[float]) -> str:
    low, high = min(values), max(values)
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"


def _arm_row(arm: ArmReport, metrics: Sequence[str]) -> tuple[str, ...]:
    cells = [_cell(arm.metrics[metric]) if metric in arm.metrics else _NOTHING for metric in metrics]
    return (arm.arm, *cells, *(_percent(arm.tiers[tier]) for tier in TIERS))


def _cell(estimate: Estimate) -> str:
    if estimate.mean is None:
        return _open(estimate.bounds, estimate.metric)
    return f"{_number(estimate.mean, estimate.metric)} {_ends(estimate.interval, estimate.metric)}".rstrip()


def _percent(rate: Estimate) -> str:
    if rate.mean is None:
        return _NOTHING if rate.bounds is None else f"{rate.bounds.low:.0%}–{rate.bounds.high:.0%} possible"
    ends = "" if rate.interval is None else f" [{rate.interval.low:.0%}, {rate.interval.high:.0%}]"
    return f"{rate.mean:.0%}{ends}"


def _open(bounds: Bounds | None, metric: str) -> str:
    if bounds is None:
        return _NOTHING
    return f"{_number(bounds.low, metric)}–{_number(bounds.high, metric)} possible"


def _ends(interval: Interval | None, metric: str) -> str:
    if interval is None:
        return ""
    low, high = (_number(end, metric).removesuffix(" s") for end in (interval.low, interval.high))
    return f"[{low}, {high}]"


def _number(value: float, metric: str) -> str:
    return _plain(value, metric).replace("-", "−")


def _plain(value: float, metric: str) -> str:
    if metric == "tokens":
        return _thousands(value) if abs(value) >= 1000 else f"{value:.0f}"
    if metric == "duration_seconds":
        return f"{value:.2f} s" if abs(value) < 10 else f"{value:.0f} s"
    return f"{value:.4f}" if metric == "cost_usd" else f"{value:.2f}"


def _thousands(value: float) -> str:
    return f"{value / 1000:.0f}k" if abs(value) >= 100_000 else f"{value / 1000:.1f}k"


def _signed(value: float, metric: str) -> str:
    return _number(value, metric) if value < 0 else f"+{_number(value, metric)}"


def _p(value: float) -> str:
    return "< 0.001" if value < 0.001 else f"= {value:.3f}"


def _words(metric: str) -> str:
    return metric.replace("_", " ")


def _pages(length: LengthBin) -> str:
    low, high = round(length.shortest), round(length.longest)
    return str(low) if low == high else f"{low}–{high}"
