"""The charts of a comparison: means with intervals, paired differences, quality against cost, by length.

Pure: estimates in, plotly figures out. Knows nothing about where the numbers come from. Text and grid take
the colours of the page's theme; only what stands for an arm brings its own.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import plotly.graph_objects as go

from nightschool.dashboard.palette import MUTED, WARNING, ArmStyle
from nightschool.dashboard.wording import plural, signed

__all__ = [
    "Axis",
    "Band",
    "Difference",
    "Estimate",
    "TradeOff",
    "counted",
    "difference_chart",
    "framed",
    "interval_chart",
    "length_chart",
    "plain_label",
    "rests_on",
    "trade_off_chart",
    "whiskers",
]

_ROW_PIXELS: Final = 46
_FRAME_PIXELS: Final = 92
_SIMULATED: Final = "simulated"
_SIMULATED_FONT: Final[Mapping[str, Any]] = {"color": WARNING, "size": 13}
_NAMES: Final[Mapping[str, Any]] = {
    "autorange": "reversed",
    "showgrid": False,
    "title": None,
    "tickfont": {"size": 13},
    "ticklabelstandoff": 8,
}
"""An axis that carries names, the first at the top."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """What is measured along an axis and how its numbers are written."""

    title: str
    format: str = ".2f"
    """A d3 format for ticks and hover."""
    suffix: str = ""
    from_zero: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A mean and its interval; without an interval only the mean is drawn."""

    value: float
    low: float | None = None
    high: float | None = None
    n: int = 0
    """Documents it rests on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Treatment minus baseline, and what may be claimed about it."""

    treatment: str
    baseline: str
    estimate: Estimate
    verdict: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TradeOff:
    """An arm's place between what it costs and how good it is."""

    arm: str
    cost: Estimate
    quality: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Band:
    """One arm on the documents of one range of lengths."""

    arm: str
    label: str
    estimate: Estimate


def rests_on(numbers: Iterable[int], noun: str) -> str:
    """Return what a plot's numbers rest on: `n = 8 documents`, `n = 6–8 documents`."""
    counts = sorted(set(numbers)) or [0]
    least, most = counts[0], counts[-1]
    return f"n = {plural(most, noun)}" if least == most else f"n = {least}–{plural(most, noun)}"


def counted(axis: Axis, estimates: Iterable[Estimate], noun: str = "document") -> Axis:
    """Return the axis with what its numbers rest on in its title."""
    return replace(axis, title=f"{axis.title} · {rests_on((each.n for each in estimates), noun)}")


def interval_chart(
    means: Mapping[str, Estimate], styles: Mapping[str, ArmStyle], axis: Axis, *, simulated: bool
) -> go.Figure:
    """Return each arm's mean with its interval, one row an arm."""
    figure = go.Figure()
    for arm, mean in means.items():
        figure.add_trace(_point(arm, styles[arm], mean, axis))
    framed(figure, rows=len(means), simulated=simulated)
    _value_axis(figure.layout.xaxis, axis)
    figure.update_yaxes(**_NAMES)
    return figure


def difference_chart(
    differences: Sequence[Difference], styles: Mapping[str, ArmStyle], axis: Axis, *, simulated: bool
) -> go.Figure:
    """Return the paired differences with the line of no difference."""
    figure = go.Figure()
    for each in differences:
        sides = f"{plain_label(each.treatment)} − {plain_label(each.baseline)}"
        label = f"{sides}<br><b>{plain_label(each.verdict)}</b>"
        style = styles[each.treatment]
        figure.add_trace(_point(label, style, each.estimate, axis, hover=each.treatment))
    framed(figure, rows=len(differences) * 1.25, simulated=simulated)
    _value_axis(figure.layout.xaxis, axis)
    figure.add_vline(x=0, line={"color": MUTED, "width": 1.5})
    figure.update_xaxes(
        title=f"difference in {axis.title}", rangemode="normal", range=_around_zero(differences)
    )
    figure.update_yaxes(**_NAMES)
    return figure


def trade_off_chart(
    points: Sequence[TradeOff],
    styles: Mapping[str, ArmStyle],
    quality: Axis,
    cost: Axis,
    *,
    simulated: bool,
) -> go.Figure:
    """Return quality against cost: up and to the left is better."""
    figure = go.Figure()
    for point in points:
        style = styles[point.arm]
        figure.add_trace(
            go.Scatter(
                x=[point.cost.value],
                y=[point.quality.value],
                error_x=whiskers([point.cost], style),
                error_y=whiskers([point.quality], style),
                mode="markers",
                name=plain_label(point.arm),
                marker={"color": style.colour, "symbol": style.symbol, "size": 12},
                hovertemplate=f"<b>{plain_label(point.arm)}</b><br>%{{x:{cost.format}}}{cost.suffix}"
                f" · %{{y:{quality.format}}}{quality.suffix}<extra></extra>",
            )
        )
    framed(figure, rows=6, simulated=simulated, legend=True)
    _value_axis(figure.layout.xaxis, cost)
    _value_axis(figure.layout.yaxis, quality)
    figure.update_xaxes(rangemode="tozero")
    return figure


def length_chart(
    bands: Sequence[Band], styles: Mapping[str, ArmStyle], axis: Axis, *, simulated: bool
) -> go.Figure:
    """Return one line an arm over ranges of document length, in the order of the bands."""
    figure = go.Figure()
    labels = list(dict.fromkeys(band.label for band in bands))
    arms = list(dict.fromkeys(band.arm for band in bands))
    for number, arm in enumerate(arms):
        own = {band.label: band.estimate for band in bands if band.arm == arm}
        shift = (
            number - (len(arms) - 1) / 2
        ) * 0.07  # side by side, so that intervals do not cover one another
        figure.add_trace(_line(arm, own, labels, shift, styles[arm], axis))
    framed(figure, rows=6, simulated=simulated, legend=True)
    _value_axis(figure.layout.yaxis, axis)
    figure.update_xaxes(
        tickvals=list(range(len(labels))),
        ticktext=[_counted_label(label, bands) for label in labels],
        showgrid=False,
        title="document length",
        range=[-0.5, len(labels) - 0.5],
    )
    return figure


