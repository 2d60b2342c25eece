"""What memory is worth, as measured: gain, harm and learning curves read off a kept report.

Pure: an event in, values and HTML out. Knows nothing about pages.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from scipy import stats

from nightschool.dashboard.charts import Difference, Estimate
from nightschool.dashboard.markup import Cell, Column, Tone, data_table
from nightschool.dashboard.memory_charts import CurvePoint, Flip
from nightschool.dashboard.palette import ArmStyle
from nightschool.dashboard.wording import ABSENT, count, percent, signed
from nightschool.events.effect import MemoryEffectMeasured

__all__ = ["claim", "curve_points", "flips", "gains", "worth_table"]

_BETTER: Final = "better"
_TONES: Final[Mapping[str, Tone]] = {"better": "good", "worse": "bad"}
_WAYS: Final = (("gained", "failed_without"), ("harmed", "passed_without"))


def gains(effects: Iterable[Mapping[str, Any]]) -> list[Difference]:
    """Return each arm's gain over its baseline."""
    return [
        Difference(
            treatment=each["arm"],
            baseline=each["baseline"],
            estimate=Estimate(
                value=each["gain"], low=each.get("low"), high=each.get("high"), n=int(each.get("n") or 0)
            ),
            verdict=each["verdict"],
        )
        for each in effects
        if each.get("gain") is not None
    ]


def flips(effects: Iterable[Mapping[str, Any]], *, repeats: int) -> list[Flip]:
    """Return gain and harm of each arm as shares of the results that could turn over.

    The interval is Wilson's (95 %), given where each contract was drawn once: repeats of one are not
    independent, and it would be too narrow.
    """
    found = []
    for each in effects:
        for way, basis in _WAYS:
            if each.get(way) is not None:
                estimate = _share(float(each[way]), int(each.get(basis) or 0), is_independent=repeats == 1)
                found.append(Flip(arm=each["arm"], way=way, estimate=estimate))
    return found


def _share(value: float, n: int, *, is_independent: bool) -> Estimate:
    if not n or not is_independent:
        return Estimate(value=value, n=n)
    interval = stats.binomtest(round(value * n), n).proportion_ci(0.95, method="wilson")
    return Estimate(value=value, low=float(interval.low), high=float(interval.high), n=n)


def worth_table(report: MemoryEffectMeasured, styles: Mapping[str, ArmStyle]) -> str:
    """Return every arm with what it passes, gains, harms and costs."""
    columns = [
        Column(name="Arm", numeric=False),
        Column(name="Passes", unit="of contracts"),
        Column(name="Gain", unit="points [95 %]"),
        Column(name="Verdict", numeric=False),
        Column(name="Gained", unit="of those that failed without"),
        Column(name="Harmed", unit="of those that passed without"),
        Column(name="Given", unit="tokens a session"),
    ]
    rows = [_baseline(report.effects)] if report.effects else []
    rows += [_row(each, styles) for each in report.effects]
    return data_table(columns, rows, caption="What each arm passes, gains and harms")


def _baseline(effects: Sequence[Mapping[str, Any]]) -> list[Cell]:
    first = effects[0]
    name, success = str(first["baseline"]), percent(first["baseline_success"])
    return [Cell(text=name), Cell(text=success, note=f"n = {first['n']}"), *([Cell(text=ABSENT)] * 5)]


def _row(each: Mapping[str, Any], styles: Mapping[str, ArmStyle]) -> list[Cell]:
    low, high = each.get("low"), each.get("high")
    span = "" if low is None or high is None else f"[{_points(low)}, {_points(high)}]"
    verdict = str(each["verdict"])
    return [
        Cell(text=each["arm"], colour=styles[each["arm"]].colour),
        Cell(text=percent(each["success"]), note=f"n = {each['n']}"),
        Cell(text=_points(each.get("gain")), note=span),
        Cell(text=verdict, tone=_TONES.get(verdict, "")),
        _of(each.get("gained"), each.get("failed_without")),
        _of(each.get("harmed"), each.get("passed_without")),
        Cell(text=count(each.get("tokens"))),
    ]


def _points(value: float | None) -> str:
    return signed(None if value is None else 100 * value, 0)


def _of(share: float | None, n: int | None) -> Cell:
    return Cell(text=percent(share), note=f"n = {n}" if n else "")


def curve_points(report: MemoryEffectMeasured) -> list[CurvePoint]:
    """Return the learning curves' points."""
    return [
        CurvePoint(order=order, sessions=round(share * report.train_sessions), success=success)
        for order, curve in enumerate(report.curves)
        for share, success in zip(report.curve_shares, curve, strict=True)
    ]


def claim(report: MemoryEffectMeasured) -> str:
    """Return what may be claimed for the dream: it has to beat everything that could explain its gain."""
    rivals = [str(each["baseline"]) for each in report.rivals if each["verdict"] != _BETTER]
    if not report.rivals:
        return "The dreamt store was not set against anything that could explain its gain."
    if not rivals:
        beaten = ", ".join(str(each["baseline"]) for each in report.rivals)
        return f"The gain is the dream's: it beats {beaten}."
    return f"No claim for the dream: it cannot be told to beat {', '.join(rivals)}."
