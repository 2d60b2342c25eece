"""Which arms are worth choosing when quality, cost and time all count, and how sure that is, in words.

Pure. The shares are those of ``experiments.statistics.pareto``; nothing is computed here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from nightschool.dashboard.markup import Cell, Column, data_table
from nightschool.dashboard.metrics import metric_named
from nightschool.dashboard.palette import ArmStyle
from nightschool.dashboard.wording import ABSENT, percent
from nightschool.experiments.statistics import FrontPlace

__all__ = ["front_claim", "front_table"]

_SURE: Final = 0.95
"""A share of draws from which an arm is said to stand on the front, or at one minus which not to."""


def front_claim(quantities: Sequence[str], places: Sequence[FrontPlace]) -> str:
    """Say which arms are on the front, which are not, and which cannot be told."""
    groups = {
        "not beaten in all at once": [p.arm for p in places if p.on_front_probability >= _SURE],
        "cannot be told": [p.arm for p in places if 1 - _SURE < p.on_front_probability < _SURE],
        "beaten": [p.arm for p in places if p.on_front_probability <= 1 - _SURE],
    }
    said = "; ".join(f"{words}: {', '.join(arms)}" for words, arms in groups.items() if arms)
    return f"Weighing {_listed(quantities)} together — {said}."


def _listed(quantities: Sequence[str]) -> str:
    names = [metric_named(name).label.lower() for name in quantities]
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]


def front_table(places: Sequence[FrontPlace], styles: Mapping[str, ArmStyle]) -> str:
    """Return how often each arm is on the front, and who beats it most often."""
    columns = [
        Column(name="Arm", numeric=False),
        Column(name="On the front", unit="of draws"),
        Column(name="Beaten most by", unit="of draws", numeric=False),
    ]
    caption = "Arms on the front of quality, cost and time"
    return data_table(columns, [_row(place, styles) for place in places], caption=caption)


def _row(place: FrontPlace, styles: Mapping[str, ArmStyle]) -> list[Cell]:
    worst = max(place.dominated_by, key=place.dominated_by.__getitem__, default=None)
    beaten = ABSENT if worst is None else f"{worst} · {percent(place.dominated_by[worst])}"
    return [
        Cell(text=place.arm, colour=styles[place.arm].colour),
        Cell(text=percent(place.on_front_probability)),
        Cell(text=beaten),
    ]
