"""The suite's door: what the experiment engine calls.

Knows nothing about arms, models or experiments. Everything here is pure; files are read once, at first use.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from nightschool.experiments.suite_parts import Drawn, SampleSpec, Score, listed_samples

from .books import draw_books, level_of, rows_of
from .scoring import score_review

__all__ = ["draw", "playbook_text", "samples", "score"]


def samples(config: Mapping[str, Any]) -> list[SampleSpec]:
    """Return the suite's samples.

    Raises:
        Malformed: ``samples`` is not a list of ids.
        NotFound: an id has no valid form.
    """
    return listed_samples(
        config, lambda name: {"level": level_of(name), "rows": rows_of(name)}, example="easy-1"
    )


def draw(sample_id: str, epoch: int, seed: int) -> Drawn:
    """Draw one year's books; the same arguments give the same books, the same sample the same errors."""
    return draw_books(sample_id, epoch, seed)


@lru_cache(maxsize=1)
def playbook_text() -> str:
    """Return the ten checks as they stand in a system prompt."""
    return Path(__file__).with_name("playbook.md").read_text(encoding="utf-8")


def score(gold: Sequence[Mapping[str, Any]], answer: Mapping[str, Any], document: str) -> Score:
    """Score a review of the books against their truth."""
    return score_review(gold, answer, document)
