"""The charts of the page *Outcomes*: dimensions by arm, pass rate by threshold, verdicts, margins, errors.

Pure: numbers in, plotly figures out. Knows nothing about where the numbers come from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import plotly.graph_objects as go

from nightschool.dashboard.charts import Estimate, framed, plain_label, rests_on, whiskers
from nightschool.dashboard.palette import ACCENT, MUTED, ArmStyle

__all__ = [
    "Curve",
    "DimensionScore",
    "KindError",
    "Margin",
    "StandingCount",
    "curve_chart",
    "dimension_chart",
    "error_chart",
    "margin_chart",
    "standing_chart",
]

_SPREAD: Final = 0.14
"""How far apart the arms of one row lie."""
_STANDING_COLOURS: Final = {"pass": "#009E73", "inside the noise band": "#A88200", "fail": "#D55E00"}
_MARKS: Final[Mapping[str, Any]] = {"line": {"color": MUTED, "width": 1.5, "dash": "dot"}}


@dataclass(frozen=True, slots=True, kw_only=True)
class DimensionScore:
    """One arm's mean in one dimension."""

    arm: str
    dimension: str
    estimate: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """The share of one arm's results that pass, by threshold."""

    arm: str
    points: Sequence[tuple[float, float]]
    results: int
    """Results it rests on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingCount:
    """How many of one arm's verdicts stand so."""

    arm: str
    standing: str
    results: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Margin:
    """One result's distance from the threshold."""

    arm: str
    label: str
    margin: float
    flip_probability: float


@dataclass(frozen=True, slots=True, kw_only=True)
class KindError:
    """How far a grader is off on answers of one kind."""

    kind: str
    estimate: Estimate


def dimension_chart(
    scores: Sequence[DimensionScore], styles: Mapping[str, ArmStyle], *, simulated: bool
) -> go.Figure:
    """Return the mean of each arm in each dimension, a row a dimension."""
    figure = go.Figure()
    rows = list(dict.fromkeys(score.dimension for score in scores))
    arms = list(dict.fromkeys(score.arm for score in scores))
    for number, arm in enumerate(arms):
        shift = (number - (len(arms) - 1) / 2) * _SPREAD
        own = [score for score in scores if score.arm == arm]
        places = [rows.index(score.dimension) + shift for score in own]
        figure.add_trace(_points(arm, [score.estimate for score in own], places, styles[arm]))
    _frame(figure, rows=len(rows) * 1.1, simulated=simulated, legend=True)
    told = rests_on((score.estimate.n for score in scores), "document")
    figure.update_xaxes(title=f"score (0–1) · {told}", range=[-0.02, 1.02], tickformat=".1f")
    _named_rows(figure, [row.capitalize() for row in rows])
    return figure


def curve_chart(
    curves: Sequence[Curve],
    marks: Mapping[str, float],
    styles: Mapping[str, ArmStyle],
    *,
    asked: str,
    simulated: bool,
) -> go.Figure:
    """Return the share that passes over thresholds, a line an arm, with the tiers' own thresholds marked.

    Args:
        curves: one for each arm.
        marks: tier to its threshold.
        styles: how each arm looks.
        asked: what is held against the threshold.
        simulated: whether to say that the results were drawn.
    """
    figure = go.Figure()
    for curve in curves:
        style = styles[curve.arm]
        figure.add_trace(
            go.Scatter(
                x=[threshold for threshold, _ in curve.points],
                y=[share for _, share in curve.points],
                mode="lines",
                line={"color": style.colour, "width": 2, "shape": "vh"},
                name=plain_label(curve.arm),
                hovertemplate=f"<b>{plain_label(curve.arm)}</b><br>%{{y:.0%}} at %{{x:.2f}}<extra></extra>",
            )
        )
    for tier, threshold in marks.items():
        figure.add_vline(
            x=threshold, annotation_text=tier, annotation_position="top", annotation_font_size=12, **_MARKS
        )
    _frame(figure, rows=6, simulated=simulated, legend=True, labelled=True)
    told = rests_on((curve.results for curve in curves), "result")
    figure.update_xaxes(title=f"threshold for {asked} · {told} an arm", range=[0.3, 1.005], tickformat=".1f")
    figure.update_yaxes(title="results that pass", range=[-0.02, 1.05], tickformat=".0%")
    return figure


