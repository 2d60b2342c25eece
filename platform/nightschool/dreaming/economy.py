"""Calls that were not needed: repeats, loops, results nobody used. Pure; works on episodes.

A repeat is the same tool with the same arguments in the same session. Reading again is needless only when
nothing was changed in between, the first reading did not fail, and all readings gave the same: otherwise it
was a check, another try, or waiting for something to change. Writing again is never "needless": it is
another try after an error, or it may have had its effect twice.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from nightschool.dreaming.episode import Call, CallKind, Episode

__all__ = ["Economy", "Loop", "Repeats", "economy_of", "loops_of", "repeats_of"]

_LONGEST_CYCLE: Final = 3
_FEWEST_ROUNDS: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeats:
    """Repeated calls of one session or many, by what they mean."""

    needless_reads: int = 0
    after_change: int = 0
    """Read again after something was changed: a check, not counted as needless."""
    polling: int = 0
    """Read again, and the result was another: waiting, not counted as needless."""
    read_retries: int = 0
    """Read again after an error."""
    thoughts: int = 0
    """The same thought or computation again."""
    write_retries: int = 0
    """Written again after an error."""
    double_writes: int = 0
    """Written again after a success: the effect may have happened twice."""
    handoffs: int = 0
    """Handed over again."""
    by_tool: tuple[tuple[str, int], ...] = ()
    """Needless reads, tool by tool, most first."""
    events: tuple[str, ...] = ()
    """Ids of the needless reads and double writes."""

    @property
    def reads(self) -> int:
        """All repeated reads."""
        return self.needless_reads + self.after_change + self.polling + self.read_retries

    @property
    def writes(self) -> int:
        """All repeated writes."""
        return self.write_retries + self.double_writes


class Loop(NamedTuple):
    """The same calls round and round."""

    session_id: str
    tools: tuple[str, ...]
    rounds: int
    event_id: str
    """The first call of the first round."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Economy:
    """What could have been spared."""

    calls: int
    repeats: Repeats
    loops: tuple[Loop, ...]
    unused: tuple[tuple[str, int], ...]
    """Readings whose result left no trace, tool by tool, most first."""
    calls_per_success: float | None
    calls_per_failure: float | None


@dataclass(slots=True)
class _Count:
    kinds: Counter[str] = field(default_factory=Counter)
    tools: Counter[str] = field(default_factory=Counter)
    events: list[str] = field(default_factory=list)

    def finished(self) -> Repeats:
        return Repeats(
            **self.kinds,
            by_tool=tuple(sorted(self.tools.items(), key=lambda item: (-item[1], item[0]))),
            events=tuple(self.events),
        )


def repeats_of(episodes: Iterable[Episode]) -> Repeats:
    """Return the repeats within each session, added up."""
    count = _Count()
    for episode in episodes:
        _count_session(episode.calls, count)
    return count.finished()


def _count_session(calls: Sequence[Call], count: _Count) -> None:
    groups: dict[tuple[str, str], list[tuple[int, Call]]] = {}
    changes = 0
    for call in calls:
        groups.setdefault((call.tool, call.arguments_hash), []).append((changes, call))
        changes += call.kind is CallKind.WRITE and not call.error
    for same in groups.values():
        for before, now in itertools.pairwise(same):
            kind = _meaning(before, now, is_polling=_is_polling(now[0], same))
            count.kinds[kind] += 1
            if kind == "needless_reads":
                count.tools[now[1].tool] += 1
            if kind in {"needless_reads", "double_writes"}:
                count.events.append(now[1].event_id)


def _is_polling(changes: int, same: Sequence[tuple[int, Call]]) -> bool:
    """Whether the same reading gave different results while the agent changed nothing."""
    return len({call.result_hash for at, call in same if at == changes and not call.error}) > 1


def _meaning(before: tuple[int, Call], now: tuple[int, Call], *, is_polling: bool) -> str:
    failed_before = bool(before[1].error)
    match now[1].kind:
        case CallKind.WRITE:
            return "write_retries" if failed_before else "double_writes"
        case CallKind.HANDOFF:
            return "handoffs"
        case CallKind.THOUGHT:
            return "thoughts"
        case CallKind.READ:
            if failed_before:
                return "read_retries"
            if before[0] != now[0]:
                return "after_change"
            return "polling" if is_polling else "needless_reads"


def loops_of(episode: Episode) -> list[Loop]:
    """Return where up to three calls went round at least three times, arguments and results the same."""
    keys = [(call.tool, call.arguments_hash, call.result_hash) for call in episode.calls]
    loops: list[Loop] = []
    start = 0
    while start < len(keys):
        cycle, rounds = _round(keys, start)
        if rounds >= _FEWEST_ROUNDS:
            tools = tuple(call.tool for call in episode.calls[start : start + cycle])
            loops.append(Loop(episode.session_id, tools, rounds, episode.calls[start].event_id))
            start += cycle * rounds
        else:
            start += 1
    return loops


def _round(keys: Sequence[tuple[str, str, str]], start: int) -> tuple[int, int]:
    for cycle in range(1, _LONGEST_CYCLE + 1):
        first, rounds = keys[start : start + cycle], 1
        while keys[start + rounds * cycle : start + (rounds + 1) * cycle] == first:
            rounds += 1
        if rounds >= _FEWEST_ROUNDS:
            return cycle, rounds
    return 1, 1


def economy_of(episodes: Sequence[Episode]) -> Economy:
    """Return what could have been spared in these sessions."""
    unused = Counter(
        call.tool for episode in episodes for call in episode.calls if not call.is_used and not call.error
    )
    return Economy(
        calls=sum(len(episode.calls) for episode in episodes),
        repeats=repeats_of(episodes),
        loops=tuple(loop for episode in episodes for loop in loops_of(episode)),
        unused=tuple(sorted(unused.items(), key=lambda item: (-item[1], item[0]))),
        calls_per_success=_mean_calls(episodes, "success"),
        calls_per_failure=_mean_calls(episodes, "failure"),
    )


def _mean_calls(episodes: Sequence[Episode], result: str) -> float | None:
    counts = [len(episode.calls) for episode in episodes if episode.result == result]
    return sum(counts) / len(counts) if counts else None
