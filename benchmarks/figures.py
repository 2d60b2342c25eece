"""What a benchmark found: figures with their bars, as a table for people and as JSON for programs.

Knows nothing about what was measured.
"""

from __future__ import annotations

import os
import platform
import sqlite3
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from typing import Any, Final

__all__ = ["Figure", "Report", "machine", "spread", "timed"]

_LIBRARIES: Final = ("duckdb", "polars", "pyarrow")


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One thing measured."""

    name: str
    value: float
    unit: str
    bar: str | None = None
    """What it is held to, in words; None where there is nothing to hold it to."""
    meets: bool | None = None
    """Whether it does."""
    note: str = ""
    """What it was measured on, or against."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """One run of the benchmark on one machine."""

    machine: dict[str, str]
    figures: Sequence[Figure]

    def as_json(self) -> dict[str, Any]:
        """Return it for programs."""
        return {"machine": self.machine, "figures": [asdict(figure) for figure in self.figures]}

    def lines(self) -> list[str]:
        """Return it as a Markdown table."""
        head = ["| measured | value | bar | |", "|---|---|---|---|"]
        return [
            ", ".join(f"{name} {value}" for name, value in self.machine.items()),
            "",
            *head,
            *self._rows(),
        ]

    def _rows(self) -> list[str]:
        return [
            f"| {figure.name} | {_number(figure.value)} {figure.unit} | {_bar(figure)} | {figure.note} |"
            for figure in self.figures
        ]


def _number(value: float) -> str:
    if value >= 1000:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def _bar(figure: Figure) -> str:
    if figure.bar is None:
        return ""
    return f"{figure.bar}: {'met' if figure.meets else '**missed**'}"


def machine() -> dict[str, str]:
    """Return what the figures depend on."""
    load = "/".join(f"{part:.1f}" for part in os.getloadavg())
    return {
        "cores": str(os.cpu_count()),
        "load": load,
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        **{name: version(name) for name in _LIBRARIES},
    }


def spread(seconds: Sequence[float]) -> tuple[float, float, float]:
    """Return median, 95th percentile and maximum in milliseconds."""
    cuts = statistics.quantiles(seconds, n=20)
    return statistics.median(seconds) * 1000, cuts[18] * 1000, max(seconds) * 1000


def timed(ask: Callable[[], object], *, repeats: int) -> tuple[float, float]:
    """Return the median of a call's time and of its processor time, in milliseconds, once it was made before.

    On a busy machine the second says more: on an idle one the first is no more than that.
    """
    ask()
    walls: list[float] = []
    processors: list[float] = []
    for _ in range(repeats):
        wall, processor = time.perf_counter(), time.process_time()
        ask()
        walls.append(time.perf_counter() - wall)
        processors.append(time.process_time() - processor)
    return statistics.median(walls) * 1000, statistics.median(processors) * 1000
