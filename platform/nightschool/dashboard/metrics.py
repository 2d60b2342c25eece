"""How each metric is called, in which unit it is measured, and how its numbers are written.

Pure. A metric that is not listed here is a suite's own: it keeps its name and is written as a plain number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final

from nightschool.dashboard.charts import Axis
from nightschool.dashboard.wording import count, decimal, money, seconds, signed, thousands

__all__ = ["COSTS", "METRICS", "Metric", "in_order", "metric_named"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """One metric's manners."""

    label: str
    unit: str
    axis: Axis
    written: Callable[[float | None], str] = decimal
    difference: Callable[[float | None], str] = signed


def _share(label: str) -> Metric:
    axis = Axis(title=f"{label.lower()} (0–1)")
    return Metric(label=label, unit="0–1", axis=axis, difference=partial(signed, digits=3))


def _count(label: str, unit: str = "per document") -> Metric:
    return Metric(
        label=label,
        unit=unit,
        axis=Axis(title=f"{label.lower()} {unit}", format=",.1f", from_zero=True),
        written=partial(decimal, digits=1),
        difference=partial(signed, digits=1),
    )


def _signed_seconds(value: float | None) -> str:
    return signed(value) if value is None else f"{signed(value)} s"


def _signed_count(value: float | None) -> str:
    return signed(value, 0)


METRICS: Final[Mapping[str, Metric]] = {
    "recall": _share("Recall"),
    "false_flags": _count("False flags"),
    "precision": _share("Precision"),
    "accuracy": _share("Accuracy"),
    "completeness": _share("Completeness"),
    "consistency": _share("Consistency"),
    "efficiency": _share("Efficiency"),
    "format": _share("Format"),
    "tokens": Metric(
        label="Tokens",
        unit="per document",
        axis=Axis(title="tokens per document", format="~s", from_zero=True),
        written=thousands,
        difference=_signed_count,
    ),
    "duration_seconds": Metric(
        label="Time",
        unit="per document",
        axis=Axis(title="time per document (s)", format=",.2~f", from_zero=True),
        written=seconds,
        difference=_signed_seconds,
    ),
    "cost_usd": Metric(
        label="Cost",
        unit="US$ per document",
        axis=Axis(title="cost per document at list price (US$)", format="$,.3~f", from_zero=True),
        written=money,
        difference=partial(signed, digits=4),
    ),
    "tool_calls": _count("Tool calls"),
    "model_calls": _count("Model calls"),
}
"""In the order in which they are offered."""

COSTS: Final = ("tokens", "duration_seconds", "cost_usd")
"""What quality can be set against."""


def metric_named(name: str) -> Metric:
    """Return how a metric is shown."""
    label = name.replace("_", " ").capitalize()
    return METRICS.get(name) or Metric(
        label=label, unit="", axis=Axis(title=label.lower(), format=",.3~r"), written=_plain
    )


def _plain(value: float | None) -> str:
    return count(value) if value is not None and float(value).is_integer() else decimal(value)


def in_order(names: Iterable[str], *, first: str) -> list[str]:
    """Return metric names as they are offered: the primary one, those known, a suite's own by name."""
    known = list(METRICS)
    return sorted(
        set(names), key=lambda name: (name != first, known.index(name) if name in known else len(known), name)
    )
