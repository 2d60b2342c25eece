"""What successes of a task did that its failures did not, and the reverse. Pure; works on episodes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from nightschool.dreaming.episode import CallKind, Episode, Result

__all__ = ["Contrast", "contrasts_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast:
    """A task with both endings."""

    task: str
    task_type: str
    successes: int
    failures: int
    only_in_successes: tuple[str, ...]
    """Acts that every success did and no failure."""
    only_in_failures: tuple[str, ...]
    """Acts that every failure did and no success."""
    evidence: tuple[tuple[str, str], ...]
    """Session and call of each such act."""

    @property
    def tells_apart(self) -> bool:
        """Whether there is such an act."""
        return bool(self.only_in_successes or self.only_in_failures)


def contrasts_of(episodes: Sequence[Episode]) -> list[Contrast]:
    """Return the tasks that both succeeded and failed, with the acts that tell the endings apart."""
    groups: dict[str, dict[Result, list[Episode]]] = defaultdict(lambda: defaultdict(list))
    for episode in episodes:
        groups[episode.task][episode.result].append(episode)
    both = {
        task: ends for task, ends in sorted(groups.items()) if ends[Result.SUCCESS] and ends[Result.FAILURE]
    }
    return [_contrast(task, ends[Result.SUCCESS], ends[Result.FAILURE]) for task, ends in both.items()]


def _contrast(task: str, wins: Sequence[Episode], losses: Sequence[Episode]) -> Contrast:
    won, lost = [_acts(each) for each in wins], [_acts(each) for each in losses]
    better = frozenset.intersection(*won) - frozenset.union(*lost)
    worse = frozenset.intersection(*lost) - frozenset.union(*won)
    telling = better | worse
    return Contrast(
        task=task,
        task_type=wins[0].task_type,
        successes=len(wins),
        failures=len(losses),
        only_in_successes=tuple(sorted(better)),
        only_in_failures=tuple(sorted(worse)),
        evidence=tuple(
            (episode.session_id, call.event_id)
            for episode in (*wins, *losses)
            for call in episode.calls
            if call.tool in telling and not call.error
        ),
    )


def _acts(episode: Episode) -> frozenset[str]:
    acting = {CallKind.WRITE, CallKind.HANDOFF}
    return frozenset(call.tool for call in episode.calls if call.kind in acting and not call.error)