def standing_chart(counts: Sequence[StandingCount], *, simulated: bool) -> go.Figure:
    """Return how the verdicts of each arm stand, in three values."""
    figure = go.Figure()
    arms = list(dict.fromkeys(count.arm for count in counts))
    for standing, colour in _STANDING_COLOURS.items():
        by_arm = {count.arm: count.results for count in counts if count.standing == standing}
        figure.add_trace(
            go.Bar(
                x=[by_arm.get(arm, 0) for arm in arms],
                y=[plain_label(arm) for arm in arms],
                orientation="h",
                name=standing,
                marker={"color": colour},
                hovertemplate=f"%{{y}} · {standing}: %{{x}}<extra></extra>",
            )
        )
    _frame(figure, rows=len(arms), simulated=simulated, legend=True)
    figure.update_layout(barmode="stack")
    figure.update_xaxes(title=f"results · {rests_on([sum(each.results for each in counts)], 'result')}")
    figure.update_yaxes(autorange="reversed", showgrid=False)
    return figure


def margin_chart(margins: Sequence[Margin], styles: Mapping[str, ArmStyle], *, simulated: bool) -> go.Figure:
    """Return every result's distance from the threshold, a row an arm."""
    figure = go.Figure()
    arms = list(dict.fromkeys(each.arm for each in margins))
    for row, arm in enumerate(arms):
        own = [each for each in margins if each.arm == arm]
        figure.add_trace(
            go.Scatter(
                x=[each.margin for each in own],
                y=[row] * len(own),
                mode="markers",
                marker={
                    "color": styles[arm].colour,
                    "symbol": styles[arm].symbol,
                    "size": 9,
                    "opacity": [0.35 + 0.65 * min(1.0, 2 * each.flip_probability) for each in own],
                },
                customdata=[[plain_label(each.label), each.flip_probability] for each in own],
                hovertemplate="%{customdata[0]}<br>%{x:+.3f}, turned over by a fresh grading with "
                "%{customdata[1]:.0%}<extra></extra>",
                showlegend=False,
            )
        )
    _frame(figure, rows=len(arms), simulated=simulated)
    figure.add_vline(x=0, line={"color": MUTED, "width": 1.5})
    told = rests_on([len(margins)], "result")
    figure.update_xaxes(title=f"margin to the threshold · {told}", tickformat="+.2f")
    _named_rows(figure, arms)
    return figure


def error_chart(errors: Sequence[KindError], *, simulated: bool) -> go.Figure:
    """Return how far a grader is off, a row for each kind of answer."""
    figure = go.Figure()
    style = ArmStyle(colour=ACCENT, symbol="circle")
    places = [float(row) for row in range(len(errors))]
    figure.add_trace(_points("error", [each.estimate for each in errors], places, style))
    _frame(figure, rows=len(errors), simulated=simulated)
    figure.add_vline(x=0, line={"color": MUTED, "width": 1.5})
    told = rests_on((each.estimate.n for each in errors), "answer")
    figure.update_xaxes(title=f"mean of score minus label · {told}", tickformat="+.2f")
    _named_rows(figure, [each.kind for each in errors])
    return figure


def _points(name: str, estimates: Sequence[Estimate], places: Sequence[float], style: ArmStyle) -> go.Scatter:
    highs = [each.value if each.high is None else each.high for each in estimates]
    lows = [each.value if each.low is None else each.low for each in estimates]
    values = [each.value for each in estimates]
    return go.Scatter(
        x=values,
        y=places,
        error_x=whiskers(estimates, style, thickness=2),
        mode="markers",
        marker={"color": style.colour, "symbol": style.symbol, "size": 10},
        name=plain_label(name),
        customdata=list(zip(lows, highs, [each.n for each in estimates], strict=True)),
        hovertemplate=f"<b>{plain_label(name)}</b><br>%{{x:.3f}}"
        " [%{customdata[0]:.3f}, %{customdata[1]:.3f}]<br>n = %{customdata[2]}<extra></extra>",
    )


def _named_rows(figure: go.Figure, names: Sequence[str]) -> None:
    figure.update_yaxes(
        tickvals=list(range(len(names))),
        ticktext=[plain_label(name) for name in names],
        range=[len(names) - 0.4, -0.6],
        showgrid=False,
        zeroline=False,
    )


def _frame(
    figure: go.Figure, *, rows: float, simulated: bool, legend: bool = False, labelled: bool = False
) -> None:
    framed(figure, rows=rows, simulated=simulated, legend=legend, labelled=labelled)
    figure.update_layout(legend_traceorder="normal")
    figure.update_xaxes(zeroline=False)
