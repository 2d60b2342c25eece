"""The parts of an experiment's page, in the order in which a reader asks for them.

Knows nothing about files or about where the numbers come from.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Final

from nightschool.experiments.analysis import Analysis
from nightschool.experiments.contrast import Contrast
from nightschool.experiments.design import manifest_hash
from nightschool.experiments.integrity import Threat
from nightschool.experiments.page.figures import Mark, Spot, intervals_figure, scatter_figure
from nightschool.experiments.page.markup import Markup, columns, element, section
from nightschool.experiments.report import Report
from nightschool.experiments.report_text import Table, arm_table, contrast_line, counts_table, length_table
from nightschool.experiments.statistics import Interval, Reliability, Verdict

__all__ = [
    "accounted",
    "design",
    "exploration",
    "reliability_part",
    "reproduction",
    "result",
    "threats_part",
    "trade_off",
]

_LARGEST_LOG_RATIO: Final = math.log(1_000)
_LOOKED_FOR: Final = (
    "Looked for without being asked: trials missing, duplicated, undeclared or errored, errors on one"
    " side, peeking, earlier attempts, too few or unpaired samples, ceiling and floor, the grader's noise,"
    " shortcuts that pass, simulated numbers, and the truth within an agent's sight"
)
_TONES: Final = {Verdict.BETTER: "good", Verdict.WORSE: "bad"}


def result(report: Report, analysis: Analysis) -> Markup:
    """Return the declared comparisons: verdicts, differences, arms."""
    metric = _words(report.manifest.primary_metric)
    marks = [
        Mark(
            label=f"{c.treatment} − {c.baseline}",
            value=c.comparison.difference,
            low=c.comparison.interval.low,
            high=c.comparison.interval.high,
            tone=_TONES.get(c.verdict, "plain"),
        )
        for c in report.confirmatory
        if c.comparison and c.comparison.interval and c.comparison.difference is not None
    ]
    parts: list[object] = [element("div", *map(_verdict, report.confirmatory), class_="verdicts")]
    if marks:
        delta = report.manifest.smallest_effect
        band = f"; the band is ±{delta:g}, which does not matter" if delta else ""
        parts.append(
            intervals_figure(
                marks,
                title=f"Differences of {metric} with their intervals",
                axis=f"difference of {metric}, paired by sample{band}",
                show=lambda value: f"{value:+.3f}",
                zero=True,
                band=delta,
            )
        )
    if analysis.best is not None and analysis.best.arms:
        parts.append(element("p", _best(report, analysis)))
    parts += [element("h3", "Arms"), _rows(arm_table(report))]
    if report.lengths:
        parts += [element("h3", "By length (exploratory)"), _rows(length_table(report))]
    return section("Result", *parts)


def _best(report: Report, analysis: Analysis) -> str:
    best = analysis.best
    assert best is not None  # noqa: S101  # the caller asked
    level = f"{1 - report.manifest.alpha:.0%}"
    beaten = "; ".join(f"{arm} is beaten by {rival}" for arm, rival in best.excluded.items())
    tail = f" ({beaten})" if beaten else ""
    return f"The best arm is among: {', '.join(best.arms)}, with {level} confidence{tail}."


def _verdict(contrast: Contrast) -> Markup:
    head = f"{contrast.treatment} against {contrast.baseline}"
    return element(
        "div",
        element("span", head, class_="soft"),
        element("strong", str(contrast.verdict)),
        element("p", contrast_line(contrast), class_="small"),
        class_=f"verdict {_TONES.get(contrast.verdict, '')}".strip(),
    )


def accounted(report: Report) -> Markup:
    """Return how the trials are accounted for."""
    trials = sum(arm.counts.graded for arm in report.arms)
    pairs = [c.comparison for c in report.confirmatory if c.comparison is not None]
    units = max((found.n_sources or found.n_pairs for found in pairs), default=0)
    manifest = report.manifest
    kind = "sources" if manifest.sources else "samples"
    sentence = (
        f"{trials} graded trials are {units} independent observations: {kind} are the unit,"
        " repeats are averaged inside them."
    )
    return section("Effective number", element("p", sentence), _rows(counts_table(report)))


def design(report: Report) -> Markup:
    """Return what was declared before the first trial."""
    m = report.manifest
    family = "; ".join(f"{plan.treatment} against {plan.baseline}" for plan in m.family)
    detectable = [f"{c.detectable:.3f}" for c in report.confirmatory if c.detectable is not None]
    rows: list[tuple[object, object]] = [
        ("suite", f"{m.suite} ({m.suite_hash[:12]})"),
        ("arms", ", ".join(m.arms)),
        ("samples × repeats", f"{len(m.samples)} × {m.repeats}, {m.expected} trials in all"),
        ("order", f"random, blocked by sample and repeat, seed {m.seed}"),
        ("brain", m.brain),
        ("primary metric", f"{m.primary_metric}, tier {m.tier} ({m.tier_use})"),
        ("declared family", f"{family or 'none'}; Holm, α {m.alpha:g}"),
        ("smallest effect that matters", f"{m.smallest_effect:g}" if m.smallest_effect else "not declared"),
        ("detectable at 80 % power", ", ".join(detectable) or "not known yet"),
        ("stop rule", m.stop_rule or "fixed"),
        *[(f"factor {name}", ", ".join(levels)) for name, levels in m.factors.items()],
        *[(f"limit {name}", str(value)) for name, value in m.limits.items()],
        *[(f"budget {name}", str(value)) for name, value in m.budget.items()],
    ]
    return section("Design", _pairs(rows))


def trade_off(analysis: Analysis) -> Markup:
    """Return quality, cost and time together."""
    if not analysis.front:
        return Markup()
    names = [_words(quantity) for quantity in analysis.quantities]
    spots = [
        Spot(
            label=place.arm,
            x=place.means[1],
            y=place.means[0],
            tone="good" if place.on_front_probability >= 0.5 else "faint",
        )
        for place in analysis.front
    ]
    rows = [
        (
            place.arm,
            *[_number(value) for value in place.means],
            f"{place.on_front_probability:.0%}",
            ", ".join(f"{arm} {p:.0%}" for arm, p in place.dominated_by.items() if p >= 0.005) or "–",
        )
        for place in analysis.front
    ]
    figure = scatter_figure(
        spots,
        title=f"{names[0]} against {names[1]}",
        axes=(f"{names[1]} per trial", names[0]),
        show=(_number, _number),
    )
    note = (
        "An arm is on the front when no other is at least as good in everything and better in something; the"
        " share is over samples drawn anew. Circles: on the front in fewer than half of the draws."
    )
    table = columns(("arm", *names, "on the front", "dominated by"), rows)
    return section("Quality, cost and time", figure, table, element("p", note, class_="small"))


def reliability_part(report: Report, analysis: Analysis) -> Markup:
    """Return how steadily arms succeed, and where the scatter comes from."""
    parts: list[object] = []
    if report.manifest.repeats > 1 and analysis.all_of:
        rows = [
            (arm, *_cells(analysis.any_of[arm]), *_cells(analysis.all_of[arm]))
            for arm in report.manifest.arms
        ]
        ks = range(1, report.manifest.repeats + 1)
        head = ("arm", *[f"pass@{k}" for k in ks], *[f"pass^{k}" for k in ks])
        words = (
            f"Passing means tier {report.manifest.tier}. pass@k: one of k attempts passes; pass^k: all do."
        )
        parts += [element("p", words), columns(head, rows)]
    shares = [
        (
            arm,
            *[f"{parts_.shares.get(name, 0):.0%}" for name in ("task", "run")],
            f"{parts_.of_mean(samples=parts_.samples, repeats=report.manifest.repeats) ** 0.5:.4f}",
        )
        for arm, parts_ in analysis.variance.items()
        if parts_.run is not None and parts_.shares
    ]
    if shares:
        words = f"Where the scatter of {_words(report.manifest.primary_metric)} comes from"
        parts += [
            element("h3", words),
            columns(("arm", "between samples", "between runs", "error of the mean"), shares),
        ]
    return section("Reliability", *parts) if parts else Markup()


def exploration(report: Report, analysis: Analysis) -> Markup:
    """Return what was not declared: factors' effects and every other metric."""
    parts: list[object] = []
    if analysis.effects:
        rows = [
            (
                each.effect.name,
                *_compared(each.effect.comparison.difference, each.effect.comparison.interval),
                _p(each.p_holm),
            )
            for each in analysis.effects
        ]
        head = ("effect", "difference", "interval", "Holm p")
        parts += [element("h3", f"Factors, on {_words(report.manifest.primary_metric)}"), columns(head, rows)]
    if analysis.exploratory:
        looked = [
            (
                f"{c.treatment} − {c.baseline}",
                _words(c.metric),
                *_compared(c.comparison.difference, c.comparison.interval),
                _p(each.q),
            )
            for each in analysis.exploratory
            if (c := each.contrast).comparison is not None
        ]
        words = (
            "A reason for another experiment, not a finding. q is corrected by Benjamini and Hochberg over"
            " all rows: of those at or below 0.05, about one in twenty is expected to be nothing."
        )
        parts += [
            element("h3", "Other metrics"),
            element("p", words, class_="small"),
            columns(("comparison", "metric", "difference", "interval", "q"), looked),
        ]
    parts += _odds(report, analysis)
    return section("Exploratory", *parts) if parts else Markup()


