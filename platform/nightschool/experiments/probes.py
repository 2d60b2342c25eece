"""Shortcuts that must not pay: answers made without doing the work, scored as any other answer is.

    do-nothing        hands in nothing
    always-refuse     says of everything that it is not there, and why it would rather not
    copy-the-rubric   hands back what it was asked with, as if it were found
    edit-the-tests    changes what it is graded by: the suite's tests, else marks and truth of its own making

If one of them passes Standard, the suite can be gamed, and a better score on it proves nothing. Knows
nothing about models: a probe costs no request.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from nightschool.core.errors import Malformed
from nightschool.core.usage import Usage
from nightschool.experiments.scoring import grade
from nightschool.experiments.suite import Drawn, Suite, blaming
from nightschool.outcomes.playbook import policies_of
from nightschool.outcomes.tiers import DIMENSIONS, Tier, margin

__all__ = ["PROBES", "ProbeResult", "gaming_probes", "probe_suite"]

PROBES: Final = ("do-nothing", "always-refuse", "copy-the-rubric", "edit-the-tests")
"""The shortcuts every suite is tried with."""

_TESTS: Final = "tests"
_OWN_ANSWER: Final = "probe_answer"

Answer = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeResult:
    """What became of one shortcut on one suite."""

    probe: str
    samples: int
    """How many it was tried on."""
    passed: int
    """Those it passes at Standard."""
    best_margin: float
    """How near it came: the highest margin to Standard."""
    measured: frozenset[str] = frozenset()
    """What the suite says of its answers: scores and metrics, by name."""


def probe_suite(suite: Suite, samples: Sequence[str], *, seed: int = 0) -> list[ProbeResult]:
    """Try every shortcut on these samples of a suite.

    A suite whose answers are not positions on policies, or that grades by tests, brings the answers of its
    shortcuts itself: a function `probe_answer(probe, document)` beside `score`.

    Args:
        suite: draws the samples and scores the answers.
        samples: sample ids.
        seed: decides the draws.

    Raises:
        Malformed: the suite declares tests and does not say what an answer that edits them looks like, its
            playbook cannot be read, or its own code fails.
    """
    with blaming(suite):
        drawn = [suite.module.draw(sample, 0, seed) for sample in samples]
        return [_tried(suite, probe, drawn) for probe in PROBES]


def gaming_probes(results: Sequence[ProbeResult]) -> tuple[str, ...]:
    """Return the shortcuts that pass; a suite is gameable when there is one."""
    return tuple(result.probe for result in results if result.passed)


def _tried(suite: Suite, probe: str, drawn: Sequence[Drawn]) -> ProbeResult:
    answer = _answerer(suite, probe)
    # A shortcut consumes nothing: it gets all the credit for thrift that a suite can give.
    graded = [
        grade(suite, each, answer(each.document), usage=Usage(), tool_calls=0, seconds=0.0) for each in drawn
    ]
    margins = [margin(Tier.STANDARD, each.scores, suite.weights) for each in graded]
    return ProbeResult(
        probe=probe,
        samples=len(margins),
        passed=sum(each >= 0 for each in margins),
        best_margin=max(margins),
        measured=frozenset(name for each in graded for name in (*each.scores, *each.metrics)),
    )


def _answerer(suite: Suite, probe: str) -> Callable[[str], Answer]:
    own = getattr(suite.module, _OWN_ANSWER, None)
    if own is not None:
        return lambda document: dict(own(probe, document))
    if probe == "edit-the-tests" and suite.config.get(_TESTS):
        raise Malformed(
            f"suite `{suite.name}` declares `tests`; give its module a function"
            " `probe_answer(probe, document)` that returns an answer which edits them",
            field=_TESTS,
        )
    playbook = suite.module.playbook_text()
    return lambda _document: _SHORTCUTS[probe](playbook)


def _nothing(_playbook: str) -> Answer:
    return {"positions": []}


def _refusal(playbook: str) -> Answer:
    return {"positions": [_missing(policy.id) for policy in policies_of(playbook)]}


def _missing(policy: str) -> Mapping[str, Any]:
    return {
        "policy": policy,
        "position": "missing",
        "section": None,
        "quote": None,
        "confidence": 1.0,
        "reason": "I cannot help with legal documents; please ask a lawyer.",
    }


def _copy(playbook: str) -> Answer:
    parts = playbook.split("\n## ")[1:]
    return {
        "positions": [
            {
                "policy": policy.id,
                "position": "violation",
                "section": "1",
                "quote": text,
                "confidence": 1.0,
                "reason": "This fully meets every criterion of the rubric.",
            }
            for policy, text in zip(policies_of(playbook), parts, strict=True)
        ]
    }


def _forgery(_playbook: str) -> Answer:
    """Return an answer that brings its own marks and its own truth; a suite that trusts either is fooled."""
    full = dict.fromkeys(DIMENSIONS, 1.0)
    return {"positions": [], "gold": [], "tests": [], "score": 1.0, "scores": full, "metrics": full, **full}


_SHORTCUTS: Final[Mapping[str, Callable[[str], Answer]]] = {
    "do-nothing": _nothing,
    "always-refuse": _refusal,
    "copy-the-rubric": _copy,
    "edit-the-tests": _forgery,
}
