"""Whether the statistics keep what they promise, over simulated experiments of which the truth is known.

    .venv/bin/python -m benchmarks.coverage [--experiments 4000] [--page docs/concepts/statistics.md]

Forty designs: 12 to 200 samples, 1 or 3 repeats, four kinds of scores. For each, experiments without any
effect tell how often the interval covers the truth and how often a difference is claimed that is not there;
half as many with the effect that the design says it detects tell how often it is found. Every number here is
simulated and says so.
"""

from __future__ import annotations

import argparse
import itertools
import math
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from nightschool.experiments.statistics import Verdict, compare, detectable_difference, judge, power_of

__all__ = [
    "DESIGNS",
    "KINDS",
    "Design",
    "Finding",
    "Floats",
    "main",
    "plan_effect",
    "study",
    "table",
    "write_block",
]

SAMPLES: Final = (12, 24, 50, 100, 200)
REPEATS: Final = (1, 3)
PER_SOURCE: Final = 2
_PLANNING_SAMPLES: Final = 20_000
_LARGEST_EFFECT: Final = 0.5
_SAME_DRAWS: Final = 100
"""So many experiments share the draws of their resampling; new ones each time take most of the time."""
_BEGIN: Final = "<!-- simulated: written by benchmarks/coverage.py -->"
_END: Final = "<!-- end of the simulated table -->"

Floats = npt.NDArray[np.float64]
Draw = Callable[[np.random.Generator, int, int, float], tuple[Floats, Floats]]
"""(random numbers, samples, repeats, effect) to the two sides' scores by sample and repeat."""


def _scores(rng: np.random.Generator, samples: int, repeats: int, effect: float) -> tuple[Floats, Floats]:
    """Each sample has its own level and its own response, each run its own noise."""
    level, response = rng.normal(0.6, 0.2, (samples, 1)), rng.normal(effect, 0.1, (samples, 1))
    return (
        level + response + rng.normal(0, 0.15, (samples, repeats)),
        level + rng.normal(0, 0.15, (samples, repeats)),
    )


def _right_or_wrong(
    rng: np.random.Generator, samples: int, repeats: int, effect: float
) -> tuple[Floats, Floats]:
    chance = 0.05 + 0.4 * rng.beta(1.8, 1.2, (samples, 1))
    ours = rng.random((samples, repeats)) < chance + effect
    theirs = rng.random((samples, repeats)) < chance
    return ours.astype(np.float64), theirs.astype(np.float64)


def _lopsided(rng: np.random.Generator, samples: int, repeats: int, effect: float) -> tuple[Floats, Floats]:
    """As costs are: a few samples respond far more than most (a response of skewness 1)."""
    level, response = rng.gamma(2, 0.3, (samples, 1)), 0.1 * (rng.gamma(4, 1, (samples, 1)) / 2 - 2)
    return level + response + effect + rng.normal(0, 0.05, (samples, repeats)), level + rng.normal(
        0, 0.05, (samples, repeats)
    )


