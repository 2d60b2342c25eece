"""All that a dream finds. Pure: the same episodes, in any order, give the same findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from nightschool.dreaming.economy import Economy, economy_of
from nightschool.dreaming.episode import Episode, Result, in_order
from nightschool.dreaming.failures import ErrorCount, FailingType, error_counts, failing_types
from nightschool.dreaming.pairs import Contrast, contrasts_of
from nightschool.dreaming.rules import Rules
from nightschool.dreaming.strata import StrategyTable, tool_strategies
from nightschool.dreaming.templates import Template, templates_of

__all__ = ["Findings", "mine"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What the episodes show."""

    episodes: tuple[Episode, ...]
    """Those learnt from, in order of the time they happened."""
    excluded: tuple[tuple[str, str], ...]
    """Sessions nothing was learnt from, and why."""
    errors: tuple[ErrorCount, ...]
    failing_types: tuple[FailingType, ...]
    failing_tasks: tuple[FailingType, ...]
    templates: tuple[Template, ...]
    strategies: tuple[StrategyTable, ...]
    contrasts: tuple[Contrast, ...]
    economy: Economy

    @property
    def results(self) -> dict[str, int]:
        """Return how many sessions ended how."""
        counts = Counter(episode.result for episode in self.episodes)
        return {result: counts[result] for result in Result}

    @property
    def labels(self) -> dict[str, int]:
        """Return how many sessions each source judged."""
        return dict(sorted(Counter(label.source for each in self.episodes for label in each.labels).items()))

    @property
    def disputed(self) -> tuple[str, ...]:
        """Return the sessions where grader and check disagree."""
        return tuple(each.session_id for each in self.episodes if each.result is Result.DISPUTED)


def mine(episodes: Iterable[Episode], rules: Rules) -> Findings:
    """Return what the episodes show under a set of rules."""
    ordered = in_order(episodes)
    usable = [episode for episode in ordered if not episode.excluded]
    sound = [episode for episode in usable if not episode.is_environmental]
    return Findings(
        episodes=tuple(usable),
        excluded=tuple((episode.session_id, episode.excluded) for episode in ordered if episode.excluded),
        errors=tuple(error_counts(usable)),
        failing_types=tuple(failing_types(usable, rules)),
        failing_tasks=tuple(failing_types(usable, rules, by_task=True)),
        templates=tuple(templates_of(sound, rules)),
        strategies=tuple(tool_strategies(sound)),
        contrasts=tuple(contrasts_of(sound)),
        economy=economy_of(usable),
    )
