"""A plan as it was carried out: layers, retries, and the chain of tasks that decided how long it took.

Pure: rows of ``v1_tasks`` in, a plotly figure out. Durations are those measured, not those expected.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from typing import Any, Final

import plotly.graph_objects as go

from nightschool.dashboard.charts import framed, plain_label
from nightschool.dashboard.palette import MUTED, WARNING
from nightschool.dashboard.wording import plural, seconds

__all__ = ["MOST_TASKS", "Step", "critical_path", "layers_of", "plan_chart", "steps_of"]

MOST_TASKS: Final = 150
_COLOURS: Final[Mapping[str, str]] = {
    "completed": "#1F83C6",
    "failed": "#D55E00",
    "running": "#A88200",
    "planned": "#7F8896",
}
_LONGEST_LABEL: Final = 26


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One task of a plan and what became of it."""

    id: str
    title: str
    status: str
    depends_on: tuple[str, ...]
    attempts: int
    seconds: float | None
    session_id: str | None


def steps_of(rows: Iterable[Mapping[str, Any]]) -> list[Step]:
    """Return the tasks of rows of ``v1_tasks``; a dependency that is not among them is left out."""
    listed = list(rows)
    known = {row["task_id"] for row in listed}
    return [
        Step(
            id=row["task_id"],
            title=row["title"] or row["task_id"],
            status=row["status"],
            depends_on=tuple(name for name in _names(row["depends_on"]) if name in known),
            attempts=row["attempts"],
            seconds=None if row["duration_ms"] is None else row["duration_ms"] / 1000,
            session_id=row["task_session_id"],
        )
        for row in listed
    ]


def _names(value: Any) -> Sequence[str]:
    parsed = json.loads(value) if isinstance(value, str) else value
    return [str(name) for name in parsed or ()]


def layers_of(steps: Sequence[Step]) -> list[list[Step]]:
    """Return the tasks in layers: those of one wait only for earlier ones; a cycle is one layer."""
    by_id = {step.id: step for step in steps}
    sorter = TopologicalSorter({step.id: step.depends_on for step in steps})
    try:
        sorter.prepare()
    except CycleError:
        return [list(steps)]
    layers = []
    while sorter.is_active():
        ready = sorted(sorter.get_ready(), key=list(by_id).index)
        layers.append([by_id[task_id] for task_id in ready])
        sorter.done(*ready)
    return layers


def critical_path(steps: Sequence[Step]) -> tuple[list[str], float]:
    """Return the chain of tasks that took longest, first to last, and its length in seconds."""
    length: dict[str, float] = {}
    before: dict[str, str | None] = {}
    for step in (step for layer in layers_of(steps) for step in layer):
        latest = max(step.depends_on, key=lambda each: length.get(each, 0.0), default=None)
        before[step.id] = latest
        length[step.id] = (step.seconds or 0.0) + (length.get(latest, 0.0) if latest else 0.0)
    if not length:
        return [], 0.0
    end: str | None = max(length, key=lambda each: length[each])
    total, chain = length[str(end)], []
    while end is not None and end not in chain:
        chain.append(end)
        end = before.get(end)
    return chain[::-1], total


def plan_chart(steps: Sequence[Step], *, simulated: bool) -> go.Figure:
    """Return the plan from left to right: a dot a task, lines for waiting, the critical path thick.

    Clicking a dot gives the task's session as the point's ``customdata``.
    """
    shown = steps[:MOST_TASKS]
    layers, (path, _) = layers_of(shown), critical_path(shown)
    places = {
        step.id: (number, place - (len(layer) - 1) / 2)
        for number, layer in enumerate(layers)
        for place, step in enumerate(layer)
    }
    figure = go.Figure()
    on_path = set(pairwise(path))
    for is_critical in (False, True):
        pairs = [(n, s.id) for s in shown for n in s.depends_on if ((n, s.id) in on_path) is is_critical]
        if pairs:
            figure.add_trace(_lines(pairs, places, is_critical=is_critical))
    for status in dict.fromkeys(step.status for step in shown):
        own = [step for step in shown if step.status == status]
        figure.add_trace(_dots(status, own, places, frozenset(path)))
    framed(figure, rows=max(3.0, max(map(len, layers)) * 0.9), simulated=simulated, legend=True)
    figure.update_xaxes(
        tickvals=list(range(len(layers))),
        ticktext=[f"layer {number + 1}" for number in range(len(layers))],
        showgrid=False,
        zeroline=False,
        range=[-0.5, len(layers) - 0.4],
    )
    # Room above the first row for its names.
    widest = max(map(len, layers)) / 2
    figure.update_yaxes(visible=False, range=[widest, -widest - 0.3])
    return figure


def _lines(
    pairs: Sequence[tuple[str, str]], places: Mapping[str, tuple[int, float]], *, is_critical: bool
) -> go.Scatter:
    ends = [(places[start], places[end]) for start, end in pairs]
    return go.Scatter(
        x=[x for start, end in ends for x in (start[0], end[0], None)],
        y=[y for start, end in ends for y in (start[1], end[1], None)],
        mode="lines",
        line={"color": WARNING if is_critical else MUTED, "width": 3 if is_critical else 1},
        name="critical path" if is_critical else "waits for",
        hoverinfo="skip",
    )


def _dots(
    status: str, own: Sequence[Step], places: Mapping[str, tuple[int, float]], path: frozenset[str]
) -> go.Scatter:
    return go.Scatter(
        x=[places[step.id][0] for step in own],
        y=[places[step.id][1] for step in own],
        mode="markers+text",
        text=[_label(step) for step in own],
        textposition="top center",
        textfont={"size": 11},
        marker={
            "color": _COLOURS.get(status, MUTED),
            "size": [16 if step.id in path else 11 for step in own],
            "symbol": ["diamond" if step.attempts > 1 else "circle" for step in own],
        },
        name=plain_label(status),
        customdata=[
            [step.session_id, plain_label(step.title), seconds(step.seconds), _tries(step)] for step in own
        ],
        hovertemplate="<b>%{customdata[1]}</b><br>%{customdata[2]}%{customdata[3]}<extra></extra>",
    )


def _label(step: Step) -> str:
    text = step.title if len(step.title) <= _LONGEST_LABEL else step.title[: _LONGEST_LABEL - 1] + "…"
    return plain_label(text) + (f" ×{step.attempts}" if step.attempts > 1 else "")


def _tries(step: Step) -> str:
    return f" · {plural(step.attempts, 'attempt')}" if step.attempts > 1 else ""
