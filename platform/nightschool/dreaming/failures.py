"""Task types that keep failing, and for what reason. Pure; works on episodes.

Errors are counted wherever they happened; a lesson needs sessions that failed, independent of one another,
with one cause in common. Retries inside one session count once. What the environment did is no lesson.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scipy import stats

from nightschool.dreaming.causes import Cause, group_alike
from nightschool.dreaming.episode import Episode, Result
from nightschool.dreaming.rules import Rules

__all__ = ["ErrorCount", "FailingType", "error_counts", "failing_types"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorCount:
    """One error, however often it came up."""

    tool: str
    template: str
    cause: Cause
    count: int
    """Calls that ended in it."""
    sessions: int
    """Sessions in which it came up."""
    failed_sessions: int
    """Those of them that failed."""
    events: tuple[str, ...]
    """Ids of the calls."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FailingType:
    """A kind of task, its failures, and the cause most of them share."""

    task_type: str
    sessions: int
    """Judged sessions."""
    failures: int
    environment: int
    """Failures that the environment explains; not among `failures`."""
    causes: tuple[tuple[str, str, int], ...]
    """Tool, error template, failed sessions with it; most frequent first."""
    shared: int
    """Failed sessions with the most frequent cause."""
    p_value: float
    """Chance of so many failures with that cause if the type failed as often as types do by chance."""
    gate: str
    """Why there is no lesson; empty when there is one."""
    evidence: tuple[tuple[str, str], ...]
    """Session and call of each failure with the shared cause, once per session."""


def error_counts(episodes: Sequence[Episode]) -> list[ErrorCount]:
    """Return every error with its counts, most frequent first."""
    stand_for = _representatives(episodes)
    found: dict[tuple[str, str, Cause], list[tuple[Episode, str]]] = defaultdict(list)
    for episode in episodes:
        for call in episode.calls:
            if call.error and call.cause is not None:
                found[call.tool, stand_for.get(call.error, call.error), call.cause].append(
                    (episode, call.event_id)
                )
    counts = [
        ErrorCount(
            tool=tool,
            template=template,
            cause=cause,
            count=len(hits),
            sessions=len({episode.session_id for episode, _ in hits}),
            failed_sessions=len(
                {episode.session_id for episode, _ in hits if episode.result is Result.FAILURE}
            ),
            events=tuple(event for _, event in hits),
        )
        for (tool, template, cause), hits in found.items()
    ]
    return sorted(counts, key=lambda each: (-each.count, each.tool, each.template))


def _representatives(episodes: Sequence[Episode]) -> Mapping[str, str]:
    return group_alike(
        call.error for episode in episodes for call in episode.calls if call.cause is Cause.UNKNOWN
    )


def failing_types(episodes: Sequence[Episode], rules: Rules, *, by_task: bool = False) -> list[FailingType]:
    """Return the types with enough failures, with the gate that each one passes or not; most failures first.

    Args:
        episodes: in order.
        rules: how many failures are enough, and whether they must exceed chance.
        by_task: group by the very same task instead of by its type.
    """
    stand_for = _representatives(episodes)
    groups: dict[str, list[Episode]] = defaultdict(list)
    for episode in episodes:
        if episode.result in {Result.SUCCESS, Result.FAILURE}:
            groups[episode.task if by_task else episode.task_type].append(episode)
    found = [_failing(name, group, rules, stand_for) for name, group in groups.items()]
    enough = [each for each in found if each.failures + each.environment >= rules.min_failures]
    return sorted(enough, key=lambda each: (-each.failures, each.task_type))


def _failing(
    name: str, episodes: Sequence[Episode], rules: Rules, stand_for: Mapping[str, str]
) -> FailingType:
    failed = [episode for episode in episodes if episode.result is Result.FAILURE]
    caused = [episode for episode in failed if not episode.is_environmental]
    first: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for episode in caused:
        for call in episode.calls:
            if call.error and call.cause is not Cause.ENVIRONMENT:
                key = (call.tool, stand_for.get(call.error, call.error))
                first[key].setdefault(episode.session_id, call.event_id)
    causes = Counter({key: len(sessions) for key, sessions in first.items()})
    ranked = sorted(causes.items(), key=lambda item: (-item[1], item[0]))
    shared = ranked[0][1] if ranked else 0
    judged = len(episodes) - (len(failed) - len(caused))
    p_value = _chance(shared, judged, rules.chance_failure_rate)
    return FailingType(
        task_type=name,
        sessions=len(episodes),
        failures=len(caused),
        environment=len(failed) - len(caused),
        causes=tuple((tool, template, count) for (tool, template), count in ranked),
        shared=shared,
        p_value=p_value,
        gate=_gate(len(caused), shared, p_value, rules),
        evidence=tuple(sorted(first[ranked[0][0]].items())) if ranked else (),
    )


def _chance(count: int, sessions: int, rate: float) -> float:
    """Return the probability of ``count`` or more failures in so many sessions at this rate."""
    return float(stats.binom.sf(count - 1, sessions, rate)) if count else 1.0


def _gate(failures: int, shared: int, p_value: float, rules: Rules) -> str:
    if failures < rules.min_failures:
        return f"{failures} failures that are not the environment's; {rules.min_failures} are needed"
    if not shared:
        return "no failed call explains the failures"
    if not rules.rate_test:
        return ""
    if shared < rules.min_failures:
        return f"{failures} failures, but no cause is shared by {rules.min_failures} of them"
    if p_value > rules.significance:
        return f"so many failures are expected by chance (p = {p_value:.3f})"
    return ""
