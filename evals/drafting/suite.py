"""The suite's door: what the experiment engine calls. Knows nothing about arms, models or experiments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nightschool.experiments.suite_parts import Drawn, SampleSpec, Score, listed_samples

from .books import draw_accounts, facts_of
from .brief import PATH, read_brief
from .scoring import score_report
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
    return listed_samples(config, facts_of, example="easy-1")


def draw(sample_id: str, epoch: int, seed: int) -> Drawn:
    """Draw one year; the same arguments give the same accounts."""
    return draw_accounts(sample_id, epoch, seed)


def playbook_text() -> str:
    """Return nothing: a task says itself what is to be done."""
    return ""


def score(gold: Mapping[str, Any], answer: Mapping[str, Any], document: str) -> Score:
    """Score a report against what it is to say."""
    return score_report(gold, answer, document)


def probe_answer(probe: str, document: str) -> dict[str, Any]:
    """Return what a shortcut hands in: nothing, a refusal, the template, or a report that says nothing."""
    brief = read_brief(document)
    wrong = frozenset(each.name for each in decisions(document) if each.kind != "form")
    content = {
        "do-nothing": None,
        "always-refuse": f"# Annual report of {brief.company}\n\nI cannot help with accounts.",
        "copy-the-rubric": document.partition("## 5 Template")[2].replace("\n    ", "\n"),
        "edit-the-tests": made(document, wrong)["files"][0]["content"],
    }[probe]
    return {} if content is None else {"files": [{"path": PATH, "content": content}]}
