"""How much sooner more agents are done, by width, and where one more hardly helps.

Two kinds of sweep: widths that were run, each in an arm of its own, with all that it costs to put results
together; and widths on which a run was replayed afterwards, without that. Pure: trials in, points out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from nightschool.dashboard.charts import Estimate
from nightschool.dashboard.markup import Cell, Column, data_table
from nightschool.dashboard.palette import ArmStyle
from nightschool.dashboard.wording import ABSENT, decimal, plural
from nightschool.experiments.measures import Trial
from nightschool.experiments.statistics import mean_interval, sample_means

__all__ = ["HARDLY", "Gain", "SpeedUp", "gains", "levelling_table", "levels_off", "speed_ups", "was_run"]

HARDLY: Final = 0.01
"""A gain per added agent below which one more is not worth it."""

_WIDTH: Final = "divided_among"
_TOOK: Final = "makespan_seconds"
_SPEED_UP: Final = re.compile(r"speedup_([1-9]\d*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeedUp:
    """How many times sooner so many agents are done than one."""

    arm: str
    width: int
    spread: Estimate
    """The mean over samples, and the least and greatest sample."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gain:
    """What each agent added between two widths gains in speed, as a share."""

    arm: str
    start: int
    end: int
    estimate: Estimate
    """The mean over samples with its interval."""


Sweeps = Mapping[str, Mapping[int, Mapping[str, float]]]
"""Arm to width to sample to speed-up, repeats averaged."""


def speed_ups(trials: Iterable[Trial], arms: Sequence[str]) -> list[SpeedUp]:
    """Return the speed-up of each of the arms at each width that was replayed."""
    return [
        SpeedUp(arm=arm, width=width, spread=_spread(list(by_sample.values())))
        for arm, by_width in _sweeps(trials, arms).items()
        for width, by_sample in by_width.items()
    ]


def gains(trials: Iterable[Trial], arms: Sequence[str], *, level: float) -> list[Gain]:
    """Return what each added agent gains from one width to the next: (S₂ / S₁ - 1) / (w₂ - w₁)."""
    found = []
    for arm, by_width in _sweeps(trials, arms).items():
        for (start, before), (end, after) in pairwise(by_width.items()):
            shares = [
                (after[sample] / before[sample] - 1) / (end - start)
                for sample in sorted(before.keys() & after.keys())
            ]
            if shares:
                found.append(Gain(arm=arm, start=start, end=end, estimate=_mean(shares, level)))
    return found


def levels_off(steps: Iterable[Gain]) -> int | None:
    """Return the width from which on an added agent gains less than 1 %; None where it is not reached.

    Args:
        steps: the gains of one arm, narrow first.
    """
    width = None
    for step in steps:
        if step.estimate.value >= HARDLY:
            width = None
        elif width is None:
            width = step.start
    return width


def levelling_table(points: Sequence[SpeedUp], steps: Sequence[Gain], styles: Mapping[str, ArmStyle]) -> str:
    """Return for each arm the width from which more agents hardly help, and the speed-up there."""
    columns = [
        Column(name="Arm", numeric=False),
        Column(name="Less than 1 % from", unit="on, for each added agent"),
        Column(name="Speed-up there", unit="× one agent"),
        Column(name="Greatest speed-up", unit="× one agent"),
    ]
    rows = []
    for arm in dict.fromkeys(point.arm for point in points):
        by_width = {point.width: point.spread.value for point in points if point.arm == arm}
        own = [step for step in steps if step.arm == arm]
        width = levels_off(own)
        unreached = f"not up to {max(by_width)}" if own else ABSENT
        rows.append(
            [
                Cell(text=arm, colour=styles[arm].colour),
                Cell(text=unreached if width is None else plural(width, "agent")),
                Cell(text=ABSENT if width is None else decimal(by_width[width])),
                Cell(text=decimal(max(by_width.values()))),
            ]
        )
    return data_table(columns, rows, caption="The width from which an added agent hardly helps")


def was_run(trials: Iterable[Trial], arms: Sequence[str]) -> bool:
    """Return whether the widths were run, and not replayed."""
    return bool(_runs(trials, arms))


def _runs(trials: Iterable[Trial], arms: Sequence[str]) -> Sweeps:
    """Return the speed-up by width of arms that divide the same goal, against the narrowest of them."""
    seconds: dict[int, dict[str, dict[int, float]]] = {}
    arm_of: dict[int, str] = {}
    for trial in trials:
        width, took = trial.values.get(_WIDTH), trial.values.get(_TOOK)
        if width is not None and took and trial.arm in arms:
            arm_of.setdefault(int(width), trial.arm)
            if arm_of[int(width)] == trial.arm:  # a second arm of one width is another comparison
                seconds.setdefault(int(width), {}).setdefault(trial.sample_id, {})[trial.epoch] = took
    if len(seconds) < 2:
        return {}
    means = {width: sample_means(by_sample) for width, by_sample in sorted(seconds.items())}
    narrowest = means[min(means)]
    return {
        arm_of[min(means)]: {
            width: {sample: narrowest[sample] / took for sample, took in own.items() if sample in narrowest}
            for width, own in means.items()
        }
    }


def _sweeps(trials: Iterable[Trial], arms: Sequence[str]) -> Sweeps:
    trials = list(trials)
    return _runs(trials, arms) or _replayed(trials, arms)


def _replayed(trials: Iterable[Trial], arms: Sequence[str]) -> Sweeps:
    repeats: dict[str, dict[int, dict[str, dict[int, float]]]] = {arm: {} for arm in arms}
    for trial in trials:
        for name, value in trial.values.items():
            named = _SPEED_UP.fullmatch(name)
            if named and trial.arm in repeats and value > 0:
                by_width = repeats[trial.arm].setdefault(int(named[1]), {})
                by_width.setdefault(trial.sample_id, {})[trial.epoch] = value
    return {
        arm: {width: sample_means(by_sample) for width, by_sample in sorted(by_width.items())}
        for arm, by_width in repeats.items()
    }


def _spread(values: Sequence[float]) -> Estimate:
    return Estimate(value=sum(values) / len(values), low=min(values), high=max(values), n=len(values))


def _mean(values: Sequence[float], level: float) -> Estimate:
    found = mean_interval(values, level=level)
    low, high = (None, None) if found is None else (found.low, found.high)
    return Estimate(value=sum(values) / len(values), low=low, high=high, n=len(values))