def _shared(rng: np.random.Generator, samples: int, repeats: int, effect: float) -> tuple[Floats, Floats]:
    ours, theirs = _scores(rng, samples, repeats, effect)
    return ours + np.repeat(rng.normal(0, 0.1, (samples // PER_SOURCE, 1)), PER_SOURCE, axis=0), theirs


KINDS: Final[dict[str, Draw]] = {
    "scores": _scores,
    "right or wrong": _right_or_wrong,
    "lopsided": _lopsided,
    "two samples per source": _shared,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """A design point."""

    kind: str
    samples: int
    repeats: int

    @property
    def sources(self) -> dict[str, str]:
        """Sample to source, where sources are shared."""
        if KINDS[self.kind] is not _shared:
            return {}
        return {f"s{index:03}": str(index // PER_SOURCE) for index in range(self.samples)}

    @property
    def units(self) -> int:
        """What is independent of one another: samples, or sources where samples share them."""
        return self.samples // PER_SOURCE if self.sources else self.samples

    @property
    def step(self) -> float | None:
        """By how much a sample's difference can change, for right-or-wrong outcomes."""
        return 1 / self.repeats if KINDS[self.kind] is _right_or_wrong else None


DESIGNS: Final = [
    Design(kind=kind, samples=samples, repeats=repeats)
    for kind, samples, repeats in itertools.product(KINDS, SAMPLES, REPEATS)
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What came of a design, in shares of the simulated experiments."""

    design: Design
    covered: float
    false_claims: float
    effect: float
    """The difference the design says it detects at 80 % power, or the largest that is simulated."""
    planned: float
    """How often the design says that it is found."""
    found: float


def study(design: Design, experiments: int, *, seed: int = 2026) -> Finding:
    """Simulate a design without any effect, and half as often with the effect it is said to detect."""
    rng = np.random.default_rng([seed, DESIGNS.index(design)])
    effect, planned = plan_effect(design, rng)
    covered, false_claims = _simulate(design, experiments, 0.0, rng)
    _, found = _simulate(design, experiments // 2, effect, rng)
    return Finding(
        design=design,
        covered=covered,
        false_claims=false_claims,
        effect=effect,
        planned=planned,
        found=found,
    )


def plan_effect(design: Design, rng: np.random.Generator) -> tuple[float, float]:
    """Return the effect that the design detects, and its power; what it does to the scatter is counted in."""
    effect = deviation = 0.0
    for _ in range(6):
        deviation = _deviation(design, effect, rng)
        found = detectable_difference(deviation, design.units, step=design.step)
        effect = min(_LARGEST_EFFECT, found or _LARGEST_EFFECT)
    return effect, power_of(effect, deviation, design.units, step=design.step) or 0.0


def _deviation(design: Design, effect: float, rng: np.random.Generator) -> float:
    ours, theirs = KINDS[design.kind](rng, _PLANNING_SAMPLES, design.repeats, effect)
    differences = (ours - theirs).mean(axis=1)
    if design.sources:
        differences = differences.reshape(-1, PER_SOURCE).mean(axis=1)
    return float(differences.std(ddof=1))


def _simulate(
    design: Design, experiments: int, effect: float, rng: np.random.Generator
) -> tuple[float, float]:
    """Return how often the interval covers the effect, and how often a difference is claimed."""
    covered = claimed = 0
    for number in range(experiments):
        ours, theirs = KINDS[design.kind](rng, design.samples, design.repeats, effect)
        found = compare(_table(ours), _table(theirs), seed=number // _SAME_DRAWS, sources=design.sources)
        covered += found.interval is not None and found.interval.low <= effect <= found.interval.high
        claimed += judge(found, found.p, higher_is_better=True) is not Verdict.UNDECIDED
    return covered / experiments, claimed / experiments


def _table(values: Floats) -> dict[str, dict[int, float]]:
    return {f"s{i:03}": dict(enumerate(row)) for i, row in enumerate(values.tolist())}


def table(findings: Sequence[Finding], experiments: int) -> list[str]:
    """Return the findings as a Markdown table."""
    margin = 1.96 * math.sqrt(0.05 * 0.95 / experiments)
    found = 1.96 * math.sqrt(0.8 * 0.2 / (experiments // 2))
    size = f"{experiments:,} experiments without an effect and {experiments // 2:,} with it per design"
    return [
        f"Simulated, {size}; each share is uncertain by ±{margin:.1%}, what is found by ±{found:.1%}.",
        "",
        "| scores | samples | repeats | interval covers | false claims | effect | planned | found |",
        "|---|---|---|---|---|---|---|---|",
        *[
            f"| {f.design.kind} | {f.design.samples} | {f.design.repeats} | {f.covered:.1%} |"
            f" {f.false_claims:.1%} | {f.effect:.3f} | {f.planned:.0%} | {f.found:.0%} |"
            for f in findings
        ],
    ]


def write_block(page: Path, lines: Sequence[str], *, begin: str = _BEGIN, end: str = _END) -> None:
    """Put lines between two markers of a page, in place of what stands there."""
    text, block = page.read_text(encoding="utf-8"), "\n".join([begin, "", *lines, "", end])
    page.write_text(
        re.sub(f"{re.escape(begin)}.*{re.escape(end)}", lambda _: block, text, flags=re.DOTALL),
        encoding="utf-8",
    )


def _studied(experiments: int) -> Iterator[Finding]:
    for design in DESIGNS:
        finding = study(design, experiments)
        print(finding, file=sys.stderr, flush=True)
        yield finding


def main(arguments: list[str]) -> int:
    """Simulate every design and print the table, or write it into a page."""
    parser = argparse.ArgumentParser(description="Simulate the statistics' coverage, errors and power.")
    parser.add_argument("--experiments", type=int, default=4_000, help="simulated per design")
    parser.add_argument("--page", type=Path, help="a page with the markers of the table")
    options = parser.parse_args(arguments)
    lines = table(list(_studied(options.experiments)), options.experiments)
    print("\n".join(lines))
    if options.page:
        write_block(options.page, lines)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
