"""The suite's door: what the experiment engine calls.

Knows nothing about arms, models or experiments. Everything here is pure; files are read once, at first use.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nightschool.experiments.suite_parts import Drawn, SampleSpec, Score, listed_samples

from . import playbook
from .generate import draw_contract, pages_of
from .scoring import score_review

__all__ = ["draw", "playbook_text", "samples", "score"]


def samples(config: Mapping[str, Any]) -> list[SampleSpec]:
    """Return the suite's samples.

    Args:
        config: the contents of ``suite.yaml``; ``samples`` lists the ids.

    Raises:
        Malformed: ``samples`` is not a list of ids.
        NotFound: an id has no valid form.
    """
    return listed_samples(config, lambda name: {"pages": pages_of(name)}, example="p045-2")


def draw(sample_id: str, epoch: int, seed: int) -> Drawn:
    """Draw one contract; the same arguments give the same contract, the same sample the same truth."""
    return draw_contract(sample_id, epoch, seed)


def playbook_text() -> str:
    """Return the playbook as it stands in a system prompt."""
    return playbook.playbook_text()


def score(gold: list[dict[str, Any]], answer: Mapping[str, Any], document: str) -> Score:
    """Score a review of a contract against its truth."""
    return score_review(gold, answer, document)