def _ratio(log_ratio: float) -> str:
    """Return a ratio from its logarithm; what no number of trials could tell apart is not spelt out."""
    if abs(log_ratio) > _LARGEST_LOG_RATIO:
        return "over 1,000" if log_ratio > 0 else "under 0.001"
    return f"{math.exp(log_ratio):.3g}"


def _odds(report: Report, analysis: Analysis) -> list[object]:
    rows = [
        (
            f"{each.treatment} − {each.baseline}",
            _ratio(each.effect.log_odds_ratio),
            f"{_ratio(each.effect.interval.low)} to {_ratio(each.effect.interval.high)}",
            _p(each.effect.p),
            f"{each.effect.sample_deviation:.2f}",
        )
        for each in analysis.odds
    ]
    words = (
        "How many times the odds of passing on one and the same sample: a logistic mixed model with a random"
        " level for each sample, its deviation in log odds. Beside the declared comparison, not in its place;"
        " p is not corrected for the number of rows."
    )
    head = ("comparison", "odds ratio", "interval", "p", "samples' deviation")
    if not rows:
        return []
    return [
        element("h3", f"Odds of passing {report.manifest.tier}"),
        element("p", words, class_="small"),
        columns(head, rows),
    ]


def threats_part(report: Report, found: Sequence[Threat], searched: int) -> Markup:
    """Return what speaks against believing any of it."""
    items = [
        element(
            "li", element("strong", str(threat.weakness)), f": {threat.text}", class_=str(threat.severity)
        )
        for threat in found
    ]
    looked = f"{_LOOKED_FOR} (in {searched} trials)."
    notes = [element("li", note, class_="warning") for note in report.notes if not _is_threat(note, found)]
    listed = (
        element("ul", *items, *notes, class_="threats") if items or notes else element("p", "None found.")
    )
    return section("Threats to validity", listed, element("p", looked, class_="small"))


