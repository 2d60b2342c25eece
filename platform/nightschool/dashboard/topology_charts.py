"""The charts of the page *Topologies*: arms by a measure, error amplification, speed-up and gain by width.

Pure: estimates in, plotly figures out. Knows nothing about where the numbers come from.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import plotly.graph_objects as go

from nightschool.dashboard.charts import (
    Axis,
    Estimate,
    framed,
    interval_chart,
    plain_label,
    rests_on,
    whiskers,
)
from nightschool.dashboard.palette import MUTED, ArmStyle
from nightschool.dashboard.width_sweep import HARDLY, Gain, SpeedUp
from nightschool.dashboard.wording import plural

__all__ = ["amplification_chart", "gain_chart", "measure_chart", "samples_behind", "speed_up_chart"]

_ASIDE: Final = 0.022
"""How far apart the arms of one width lie, as a share of it."""
_CONTEXT: Final[Mapping[str, Any]] = {"line": {"color": MUTED, "width": 1.5, "dash": "dot"}}


def samples_behind(estimates: Iterable[Estimate]) -> str:
    """Return what numbers rest on: `n = 8 samples`, `n = 6–8 samples`."""
    return rests_on((estimate.n for estimate in estimates), "sample")


def measure_chart(
    found: Mapping[str, Estimate], styles: Mapping[str, ArmStyle], axis: Axis, *, simulated: bool
) -> go.Figure:
    """Return each arm's mean with its interval, and how many samples stand behind it."""
    titled = replace(axis, title=f"{axis.title} · {samples_behind(found.values())}")
    figure = interval_chart(found, styles, titled, simulated=simulated)
    # A mark that stands at zero is not cut in half.
    return figure.update_traces(cliponaxis=False)


def amplification_chart(
    found: Mapping[str, Estimate], styles: Mapping[str, ArmStyle], axis: Axis, *, simulated: bool
) -> go.Figure:
    """Return how many times the error of one agent each arm has, with the line of neither more nor less."""
    figure = measure_chart(found, styles, axis, simulated=simulated)
    figure.add_vline(x=1, line={"color": MUTED, "width": 1.5})
    return figure


def speed_up_chart(
    points: Sequence[SpeedUp], styles: Mapping[str, ArmStyle], *, simulated: bool
) -> go.Figure:
    """Return the speed-up over the width on doubling scales, with the line on which no agent ever idles."""
    figure = go.Figure()
    widths = sorted({point.width for point in points})
    figure.add_trace(
        go.Scatter(
            x=widths,
            y=widths,
            mode="lines",
            name="ideal",
            hovertemplate="ideal: %{y}×<extra></extra>",
            **_CONTEXT,
        )
    )
    arms = list(dict.fromkeys(point.arm for point in points))
    for number, arm in enumerate(arms):
        own = [point for point in points if point.arm == arm]
        aside = 2 ** (_ASIDE * (number - (len(arms) - 1) / 2) * 2)
        places = [point.width * aside for point in own]
        labels = [plural(point.width, "agent") for point in own]
        figure.add_trace(_line(arm, styles[arm], places, [point.spread for point in own], labels, ".2f", "×"))
    framed(figure, rows=7, simulated=simulated, legend=True)
    told = samples_behind(point.spread for point in points)
    _doubling(figure.layout.xaxis, f"agents at once · {told}", widths)
    _doubling(figure.layout.yaxis, "speed-up (× one agent)", widths)
    return figure


def gain_chart(steps: Sequence[Gain], styles: Mapping[str, ArmStyle], *, simulated: bool) -> go.Figure:
    """Return what each added agent gains from one width to the next, with the line of 1 %."""
    figure = go.Figure()
    labels = list(
        dict.fromkeys(f"{step.start}→{step.end}" for step in sorted(steps, key=lambda each: each.end))
    )
    arms = list(dict.fromkeys(step.arm for step in steps))
    for number, arm in enumerate(arms):
        own = [step for step in steps if step.arm == arm]
        aside = (number - (len(arms) - 1) / 2) * 0.07
        named = [f"{step.start}→{step.end}" for step in own]
        places = [labels.index(name) + aside for name in named]
        told = [f"{name} agents" for name in named]
        estimates = [step.estimate for step in own]
        figure.add_trace(_line(arm, styles[arm], places, estimates, told, ".1%", ""))
    framed(figure, rows=7, simulated=simulated, legend=True)
    figure.add_hline(y=HARDLY, annotation_text=f"{HARDLY:.0%}", annotation_position="top right", **_CONTEXT)
    figure.update_xaxes(
        tickvals=list(range(len(labels))),
        ticktext=labels,
        showgrid=False,
        title=f"agents at once · {samples_behind(step.estimate for step in steps)}",
        range=[-0.5, len(labels) - 0.5],
    )
    figure.update_yaxes(title="gain per added agent", tickformat=".0%", zeroline=False)
    return figure


def _line(
    arm: str,
    style: ArmStyle,
    places: Sequence[float],
    estimates: Sequence[Estimate],
    labels: Sequence[str],
    written: str,
    suffix: str,
) -> go.Scatter:
    highs = [each.value if each.high is None else each.high for each in estimates]
    lows = [each.value if each.low is None else each.low for each in estimates]
    values = [each.value for each in estimates]
    return go.Scatter(
        x=places,
        y=values,
        error_y=whiskers(estimates, style, thickness=1.2),
        mode="lines+markers",
        name=plain_label(arm),
        line={"color": style.colour, "width": 2},
        marker={"color": style.colour, "symbol": style.symbol, "size": 8},
        customdata=list(zip(lows, highs, labels, [each.n for each in estimates], strict=True)),
        hovertemplate=f"<b>{plain_label(arm)}</b> · %{{customdata[2]}}<br>%{{y:{written}}}{suffix}"
        f" [%{{customdata[0]:{written}}}, %{{customdata[1]:{written}}}]"
        "<br>n = %{customdata[3]}<extra></extra>",
    )


def _doubling(axis: Any, title: str, widths: Sequence[int]) -> None:
    axis.update(type="log", tickvals=widths, ticktext=[str(width) for width in widths], title=title)
