"""A chart of any answer: two of its columns against one another, a third by colour. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import plotly.graph_objects as go
import polars as pl
from polars import selectors

from nightschool.dashboard.charts import framed, plain_label
from nightschool.dashboard.palette import ARM_COLOURS, ArmStyle

__all__ = ["KINDS", "MOST_POINTS", "Choice", "drawable", "first_choice", "result_chart"]

KINDS: Final = ("bar", "line", "points")
MOST_POINTS: Final = 5_000
_MOST_SERIES: Final = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What to draw."""

    kind: str
    x: str
    y: str
    series: str | None = None
    """The column whose values get a colour each."""


def drawable(answer: pl.DataFrame) -> tuple[list[str], list[str]]:
    """Return the columns that can stand along the axis, and the numbers that can be drawn."""
    flat = [name for name, kind in answer.schema.items() if not kind.is_nested()]
    return flat, answer.select(selectors.numeric()).columns


def first_choice(answer: pl.DataFrame) -> Choice | None:
    """Return a chart to begin with: the first number over words or times; None without a number."""
    flat, numbers = drawable(answer)
    if not numbers or len(flat) < 2:
        return None
    words = [name for name in flat if name not in numbers]
    x = words[-1] if words else numbers[0]
    y = next(name for name in numbers if name != x)
    is_time = answer.schema[x].is_temporal()
    return Choice(kind="line" if is_time else "bar" if words else "points", x=x, y=y)


def result_chart(answer: pl.DataFrame, choice: Choice, arms: Mapping[str, ArmStyle]) -> go.Figure:
    """Return the chart of the first `MOST_POINTS` rows; arms keep the colour they have everywhere."""
    shown = answer.head(MOST_POINTS)
    figure = go.Figure()
    for number, (name, rows) in enumerate(_series(shown, choice)):
        style = arms.get(name)
        colour = style.colour if style else ARM_COLOURS[number % len(ARM_COLOURS)]
        figure.add_trace(_trace(rows, choice, plain_label(name or choice.y), colour))
    framed(figure, rows=7, simulated=False, legend=choice.series is not None)
    figure.update_layout(barmode="group")
    figure.update_xaxes(title=plain_label(choice.x))
    if shown.schema[choice.x] == pl.String:
        figure.update_xaxes(type="category")
    figure.update_yaxes(title=plain_label(choice.y))
    return figure


def _series(shown: pl.DataFrame, choice: Choice) -> Sequence[tuple[str, pl.DataFrame]]:
    if choice.series is None:
        return [("", shown)]
    groups = shown.group_by(choice.series, maintain_order=True)
    return [(str(name), rows) for (name,), rows in groups][:_MOST_SERIES]


def _trace(rows: pl.DataFrame, choice: Choice, name: str, colour: str) -> Any:
    x = [plain_label(v) if isinstance(v, str) else v for v in rows[choice.x].to_list()]
    y = rows[choice.y].to_list()
    match choice.kind:
        case "bar":
            return go.Bar(x=x, y=y, name=name, marker={"color": colour})
        case "line":
            return go.Scatter(x=x, y=y, name=name, mode="lines+markers", line={"color": colour})
        case _:
            return go.Scatter(x=x, y=y, name=name, mode="markers", marker={"color": colour, "size": 8})
