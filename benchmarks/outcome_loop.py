"""What an outcome loop brings on the suite `files`, by how often feedback mends and how much the grader sees.

    .venv/bin/python -m benchmarks.outcome_loop [REPEATS]

Every number is simulated: author and grader err as `evals/files/suite.yaml` declares, and the two rates are
varied. Prints a Markdown table of the difference in files that are right, in points, between a loop held to
Strict with three gradings at most and a single draft.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

from nightschool.experiments.hand_in_grading import SimulatedGrader, judged
from nightschool.experiments.suite import Suite, load_suite
from nightschool.models.simulated_author import Habits, SimulatedAuthor
from nightschool.outcomes.revision import CLOSING, FEEDBACK_HEADING
from nightschool.outcomes.tiers import Tier

EVALS = Path(__file__).resolve().parents[1] / "evals"
RATES = (0.25, 0.5, 0.75, 1.0)
ROUNDS = 3


def main() -> None:
    """Simulate and print."""
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 8
    suite = load_suite("files", [EVALS])
    declared = suite.habits or Habits()
    single = success(suite, declared, repeats, rounds=1)
    print(f"simulated; {len(single)} tasks × {repeats}; a single draft is right in {single.mean():.0%}\n")
    print("| feedback mends | " + " | ".join(f"grader sees {rate:.0%}" for rate in RATES) + " |")
    print("|---" * (len(RATES) + 1) + "|")
    for mends in RATES:
        cells = []
        for detects in RATES:
            habits = replace(declared, mends=mends, detects=detects)
            gain = success(suite, habits, repeats, rounds=ROUNDS) - single
            half = 1.96 * gain.std(ddof=1) / np.sqrt(len(gain))
            cells.append(f"{100 * gain.mean():+.0f} ± {100 * half:.0f}")
        print(f"| {mends:.0%} | " + " | ".join(cells) + " |")


def success(suite: Suite, habits: Habits, repeats: int, *, rounds: int) -> np.ndarray:
    """Return the share of repeats that end in a file that is right, by task."""
    names = [sample.id for sample in suite.module.samples(suite.config)]
    return np.array(
        [np.mean([_tried(suite, habits, name, epoch, rounds) for epoch in range(repeats)]) for name in names]
    )


def _tried(suite: Suite, habits: Habits, name: str, epoch: int, rounds: int) -> float:
    drawn, seed = suite.module.draw(name, epoch, 0), f"{rounds}|{name}|{epoch}"
    author = SimulatedAuthor(
        craft=suite.craft,
        tool="hand_in_files",
        feedback_heading=FEEDBACK_HEADING,
        closing=CLOSING,
        habits=habits,
        seed=seed,
    )
    grader = SimulatedGrader(craft=suite.craft, habits=habits, seed=seed)
    said: list[str] = []
    answer = suite.craft.made(drawn.document, author.errors_after(drawn.document, said))
    for _ in range(rounds - 1):
        verdict = judged(suite, drawn.document, grader, Tier.STRICT, answer)
        if verdict.satisfied:
            break
        said.append(FEEDBACK_HEADING + "\n".join(verdict.feedback))
        answer = suite.craft.made(drawn.document, author.errors_after(drawn.document, said))
    return suite.module.score(drawn.gold, answer, drawn.document).metrics["success"]


if __name__ == "__main__":
    main()
