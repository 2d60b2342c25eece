"""What stopping a run early costs and saves, over simulated experiments of which the truth is known.

    .venv/bin/python -m benchmarks.stopping [--experiments 2000] [--page docs/concepts/statistics.md]

As `stop_rule: sequence` does, each experiment is looked at after every sample and stopped when its interval
excludes zero: without any effect, which is a false claim, and with the effect that a fixed design of the same
size detects at 80 % power. Every number here is simulated and says so.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from benchmarks.coverage import KINDS, Design, Floats, plan_effect, write_block
from nightschool.experiments.statistics import MINIMUM_PAIRS, anytime_interval

__all__ = ["DESIGNS", "Stopping", "main", "study", "table"]

_BEGIN: Final = "<!-- simulated: written by benchmarks/stopping.py -->"
_END: Final = "<!-- end of the simulated stops -->"

DESIGNS: Final = [
    Design(kind=kind, samples=samples, repeats=1)
    for kind in ("scores", "right or wrong", "lopsided")
    for samples in (24, 50, 100, 200)
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopping:
    """What came of a design."""

    design: Design
    false_stops: float
    """Share of experiments without an effect that were stopped by a claim."""
    effect: float
    found: float
    """Share of experiments with the effect that were stopped by a claim."""
    samples: float
    """Samples that those with the effect took on average, stopped or not."""


def study(design: Design, experiments: int, *, seed: int = 2026) -> Stopping:
    """Simulate a design without any effect, and as often with the effect that a fixed one detects."""
    rng = np.random.default_rng([seed, DESIGNS.index(design)])
    effect, _ = plan_effect(design, rng)
    none = [_stopped_at(_differences(design, 0.0, rng)) for _ in range(experiments)]
    some = [_stopped_at(_differences(design, effect, rng)) for _ in range(experiments)]
    return Stopping(
        design=design,
        false_stops=_share(none),
        effect=effect,
        found=_share(some),
        samples=float(np.mean([design.samples if at is None else at for at in some])),
    )


def _differences(design: Design, effect: float, rng: np.random.Generator) -> Floats:
    ours, theirs = KINDS[design.kind](rng, design.samples, design.repeats, effect)
    return np.asarray((ours - theirs).mean(axis=1), dtype=np.float64)


def _stopped_at(differences: Floats) -> int | None:
    """Return after how many samples the interval excluded zero for the first time."""
    for count in range(MINIMUM_PAIRS, differences.size + 1):
        interval = anytime_interval(differences[:count].tolist(), expected=differences.size)
        if interval is not None and interval.excludes_zero:
            return count
    return None


def _share(stops: Sequence[int | None]) -> float:
    return sum(at is not None for at in stops) / len(stops)


def table(findings: Sequence[Stopping], experiments: int) -> list[str]:
    """Return the findings as a Markdown table."""
    margin = 1.96 * math.sqrt(0.05 * 0.95 / experiments)
    size = f"{experiments:,} experiments without an effect and as many with it per design"
    return [
        f"Simulated, {size}, looked at after every sample; false stops are uncertain by ±{margin:.1%}.",
        "",
        "| scores | samples at most | stopped, nothing there | effect | found | samples taken |",
        "|---|---|---|---|---|---|",
        *[
            f"| {f.design.kind} | {f.design.samples} | {f.false_stops:.1%} | {f.effect:.3f} |"
            f" {f.found:.0%} | {f.samples:.0f} |"
            for f in findings
        ],
    ]


def main(arguments: list[str]) -> int:
    """Simulate every design and print the table, or write it into a page."""
    parser = argparse.ArgumentParser(description="Simulate what stopping a run early costs and saves.")
    parser.add_argument("--experiments", type=int, default=2_000, help="simulated per design and number")
    parser.add_argument("--page", type=Path, help="a page with the markers of the table")
    options = parser.parse_args(arguments)
    lines = table([study(design, options.experiments) for design in DESIGNS], options.experiments)
    print("\n".join(lines))
    if options.page:
        write_block(options.page, lines, begin=_BEGIN, end=_END)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
