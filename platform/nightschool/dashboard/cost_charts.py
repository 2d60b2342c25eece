"""The charts of what was spent: by day, and by kind of token. Pure."""

from __future__ import annotations

from typing import Final

import plotly.graph_objects as go
import polars as pl

from nightschool.dashboard.charts import framed, plain_label
from nightschool.dashboard.palette import KIND_COLOURS, WARNING

__all__ = ["spend_chart", "token_chart"]

_TOKEN_CLASSES: Final = {
    "uncached": ("read, uncached", "#2A97A3"),
    "cache_written": ("put into the cache", "#A88200"),
    "cache_read": ("read from the cache", "#7F8896"),
    "written": ("written", "#7A6FC4"),
}


def spend_chart(days: pl.DataFrame, measure: str, unit: str) -> go.Figure:
    """Return a stacked bar for each day, a colour for each brain; simulated ones are marked.

    Args:
        days: rows with ``day``, ``brain``, ``simulated``, ``items`` and the measure.
        measure: the column to add up.
        unit: what the axis is called.
    """
    figure = go.Figure()
    for number, ((brain, simulated), rows) in enumerate(
        days.group_by("brain", "simulated", maintain_order=True)
    ):
        name = plain_label(f"{brain}") + (" (simulated)" if simulated and brain != "simulated" else "")
        figure.add_trace(
            go.Bar(
                x=[str(day) for day in rows["day"]],
                y=rows[measure].fill_null(0).to_list(),
                name=name,
                marker={"color": WARNING if simulated else KIND_COLOURS[number % len(KIND_COLOURS)]},
                customdata=rows["items"].to_list(),
                hovertemplate=f"<b>{name}</b> · %{{x}}<br>%{{y:,.4~g}} {unit}"
                "<br>n = %{customdata:,}<extra></extra>",
            )
        )
    framed(figure, rows=5, simulated=False, legend=True)
    figure.update_layout(
        barmode="stack", legend_traceorder="normal", bargap=0.4 if days["day"].n_unique() > 3 else 0.75
    )
    figure.update_xaxes(type="category", title="day (UTC)", categoryorder="category ascending")
    figure.update_yaxes(title=unit, rangemode="tozero", tickformat="~s")
    return figure


def token_chart(classes: pl.DataFrame, *, simulated: bool) -> go.Figure:
    """Return one bar an arm, split by kind of token; kinds that nobody used are left out."""
    figure = go.Figure()
    for column, (label, colour) in _TOKEN_CLASSES.items():
        values = classes[column].fill_null(0)
        if values.sum():
            figure.add_trace(
                go.Bar(
                    orientation="h",
                    y=[plain_label(arm) for arm in classes["arm"]],
                    x=values.to_list(),
                    name=label,
                    marker={"color": colour},
                    hovertemplate=f"<b>%{{y}}</b><br>%{{x:,}} tokens {label}<extra></extra>",
                )
            )
    framed(figure, rows=classes.height, simulated=simulated, legend=True)
    figure.update_layout(barmode="stack", legend_traceorder="normal")
    figure.update_xaxes(title="tokens", tickformat="~s", rangemode="tozero")
    figure.update_yaxes(autorange="reversed", showgrid=False, ticklabelstandoff=8)
    return figure