def _is_threat(note: str, found: Sequence[Threat]) -> bool:
    return note.split(":", 1)[0] in {str(threat.weakness) for threat in found}


def reproduction(report: Report, commands: Iterable[str]) -> Markup:
    """Return how to get the same numbers again."""
    m = report.manifest
    rows = [
        ("experiment", report.experiment_id),
        ("declared", m.declared_at.strftime("%Y-%m-%d %H:%M UTC")),
        ("manifest", manifest_hash(m)),
        ("suite", m.suite_hash),
        *[(f"arm {arm}", digest) for arm, digest in m.arm_hashes.items()],
        *[
            (f"memory of {arm}", f"{frozen.store}, version {frozen.version}, {frozen.sha256}")
            for arm, frozen in m.memories.items()
        ],
        ("code", f"nightschool {m.code_version}"),
    ]
    return section("How to reproduce", element("pre", "\n".join(commands)), _pairs(rows))


def _pairs(rows: Iterable[tuple[object, object]]) -> Markup:
    body = [
        element("tr", element("th", name, scope="row"), element("td", element("code", value), class_="words"))
        for name, value in rows
    ]
    return element("div", element("table", element("tbody", *body)), class_="wide")


def _rows(table: Table) -> Markup:
    return columns(table.columns, table.rows)


def _cells(found: Sequence[Reliability]) -> list[str]:
    return [f"{each.mean:.0%} {_ends(each.interval, '{:.0%}')}".rstrip() for each in found]


def _compared(difference: float | None, interval: Interval | None) -> tuple[str, str]:
    return ("–" if difference is None else _signed(difference), _ends(interval, "{:+.3g}") or "–")


def _ends(interval: Interval | None, form: str) -> str:
    return "" if interval is None else f"[{form.format(interval.low)}, {form.format(interval.high)}]"


def _signed(value: float) -> str:
    return f"{value:+.3g}" if abs(value) < 1000 else f"{value:+,.0f}"


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def _p(value: float | None) -> str:
    return "–" if value is None else "< 0.001" if value < 0.001 else f"{value:.3f}"


def _words(metric: str) -> str:
    return metric.replace("_", " ")
