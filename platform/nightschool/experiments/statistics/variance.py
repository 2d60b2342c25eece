"""Where the scatter of a score comes from: the task, the run, the grader.

    score = mean + task + run within task + grading within run

The parts say what to buy: more samples, more repeats, or more gradings of each answer. Estimated by the
analysis of variance for nested designs that need not be balanced (Searle, Casella and McCulloch 1992, ch. 5).
Pure. Knows nothing about graders; a score that code decides has no grading part.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from nightschool.core.errors import InvalidInput
from nightschool.experiments.statistics.pairing import Floats, finite

__all__ = ["VarianceParts", "variance_parts"]

Gradings = Mapping[str, Mapping[int, Sequence[float]]]
"""Sample to repeat to the scores that gradings of that one answer gave."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VarianceParts:
    """Variances; a part that the design cannot show is None, one estimated below zero is 0."""

    task: float | None
    run: float | None
    """Holds the grader's part too, where every answer was graded once."""
    grader: float | None
    samples: int
    runs: int
    gradings: int

    def of_mean(self, *, samples: int, repeats: int = 1, gradings: int = 1) -> float:
        """Return the variance of an arm's mean in a design of this size."""
        return (
            (self.task or 0.0) / samples
            + (self.run or 0.0) / (samples * repeats)
            + (self.grader or 0.0) / (samples * repeats * gradings)
        )

    @property
    def shares(self) -> dict[str, float]:
        """Each known part as a share of their sum; empty where nothing varies."""
        known = {
            name: value
            for name, value in (("task", self.task), ("run", self.run), ("grader", self.grader))
            if value is not None
        }
        total = sum(known.values())
        return {name: value / total for name, value in known.items()} if total > 0 else {}


def variance_parts(gradings: Gradings) -> VarianceParts:
    """Estimate the parts from scores by sample, repeat and grading.

    Raises:
        InvalidInput: there is no score, or one is not a finite number.
    """
    cells = [
        (sample, finite(list(scores)))
        for sample, runs in sorted(gradings.items())
        for _, scores in sorted(runs.items())
        if len(scores)
    ]
    if not cells:
        raise InvalidInput("no score to split the variance of")
    names = sorted({sample for sample, _ in cells})
    owner = np.array([names.index(sample) for sample, _ in cells])
    sizes = np.array([scores.size for _, scores in cells], dtype=np.float64)
    totals = np.array([scores.sum() for _, scores in cells])
    within = sum(float(((scores - scores.mean()) ** 2).sum()) for _, scores in cells)
    grader = _ratio(within, sizes.sum() - len(cells))
    run, task = _upper_parts(owner, sizes, totals, grader or 0.0)
    return VarianceParts(
        task=task, run=run, grader=grader, samples=len(names), runs=len(cells), gradings=int(sizes.sum())
    )


def _upper_parts(
    owner: np.typing.NDArray[np.intp], sizes: Floats, totals: Floats, grader: float
) -> tuple[float | None, float | None]:
    """Return the parts of run and task by setting mean squares to what they are expected to be."""
    n, by_task = float(sizes.sum()), np.bincount(owner, weights=sizes)
    task_totals, squares = np.bincount(owner, weights=totals), np.bincount(owner, weights=sizes**2)
    tasks, runs = len(by_task), len(sizes)
    between_runs = float((totals**2 / sizes).sum() - (task_totals**2 / by_task).sum())
    between_tasks = float((task_totals**2 / by_task).sum() - totals.sum() ** 2 / n)
    run: float | None = None
    if runs > tasks:
        weight = (n - float((squares / by_task).sum())) / (runs - tasks)
        run = max(0.0, (between_runs / (runs - tasks) - grader) / weight)
    if tasks < 2:
        return run, None
    run_weight = float((squares / by_task).sum() - squares.sum() / n) / (tasks - 1)
    task_weight = (n - float((by_task**2).sum()) / n) / (tasks - 1)
    left = between_tasks / (tasks - 1) - grader - run_weight * (run or 0.0)
    return run, max(0.0, left / task_weight)


def _ratio(total: float, freedom: float) -> float | None:
    return total / freedom if freedom > 0 else None
