"""The suite's door: what the experiment engine calls.

Knows nothing about arms, models or experiments. Everything here is pure; files are read once, at first use.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from nightschool.core.errors import Malformed

from . import playbook
from .generate import Drawn, draw_contract, pages_of
from .scoring import Score, score_review

__all__ = ["Drawn", "SampleSpec", "Score", "draw", "playbook_text", "samples", "score"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleSpec:
    """One document of the suite, to be drawn."""

    id: str
    facts: dict[str, Any]


def samples(config: Mapping[str, Any]) -> list[SampleSpec]:
    """Return the suite's samples.

    Args:
        config: the contents of ``suite.yaml``; ``samples`` lists the ids.

    Raises:
        Malformed: ``samples`` is not a list of ids.
        NotFound: an id has no valid form.
    """
    ids = config.get("samples")
    if not isinstance(ids, list) or not ids:
        raise Malformed(
            "suite.yaml: the field 'samples' must be a list of ids such as p045-2", field="samples"
        )
    return [SampleSpec(id=str(sample_id), facts={"pages": pages_of(str(sample_id))}) for sample_id in ids]


def draw(sample_id: str, epoch: int, seed: int) -> Drawn:
    """Draw one contract; the same arguments give the same contract, the same sample the same truth."""
    return draw_contract(sample_id, epoch, seed)


def playbook_text() -> str:
    """Return the playbook as it stands in a system prompt."""
    return playbook.playbook_text()


def score(gold: list[dict[str, Any]], answer: Mapping[str, Any], document: str) -> Score:
    """Score a review of a contract against its truth."""
    return score_review(gold, answer, document)
