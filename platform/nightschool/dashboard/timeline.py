"""A trial as a timeline: one bar for each session, from its start to its last event, model calls as ticks.

Pure: rows in, a plotly figure out. Knows nothing about where rows come from.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import plotly.graph_objects as go

from nightschool.dashboard.palette import WARNING, role_colour
from nightschool.dashboard.wording import seconds, thousands

__all__ = ["MOST_BARS", "MOST_TICKS", "Bar", "timeline_chart"]

MOST_BARS: Final = 80
MOST_TICKS: Final = 4_000
_ROW_PIXELS: Final = 26
_FRAME_PIXELS: Final = 84
_LONGEST_LABEL: Final = 30
_TICK: Final = "rgba(255, 255, 255, 0.75)"
"""On a bar of any role, on light and on dark."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One session of a trial."""

    session_id: str
    label: str
    role: str
    started_at: datetime
    ended_at: datetime
    total_tokens: int = 0
    tool_calls: int = 0
    model_calls: tuple[datetime, ...] = ()
    """When each answer was complete."""


def timeline_chart(bars: Sequence[Bar], *, simulated: bool = False) -> go.Figure:
    """Return the chart of the first `MOST_BARS` sessions, in the order given.

    Clicking a bar or a tick gives the session's id as the point's ``customdata``.
    """
    shown = bars[:MOST_BARS]
    origin = min((bar.started_at for bar in shown), default=None)
    figure = go.Figure()
    if origin is not None:
        for role in dict.fromkeys(bar.role for bar in shown):
            figure.add_trace(
                _bars(role, [(n, bar) for n, bar in enumerate(shown) if bar.role == role], origin)
            )
        figure.add_trace(_ticks(shown, origin))
    _frame(figure, shown, simulated=simulated)
    return figure


def _label(bar: Bar) -> str:
    text = bar.label if len(bar.label) <= _LONGEST_LABEL else bar.label[: _LONGEST_LABEL - 1] + "…"
    return html.escape(text, quote=False)


def _bars(role: str, numbered: Sequence[tuple[int, Bar]], origin: datetime) -> go.Bar:
    spans = [(bar.ended_at - bar.started_at).total_seconds() for _, bar in numbered]
    return go.Bar(
        orientation="h",
        y=[number for number, _ in numbered],
        base=[(bar.started_at - origin).total_seconds() for _, bar in numbered],
        x=spans,
        name=html.escape(role or "session", quote=False),
        marker={"color": role_colour(role), "opacity": 0.78, "line": {"width": 0}},
        width=0.62,
        customdata=[
            [
                bar.session_id,
                html.escape(bar.label, quote=False),
                seconds(span),
                thousands(bar.total_tokens),
                bar.tool_calls,
            ]
            for (_, bar), span in zip(numbered, spans, strict=True)
        ],
        hovertemplate="<b>%{customdata[1]}</b><br>%{customdata[2]} · %{customdata[3]} tokens"
        " · %{customdata[4]} tool calls<extra></extra>",
    )


def _ticks(bars: Sequence[Bar], origin: datetime) -> go.Scatter:
    points = [(number, bar, at) for number, bar in enumerate(bars) for at in bar.model_calls][:MOST_TICKS]
    return go.Scatter(
        x=[(at - origin).total_seconds() for _, _, at in points],
        y=[number for number, _, _ in points],
        customdata=[[bar.session_id] for _, bar, _ in points],
        mode="markers",
        name="model call",
        showlegend=False,
        marker={"symbol": "line-ns", "size": 10, "line": {"width": 1, "color": _TICK}},
        hovertemplate="model call answered at %{x:.3f} s<extra></extra>",
    )


def _frame(figure: go.Figure, bars: Sequence[Bar], *, simulated: bool) -> None:
    figure.update_layout(
        height=_FRAME_PIXELS + _ROW_PIXELS * max(len(bars), 2),
        margin={"l": 8, "r": 18, "t": 34, "b": 8},
        barmode="overlay",
        legend={"orientation": "h", "x": 0, "y": 1, "yanchor": "bottom", "title": None},
        showlegend=True,
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        hoverlabel={"align": "left"},
        dragmode=False,
    )
    figure.update_xaxes(
        title="seconds since the start",
        zeroline=False,
        automargin=True,
        fixedrange=True,
    )
    figure.update_yaxes(
        tickvals=list(range(len(bars))),
        ticktext=[_label(bar) for bar in bars],
        autorange="reversed",
        showgrid=False,
        zeroline=False,
        automargin=True,
        fixedrange=True,
        title=None,
        ticklabelstandoff=8,
    )
    if simulated:
        figure.add_annotation(
            text="simulated", xref="paper", yref="paper", x=1, y=1.0, xanchor="right", yanchor="bottom",
            showarrow=False, font={"color": WARNING, "size": 13},
        )  # fmt: skip
