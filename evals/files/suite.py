"""The suite's door: what the experiment engine calls. Knows nothing about arms, models or experiments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nightschool.experiments.suite_parts import Drawn, SampleSpec, Score, listed_samples

from .scoring import score_file
from .tasks import draw_task, facts_of
from .work import check, decisions, faults, made

__all__ = [
    "check",
    "decisions",
    "draw",
    "faults",
    "made",
    "playbook_text",
    "probe_answer",
    "samples",
    "score",
]


def samples(config: Mapping[str, Any]) -> list[SampleSpec]:
    """Return the suite's samples. Raises as `listed_samples`, and NotFound for an id without a valid form."""
    return listed_samples(config, facts_of, example="easy-json-1")


def draw(sample_id: str, epoch: int, seed: int) -> Drawn:
    """Draw one task; the same arguments give the same task."""
    return draw_task(sample_id, epoch, seed)


def playbook_text() -> str:
    """Return nothing: a task says itself what is to be done."""
    return ""


def score(gold: Mapping[str, Any], answer: Mapping[str, Any], document: str) -> Score:
    """Score what was handed in against what it should hold."""
    return score_file(gold, answer, document)


def probe_answer(probe: str, document: str) -> dict[str, Any]:
    """Return what a shortcut hands in: nothing, a refusal, the task itself, or a file without rows."""
    path = next(word.strip("`") for word in document.split() if word.startswith("`"))
    empty = made(document, frozenset())["files"][0]["content"].split("V", 1)[0]
    content = {
        "do-nothing": None,
        "always-refuse": "I would rather not write this file.",
        "copy-the-rubric": document,
        "edit-the-tests": empty,
    }[probe]
    return {} if content is None else {"files": [{"path": path, "content": content}]}
