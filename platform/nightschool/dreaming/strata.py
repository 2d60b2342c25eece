"""Whether a strategy helps where there is work to do, or only where doing nothing passes. Pure.

A task belongs to the stratum that its successes show: it needs work when a successful session changed
something, none when those that succeeded changed nothing, and is unsolved when nobody succeeded. Nothing
but the log is asked: no gold answers. A strategy that changes nothing and whose lift comes from the second
stratum alone only looks rewarded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from nightschool.dreaming.episode import CallKind, Episode, Result

__all__ = ["Need", "Row", "StrategyTable", "need_of_tasks", "stratify", "tool_strategies"]


class Need(StrEnum):
    """What a task needs, as far as its sessions tell."""

    WORK = "work"
    NONE = "none"
    UNSOLVED = "unsolved"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Sessions of one stratum: how many succeeded with the strategy and without it."""

    stratum: str
    with_successes: int
    with_sessions: int
    without_successes: int
    without_sessions: int

    @property
    def lift(self) -> float | None:
        """Difference of success rates; None when a side has no sessions."""
        if not self.with_sessions or not self.without_sessions:
            return None
        return self.with_successes / self.with_sessions - self.without_successes / self.without_sessions


@dataclass(frozen=True, slots=True, kw_only=True)
class StrategyTable:
    """A strategy's success, overall and where it matters."""

    strategy: str
    kind: CallKind
    overall: Row
    rows: tuple[Row, ...]
    sessions: tuple[str, ...]
    """Sessions that used it."""

    def row(self, need: Need) -> Row:
        """Return one stratum's row."""
        return next(row for row in self.rows if row.stratum == need)

    @property
    def needed(self) -> Row:
        """Return the sessions of tasks that need work, or that nobody solved."""
        return _merged("work or unsolved", self.row(Need.WORK), self.row(Need.UNSOLVED))

    @property
    def is_sham(self) -> bool:
        """Whether it hands over and only looks rewarded."""
        return self.kind is CallKind.HANDOFF and bool(self.objection)

    @property
    def objection(self) -> str:
        """Return why it must not be promoted; empty when nothing speaks against it.

        Handing over must help where work is needed. What acts or looks things up must help in some stratum,
        if there is one in which it can be compared at all.
        """
        needed, idle = self.needed, self.row(Need.NONE)
        if self.kind is CallKind.HANDOFF:
            if needed.lift is not None and needed.lift > 0:
                return ""
            return (
                f"no lift where work is needed ({_against(needed)}); it looks rewarded where an untouched"
                f" state passes ({_against(idle)})"
            )
        lifts = [lift for lift in (needed.lift, idle.lift) if lift is not None]
        if lifts and max(lifts) <= 0:
            return f"no lift where work is needed ({_against(needed)}), nor elsewhere ({_against(idle)})"
        return ""


def _against(row: Row) -> str:
    return (
        f"{row.with_successes}/{row.with_sessions} with it,"
        f" {row.without_successes}/{row.without_sessions} without"
    )


def need_of_tasks(episodes: Iterable[Episode]) -> dict[str, Need]:
    """Return each task's stratum."""
    worked: dict[str, list[bool]] = {}
    for episode in episodes:
        worked.setdefault(episode.task, [])
        if episode.result is Result.SUCCESS:
            worked[episode.task].append(episode.has_worked)
    return {
        task: Need.UNSOLVED if not wins else Need.WORK if any(wins) else Need.NONE
        for task, wins in worked.items()
    }


def stratify(
    strategy: str,
    kind: CallKind,
    episodes: Sequence[Episode],
    uses: Callable[[Episode], bool],
    needs: dict[str, Need],
) -> StrategyTable:
    """Return a strategy's table over judged sessions."""
    judged = [each for each in episodes if each.result in {Result.SUCCESS, Result.FAILURE}]
    rows = [_row(need, [episode for episode in judged if needs[episode.task] is need], uses) for need in Need]
    return StrategyTable(
        strategy=strategy,
        kind=kind,
        overall=_merged("all", *rows),
        rows=tuple(rows),
        sessions=tuple(episode.session_id for episode in judged if uses(episode)),
    )


def tool_strategies(episodes: Sequence[Episode]) -> list[StrategyTable]:
    """Return the table of every tool that acts: one that writes or hands over."""
    needs = need_of_tasks(episodes)
    tools = {call.tool: call.kind for episode in episodes for call in episode.calls}
    acting = {name: kind for name, kind in tools.items() if kind in {CallKind.WRITE, CallKind.HANDOFF}}
    return [stratify(name, kind, episodes, _calls(name), needs) for name, kind in sorted(acting.items())]


def _calls(tool: str) -> Callable[[Episode], bool]:
    return lambda episode: any(call.tool == tool for call in episode.calls)


def _row(stratum: str, episodes: Sequence[Episode], uses: Callable[[Episode], bool]) -> Row:
    sides: dict[bool, list[bool]] = {True: [], False: []}
    for episode in episodes:
        sides[uses(episode)].append(episode.result is Result.SUCCESS)
    return Row(
        stratum=stratum,
        with_successes=sum(sides[True]),
        with_sessions=len(sides[True]),
        without_successes=sum(sides[False]),
        without_sessions=len(sides[False]),
    )


def _merged(stratum: str, *rows: Row) -> Row:
    return Row(
        stratum=stratum,
        with_successes=sum(row.with_successes for row in rows),
        with_sessions=sum(row.with_sessions for row in rows),
        without_successes=sum(row.without_successes for row in rows),
        without_sessions=sum(row.without_sessions for row in rows),
    )
