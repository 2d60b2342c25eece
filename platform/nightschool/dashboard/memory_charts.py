"""The charts of the page *Dreaming*: how sure a memory became, gain beside harm, learning curves.

Pure: numbers in, plotly figures out. Knows nothing about where the numbers come from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import plotly.graph_objects as go

from nightschool.dashboard.charts import Estimate, framed, plain_label
from nightschool.dashboard.memories import Step, Told
from nightschool.dashboard.palette import ACCENT, MUTED
from nightschool.dashboard.wording import short_id

__all__ = ["CurvePoint", "Flip", "confidence_chart", "curve_chart", "flip_chart", "versions_chart"]

_PASSED: Final = "#009E73"
_FAILED: Final = "#D55E00"
_APART: Final = 0.16
"""How far gain and harm of one arm lie apart."""
_SURE: Final[Mapping[str, Any]] = {"title": "sure (lower bound, 0–1)", "range": [-0.02, 1.02]}


@dataclass(frozen=True, slots=True, kw_only=True)
class Flip:
    """How often memory turned a result over, one way or the other."""

    arm: str
    way: str
    """gained or harmed."""
    estimate: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class CurvePoint:
    """Success after so many sessions were learnt from, in one order."""

    order: int
    sessions: int
    success: float


def confidence_chart(steps: Sequence[Step]) -> go.Figure:
    """Return how sure a memory became, session by session."""
    figure = go.Figure()
    figure.add_trace(
        go.Scatter(
            x=[step.number for step in steps],
            y=[step.confidence for step in steps],
            mode="lines",
            line={"color": ACCENT, "width": 2},
            showlegend=False,
            hoverinfo="skip",
        )
    )
    for name, colour, symbol, passed in (
        ("passed", _PASSED, "circle", True),
        ("failed", _FAILED, "x", False),
    ):
        own = [step for step in steps if step.evidence.passed is passed]
        if own:
            figure.add_trace(_sessions(own, name, colour, symbol))
    framed(figure, rows=5, simulated=False, legend=True)
    figure.update_xaxes(title="sessions counted", rangemode="tozero", tickformat=",d")
    figure.update_yaxes(**_SURE)
    return figure


def _sessions(steps: Sequence[Step], name: str, colour: str, symbol: str) -> go.Scatter:
    return go.Scatter(
        x=[step.number for step in steps],
        y=[step.confidence for step in steps],
        mode="markers",
        name=name,
        marker={"color": colour, "symbol": symbol, "size": 9},
        customdata=[plain_label(short_id(step.evidence.session_id)) for step in steps],
        hovertemplate=f"%{{customdata}} {name}<br>sure %{{y:.2f}} after %{{x}} sessions<extra></extra>",
    )


def versions_chart(told: Sequence[Told]) -> go.Figure:
    """Return how sure each version of the store was of a memory, over time."""
    figure = go.Figure()
    figure.add_trace(
        go.Scatter(
            x=[each.at for each in told],
            y=[each.confidence for each in told],
            mode="lines+markers",
            line={"color": ACCENT, "width": 2, "shape": "hv"},
            marker={"color": ACCENT, "size": 9},
            customdata=[[plain_label(each.state), each.sessions] for each in told],
            hovertemplate="%{x|%Y-%m-%d %H:%M}<br>sure %{y:.2f}, %{customdata[0]},"
            " %{customdata[1]} sessions<extra></extra>",
        )
    )
    framed(figure, rows=5, simulated=False)
    figure.update_xaxes(title="written (UTC)")
    figure.update_yaxes(**_SURE)
    return figure


def flip_chart(flips: Sequence[Flip], *, simulated: bool) -> go.Figure:
    """Return gain and harm of each arm beside one another, with their intervals."""
    figure = go.Figure()
    arms = list(dict.fromkeys(flip.arm for flip in flips))
    for way, colour, symbol, shift in (
        ("gained", _PASSED, "circle", -_APART / 2),
        ("harmed", _FAILED, "x", _APART / 2),
    ):
        own = [flip for flip in flips if flip.way == way]
        places = [arms.index(flip.arm) + shift for flip in own]
        figure.add_trace(_flips(own, places, name=way, colour=colour, symbol=symbol))
    framed(figure, rows=len(arms), simulated=simulated, legend=True)
    figure.update_xaxes(title="share of contracts turned over", range=[-0.02, 1.02], tickformat=".0%")
    figure.update_yaxes(
        tickvals=list(range(len(arms))),
        ticktext=[plain_label(arm) for arm in arms],
        range=[len(arms) - 0.4, -0.6],
        showgrid=False,
        zeroline=False,
    )
    return figure


def _flips(
    own: Sequence[Flip], places: Sequence[float], *, name: str, colour: str, symbol: str
) -> go.Scatter:
    values = [flip.estimate.value for flip in own]
    highs = [_end(flip.estimate.high, flip.estimate.value) for flip in own]
    lows = [_end(flip.estimate.low, flip.estimate.value) for flip in own]
    return go.Scatter(
        x=values,
        y=places,
        mode="markers",
        name=name,
        marker={"color": colour, "symbol": symbol, "size": 10},
        error_x={
            "type": "data",
            "symmetric": False,
            "array": [high - value for high, value in zip(highs, values, strict=True)],
            "arrayminus": [value - low for low, value in zip(lows, values, strict=True)],
            "color": colour,
            "thickness": 2,
            "width": 0,
        },
        customdata=[
            [plain_label(flip.arm), low, high, flip.estimate.n]
            for flip, low, high in zip(own, lows, highs, strict=True)
        ],
        hovertemplate=f"<b>%{{customdata[0]}}</b> {name} %{{x:.0%}} [%{{customdata[1]:.0%}},"
        " %{customdata[2]:.0%}]<br>n = %{customdata[3]}<extra></extra>",
    )


def _end(end: float | None, value: float) -> float:
    return value if end is None else end


def curve_chart(points: Sequence[CurvePoint], *, without: float, simulated: bool) -> go.Figure:
    """Return success over sessions learnt from: each order thin, their mean strong.

    Args:
        points: one for each order and share of the sessions.
        without: success without memory.
        simulated: whether to say that the results were drawn.
    """
    figure = go.Figure()
    orders = list(dict.fromkeys(point.order for point in points))
    for order in orders:
        own = [point for point in points if point.order == order]
        figure.add_trace(
            go.Scatter(
                x=[point.sessions for point in own],
                y=[point.success for point in own],
                mode="lines",
                line={"color": MUTED, "width": 1},
                name="one order",
                legendgroup="orders",
                showlegend=order == orders[0],
                hovertemplate=f"order {order + 1}<br>%{{y:.0%}} after %{{x}} sessions<extra></extra>",
            )
        )
    figure.add_trace(_mean(points, len(orders)))
    framed(figure, rows=6, simulated=simulated, legend=True)
    figure.add_hline(y=without, line={"color": MUTED, "width": 1.5, "dash": "dot"})
    figure.update_xaxes(title="sessions learnt from", rangemode="tozero", tickformat=",d")
    figure.update_yaxes(title="contracts that pass", range=[-0.02, 1.05], tickformat=".0%")
    return figure


def _mean(points: Sequence[CurvePoint], orders: int) -> go.Scatter:
    places = sorted({point.sessions for point in points})
    by_place = [[point.success for point in points if point.sessions == place] for place in places]
    return go.Scatter(
        x=places,
        y=[sum(each) / len(each) for each in by_place],
        mode="lines+markers",
        line={"color": ACCENT, "width": 2.5},
        marker={"color": ACCENT, "size": 9},
        name=f"mean of {orders} orders",
        hovertemplate="%{y:.0%} on average after %{x} sessions<extra></extra>",
    )
