"""The suite's door: what the experiment engine calls.

Knows nothing about arms, models or experiments. Everything here is pure; files are read once, at first use.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from nightschool.core.errors import Malformed

from .books import Drawn, draw_books, level_of, rows_of
from .scoring import Score, score_review

__all__ = ["Drawn", "SampleSpec", "Score", "draw", "playbook_text", "samples", "score"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleSpec:
    """One company's year, to be drawn."""

    id: str
    facts: dict[str, Any]


def samples(config: Mapping[str, Any]) -> list[SampleSpec]:
    """Return the suite's samples.

    Raises:
        Malformed: ``samples`` is not a list of ids.
        NotFound: an id has no valid form.
    """
    ids = config.get("samples")
    if not isinstance(ids, list) or not ids:
        raise Malformed(
            "suite.yaml: the field 'samples' must be a list of ids such as easy-1", field="samples"
        )
    return [
        SampleSpec(id=str(name), facts={"level": level_of(str(name)), "rows": rows_of(str(name))})
        for name in ids
    ]


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
