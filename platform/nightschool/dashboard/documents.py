"""Where a difference lies: document by document, and how the verdicts move with a tier's threshold.

Pure: differences and sweeps in, plotly figures out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import plotly.graph_objects as go

from nightschool.dashboard.charts import Axis, framed, plain_label, rests_on
from nightschool.dashboard.palette import MUTED, WARNING, ArmStyle
from nightschool.outcomes.tiers import PassRate

__all__ = [
    "DocumentDifference",
    "document_chart",
    "document_differences",
    "tier_chart",
]

_IMPROVED: Final = "#009E73"
_REGRESSED: Final = "#D55E00"
_MOST_DRAWN: Final = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentDifference:
    """One document: how much higher one side's metric is, repeats averaged."""

    document: str
    difference: float
    is_improvement: bool
    """Higher where higher is better, lower where lower is; no difference is none."""
    is_regression: bool


def document_differences(
    per_document: Mapping[str, float], *, higher_is_better: bool
) -> list[DocumentDifference]:
    """Return the documents, the worst regression first."""
    sign = 1 if higher_is_better else -1
    return [
        DocumentDifference(
            document=document,
            difference=value,
            is_improvement=value * sign > 0,
            is_regression=value * sign < 0,
        )
        for document, value in sorted(per_document.items(), key=lambda item: (item[1] * sign, item[0]))
    ]


def document_chart(found: Sequence[DocumentDifference], axis: Axis, *, simulated: bool) -> go.Figure:
    """Return a dot a document against the line of no difference; past 120 the middle is left out.

    A dot's ``customdata`` is its document's place among those found.
    """
    half = _MOST_DRAWN // 2
    drawn = found if len(found) <= _MOST_DRAWN else [*found[:half], *found[-half:]]
    figure = go.Figure()
    places = {each.document: place for place, each in enumerate(found)}
    for name, colour, symbol, own in (
        ("regression", _REGRESSED, "triangle-down", [each for each in drawn if each.is_regression]),
        (
            "no difference",
            MUTED,
            "circle",
            [e for e in drawn if not e.is_regression and not e.is_improvement],
        ),
        ("improvement", _IMPROVED, "triangle-up", [each for each in drawn if each.is_improvement]),
    ):
        if own:
            figure.add_trace(_dots(name, colour, symbol, own, places, axis))
    framed(figure, rows=max(4, len(drawn) * 0.36), simulated=simulated, legend=True)
    figure.add_vline(x=0, line={"color": MUTED, "width": 1.5})
    told = f"difference in {axis.title} · {rests_on([len(found)], 'document')}"
    # One digit more than the values have: small differences would else share their ticks' labels.
    figure.update_xaxes(title=told, tickformat=axis.format.replace(".2f", ".3~f"), zeroline=False)
    names = [plain_label(each.document) for each in drawn]
    figure.update_yaxes(
        categoryorder="array",
        categoryarray=names[::-1],
        showgrid=False,
        ticklabelstandoff=8,
        tickfont={"size": 11},
    )
    return figure


def _dots(
    name: str,
    colour: str,
    symbol: str,
    own: Sequence[DocumentDifference],
    places: Mapping[str, int],
    axis: Axis,
) -> go.Scatter:
    return go.Scatter(
        x=[each.difference for each in own],
        y=[plain_label(each.document) for each in own],
        customdata=[[places[each.document]] for each in own],
        mode="markers",
        name=f"{name} ({len(own)})",
        marker={"color": colour, "symbol": symbol, "size": 9},
        hovertemplate=f"<b>%{{y}}</b><br>%{{x:+{axis.format}}}{axis.suffix}<extra></extra>",
    )


def tier_chart(
    sweeps: Mapping[str, Sequence[PassRate]],
    styles: Mapping[str, ArmStyle],
    threshold: float,
    *,
    simulated: bool,
) -> go.Figure:
    """Return each arm's share of passing results over the tier's threshold, the threshold in force marked."""
    figure = go.Figure()
    for arm, rates in sweeps.items():
        name = plain_label(arm)
        figure.add_trace(
            go.Scatter(
                x=[rate.threshold for rate in rates],
                y=[rate.share for rate in rates],
                mode="lines",
                line={"color": styles[arm].colour, "width": 2.5, "shape": "linear"},
                name=name,
                hovertemplate=f"<b>{name}</b><br>%{{y:.0%}} pass at %{{x:.2f}}<extra></extra>",
            )
        )
    framed(figure, rows=6, simulated=simulated, legend=True)
    figure.add_vline(x=threshold, line={"color": WARNING, "width": 1.5, "dash": "dot"})
    told = rests_on((rate.results for rates in sweeps.values() for rate in rates), "result")
    figure.update_xaxes(title=f"threshold (0–1) · {told} an arm", range=[0, 1], tickformat=".1f")
    figure.update_yaxes(title="share that passes", range=[-0.02, 1.03], tickformat=".0%")
    return figure