def _counted_label(label: str, bands: Sequence[Band]) -> str:
    behind = (band.estimate.n for band in bands if band.label == label)
    return f"{plain_label(label)}<br>{rests_on(behind, 'document')}"


def _around_zero(differences: Sequence[Difference]) -> list[float] | None:
    """Return a range that shows every interval and zero, with room on both sides."""
    ends = [
        end
        for each in differences
        for end in (each.estimate.low, each.estimate.high, each.estimate.value)
        if end is not None
    ]
    low, high = min([0.0, *ends]), max([0.0, *ends])
    room = 0.07 * (high - low)
    return [low - room, high + room] if room else None


def _line(
    arm: str, own: Mapping[str, Estimate], labels: Sequence[str], shift: float, style: ArmStyle, axis: Axis
) -> go.Scatter:
    places = [place for place, label in enumerate(labels) if label in own]
    estimates = [own[labels[place]] for place in places]
    return go.Scatter(
        x=[place + shift for place in places],
        y=[estimate.value for estimate in estimates],
        customdata=[f"{labels[place]} · n = {own[labels[place]].n}" for place in places],
        error_y=whiskers(estimates, style, thickness=1.5),
        mode="lines+markers",
        name=plain_label(arm),
        line={"color": style.colour, "width": 2},
        marker={"color": style.colour, "symbol": style.symbol, "size": 9},
        hovertemplate=f"<b>{plain_label(arm)}</b> · %{{customdata}}"
        f"<br>%{{y:{axis.format}}}{axis.suffix}<extra></extra>",
    )


def _point(
    label: str, style: ArmStyle, estimate: Estimate, axis: Axis, *, hover: str | None = None
) -> go.Scatter:
    span = (
        ""
        if estimate.low is None or estimate.high is None
        else f" [{_plain(estimate.low, axis)}, {_plain(estimate.high, axis)}]"
    )
    name = plain_label(hover or label)
    return go.Scatter(
        x=[estimate.value],
        y=[label if hover else plain_label(label)],
        error_x=whiskers([estimate], style),
        mode="markers",
        marker={"color": style.colour, "symbol": style.symbol, "size": 12},
        name=name,
        hovertemplate=f"<b>{name}</b><br>%{{x:{axis.format}}}{axis.suffix}{span}"
        f"<br>n = {estimate.n}<extra></extra>",
    )


def _plain(value: float, axis: Axis) -> str:
    return signed(value, 2).removeprefix("+") if axis.format.endswith("f") else f"{value:,.0f}"


def _span(estimate: Estimate) -> tuple[float, float]:
    if estimate.low is None or estimate.high is None:
        return 0.0, 0.0
    return estimate.high - estimate.value, estimate.value - estimate.low


def whiskers(estimates: Sequence[Estimate], style: ArmStyle, *, thickness: float = 2.5) -> dict[str, Any]:
    """Return the intervals of estimates as plotly's error bars; none where there is no interval."""
    spans = [_span(estimate) for estimate in estimates]
    return {
        "type": "data",
        "symmetric": False,
        "array": [up for up, _ in spans],
        "arrayminus": [down for _, down in spans],
        "color": style.colour,
        "thickness": thickness,
        "width": 0,
    }


def plain_label(text: str) -> str:
    """Plotly reads a little HTML in its labels: names are kept from being read so."""
    return html.escape(text, quote=False)


def _value_axis(target: Any, axis: Axis) -> None:
    target.update(
        title=axis.title, tickformat=axis.format, ticksuffix=axis.suffix, zeroline=False, automargin=True
    )
    if axis.from_zero:
        target.update(rangemode="tozero")


def framed(
    figure: go.Figure, *, rows: float, simulated: bool, legend: bool = False, labelled: bool = False
) -> None:
    """Give a figure the look that all share: as high as its rows need, simulated ones marked.

    Args:
        figure: the figure.
        rows: how many rows of marks it has.
        simulated: whether its numbers were drawn from a declared distribution.
        legend: whether arms are told apart by a legend.
        labelled: whether lines have labels above the plot, which the legend must leave room for.
    """
    above = 1.1 if labelled else 1.02
    top = 44 if labelled else 34 if legend or simulated else 12
    figure.update_layout(
        height=int(_FRAME_PIXELS + _ROW_PIXELS * max(rows, 2)),
        margin={"l": 8, "r": 18, "t": top, "b": 8},
        showlegend=legend,
        legend={
            "orientation": "h",
            "x": 0,
            "y": above,
            "yanchor": "bottom",
            "title": _legend_title(simulated=simulated),
        },
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        hoverlabel={"align": "left"},
        dragmode=False,
    )
    figure.update_xaxes(automargin=True, fixedrange=True)
    figure.update_yaxes(automargin=True, fixedrange=True)
    if simulated and not legend:
        figure.add_annotation(
            text=_SIMULATED,
            xref="paper",
            yref="paper",
            x=1,
            y=above,
            xanchor="right",
            yanchor="bottom",
            showarrow=False,
            font=_SIMULATED_FONT,
        )


def _legend_title(*, simulated: bool) -> dict[str, Any] | None:
    """Simulated numbers are marked in the legend where there is one: beside it, a narrow page has no room."""
    return {"text": f"{_SIMULATED} ", "font": _SIMULATED_FONT} if simulated else None
