"""The two sets of rules a dream can follow. Knows nothing about how they are applied.

``plain`` is the rule as it is usually told: three failures make a lesson, two successes a template, the newer
statement wins, a memory's rank is cosine x confidence x recency. ``sharpened`` mends where that fails: see
docs/concepts/dreaming.md. Both run, because comparing them is an experiment.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from nightschool.core.errors import NotFound

__all__ = ["PLAIN", "RULES", "SHARPENED", "Rules", "rules_named"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What has to be shown before something is remembered, and who wins when two memories disagree."""

    name: str
    min_failures: int = 3
    """Failures of independent sessions of one task type before there is a lesson."""
    min_successes: int = 2
    """Successes of independent sessions before there is a template; one alone is a candidate."""
    max_retries: float = 1.0
    """Failed calls per session, on average, that a path may have and still be a template."""
    rate_test: bool
    """Failures must also be more frequent than chance."""
    chance_failure_rate: float = 0.2
    """How often a type of task fails by itself: what the rate test compares with."""
    significance: float = 0.05
    """The rate test's level."""
    stratified: bool
    """A strategy must help where work is needed, not only where doing nothing passes."""
    independent_label: bool
    """A success must be confirmed by a check the agent cannot see, or by two different judges."""
    evidence_decides: bool
    """A contradiction is settled by evidence; else the newer statement wins whatever it says it about."""
    bounded_recall: bool
    """Recency and confidence can move a memory's rank a little, never override likeness."""
    max_archived_share: float = 0.2
    """When a dream would archive more than this share of the active memories, its adoption is held."""


PLAIN: Final = Rules(
    name="plain",
    rate_test=False,
    stratified=False,
    independent_label=False,
    evidence_decides=False,
    bounded_recall=False,
)
SHARPENED: Final = Rules(
    name="sharpened",
    rate_test=True,
    stratified=True,
    independent_label=True,
    evidence_decides=True,
    bounded_recall=True,
)
RULES: Final = {rules.name: rules for rules in (PLAIN, SHARPENED)}
"""By name."""


def rules_named(name: str) -> Rules:
    """Return a set of rules.

    Raises:
        NotFound: there is none of that name.
    """
    if name not in RULES:
        raise NotFound(f"there are no rules {name!r}; there are {', '.join(RULES)}")
    return RULES[name]
