"""The page's figures, drawn as SVG that follows the page's colours and width.

Knows nothing about experiments: it is given names, numbers and intervals.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from nightschool.experiments.page.markup import Markup, element

__all__ = ["Mark", "Spot", "intervals_figure", "scatter_figure"]

_WIDTH: Final = 640
_LEFT: Final = 16
_RIGHT: Final = 16
_ROW: Final = 46
_FOOT: Final = 34
_TICKS: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A row: a value with its interval."""

    label: str
    value: float
    low: float
    high: float
    tone: str = "plain"
    """plain, good, bad: a class of the style sheet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """A point of a scatter."""

    label: str
    x: float
    y: float
    tone: str = "plain"


@dataclass(frozen=True, slots=True)
class _Scale:
    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return round(self.start + share * (self.end - self.start), 1)

    @property
    def ticks(self) -> list[float]:
        """Round numbers inside the scale, about as many as `_TICKS`."""
        rough = (self.high - self.low) / _TICKS
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough)
        first, last = math.ceil(self.low / step), math.floor(self.high / step)
        return [index * step for index in range(first, last + 1)]


def intervals_figure(
    marks: Sequence[Mark],
    *,
    title: str,
    axis: str,
    show: Callable[[float], str],
    zero: bool = False,
    band: float | None = None,
) -> Markup:
    """Draw values with their intervals, one below the other.

    Args:
        marks: what is drawn, from top to bottom.
        title: what the figure shows, for those who cannot see it.
        axis: the words under the axis.
        show: a number as text.
        zero: whether a line stands at zero.
        band: a band of ±this around zero.
    """
    ends = [end for mark in marks for end in (mark.low, mark.high)] + ([0.0] if zero else [])
    scale = _scale([*ends, *((-band, band) if band else ())], _LEFT + 8, _WIDTH - _RIGHT - 8)
    height = len(marks) * _ROW + _FOOT
    parts = []
    if band:
        left, right = scale(-band), scale(band)
        parts.append(
            element("rect", x=left, y=0, width=round(right - left, 1), height=height - _FOOT, class_="band")
        )
    if zero:
        parts.append(element("line", x1=scale(0), x2=scale(0), y1=0, y2=height - _FOOT, class_="zero"))
    parts += [_row(mark, index, scale, show) for index, mark in enumerate(marks)]
    parts += _axis(scale, height, axis, show)
    return _drawing(parts, height, title)


def scatter_figure(
    spots: Sequence[Spot],
    *,
    title: str,
    axes: tuple[str, str],
    show: tuple[Callable[[float], str], Callable[[float], str]],
) -> Markup:
    """Draw points with their names; each axis says in words what it is."""
    height = 300
    across = _scale([spot.x for spot in spots], 70, _WIDTH - 110)
    upward = _scale([spot.y for spot in spots], height - _FOOT - 24, 30)
    parts = [
        element("line", x1=56, x2=56, y1=14, y2=height - _FOOT, class_="axis"),
        element("text", axes[1], x=_LEFT, y=10, class_="small"),
        *[
            element("text", show[1](tick), x=50, y=upward(tick) + 4, class_="small", text_anchor="end")
            for tick in upward.ticks
        ],
    ]
    for spot in spots:
        x, y = across(spot.x), upward(spot.y)
        parts.append(element("circle", cx=x, cy=y, r=6, class_=f"dot {spot.tone}"))
        parts.append(element("text", spot.label, x=x + 10, y=y + 4, class_="label"))
    parts += _axis(across, height, axes[0], show[0])
    return _drawing(parts, height, title)


def _row(mark: Mark, index: int, scale: _Scale, show: Callable[[float], str]) -> Markup:
    top = index * _ROW
    middle = top + 32
    words = f"{mark.label}: {show(mark.value)} [{show(mark.low)}, {show(mark.high)}]"
    return element(
        "g",
        element("text", words, x=_LEFT, y=top + 15, class_="label"),
        element(
            "line", x1=scale(mark.low), x2=scale(mark.high), y1=middle, y2=middle, class_=f"bar {mark.tone}"
        ),
        element("circle", cx=scale(mark.value), cy=middle, r=5, class_=f"dot {mark.tone}"),
    )


def _axis(scale: _Scale, height: int, words: str, show: Callable[[float], str]) -> list[Markup]:
    line = height - _FOOT
    ticks = [
        element("text", show(tick), x=scale(tick), y=line + 14, class_="small", text_anchor="middle")
        for tick in scale.ticks
    ]
    return [
        element("line", x1=scale.start, x2=scale.end, y1=line, y2=line, class_="axis"),
        *ticks,
        element("text", words, x=_WIDTH / 2, y=line + 30, class_="small", text_anchor="middle"),
    ]


def _scale(values: Sequence[float], start: float, end: float) -> _Scale:
    low, high = min(values), max(values)
    pad = (high - low) * 0.06 or abs(high) * 0.1 or 1.0
    return _Scale(low - pad, high + pad, start, end)


def _drawing(parts: Sequence[Markup], height: int, title: str) -> Markup:
    return element(
        "figure",
        element(
            "svg",
            element("title", title),
            *parts,
            viewBox=f"0 0 {_WIDTH} {height}",
            role="img",
            xmlns="http://www.w3.org/2000/svg",
        ),
    )
