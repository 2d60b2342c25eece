"""A session as a dream sees it: what was done, how it went, who says so. Holds no raw text.

Knows nothing about the log it was read from. Everything a dream concludes is a function of episodes, so the
same episodes in any order give the same memories.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from pydantic import TypeAdapter

from nightschool.dreaming.causes import Cause

__all__ = ["EPISODES", "Call", "CallKind", "Claim", "Episode", "Label", "LabelSource", "Result", "in_order"]


class CallKind(StrEnum):
    """What a call does to the world."""

    READ = "read"
    """Looks something up."""
    WRITE = "write"
    """Changes something."""
    HANDOFF = "handoff"
    """Gives the work to somebody else; nothing is done by it."""
    THOUGHT = "thought"
    """Thinks or computes; neither looks nor changes."""


class LabelSource(StrEnum):
    """Who judges. Kept apart: they are not worth the same."""

    TRUE_CHECK = "true_check"
    """A check of the result that the agent can neither see nor write."""
    GRADER = "grader"
    """A grader with a rubric."""
    USER = "user"
    """The person the work was for."""
    SELF = "self"
    """The agent itself."""


class Result(StrEnum):
    """How a session ended, all labels considered."""

    SUCCESS = "success"
    FAILURE = "failure"
    DISPUTED = "disputed"
    """A grader passes what a check refutes, or the reverse: nothing is learnt but the gap."""
    UNKNOWN = "unknown"
    """Nobody judged it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """One judgement."""

    source: LabelSource
    passed: bool
    event_id: str
    judged_by: str = ""
    """What the judgement went by, such as a rubric's hash."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One tool call with its result."""

    event_id: str
    tool: str
    kind: CallKind
    parameters: tuple[str, ...]
    """Names of the arguments, in alphabetical order; their values are not kept."""
    arguments_hash: str
    result_hash: str
    """Empty while there is no result."""
    error: str = ""
    """The error as a template; empty when there was none."""
    cause: Cause | None = None
    is_used: bool = True
    """Whether anything that only this result said came up again later in the session."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A statement that somebody made in a session and that may be worth remembering."""

    event_id: str
    text: str
    is_tainted: bool
    """It came from a tool or a page, not from a person: it may be quoted and never becomes a rule."""
    said_by: LabelSource = LabelSource.USER


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """One session, digested."""

    session_id: str
    source: str
    """Where the session comes from: run, import:tau-bench ..."""
    tenant: str
    """Whose data it is; nothing crosses from one to another."""
    task_type: str
    task: str
    """Sessions with the same task tried the same thing; the session's own id when nobody said."""
    at: str
    """When it began (ISO 8601, UTC); empty where nobody knows."""
    labels: tuple[Label, ...]
    calls: tuple[Call, ...]
    claims: tuple[Claim, ...] = ()
    recalled: tuple[str, ...] = ()
    """Paths of memories that were put into the session."""
    used: tuple[str, ...] = ()
    """Those of them that left a trace in what the agent did."""
    injected: tuple[str, ...] = ()
    """Hashes of the texts that were put in: repeating them is no evidence."""
    excluded: str = ""
    """Why nothing may be learnt from it; empty when it may."""

    @property
    def result(self) -> Result:
        """Return how it ended: the independent check decides, unless a grader says otherwise."""
        by_source = {label.source: label.passed for label in self.labels}
        check, grader = by_source.get(LabelSource.TRUE_CHECK), by_source.get(LabelSource.GRADER)
        if check is not None and grader is not None and check != grader:
            return Result.DISPUTED
        for source in LabelSource:
            if source in by_source:
                return Result.SUCCESS if by_source[source] else Result.FAILURE
        return Result.UNKNOWN

    @property
    def label_source(self) -> LabelSource | None:
        """Return the best source among its labels."""
        sources = {label.source for label in self.labels}
        return next((source for source in LabelSource if source in sources), None)

    @property
    def is_confirmed(self) -> bool:
        """Whether a check the agent cannot see judged it, or two different judges agree."""
        sources = {label.source for label in self.labels} - {LabelSource.SELF}
        agreed = len({label.passed for label in self.labels if label.source in sources}) == 1
        return LabelSource.TRUE_CHECK in sources or (len(sources) > 1 and agreed)

    @property
    def is_environmental(self) -> bool:
        """Whether it failed because of the world around it: its last error is of that class."""
        errors = [call.cause for call in self.calls if call.error]
        return bool(errors) and errors[-1] is Cause.ENVIRONMENT and self.result is not Result.SUCCESS

    @property
    def retries(self) -> int:
        """Return how many calls failed."""
        return sum(1 for call in self.calls if call.error)

    @property
    def has_worked(self) -> bool:
        """Whether it changed anything."""
        return any(call.kind is CallKind.WRITE and not call.error for call in self.calls)


EPISODES: Final = TypeAdapter(tuple[Episode, ...])
"""Episodes to and from JSON."""


def in_order(episodes: Iterable[Episode]) -> list[Episode]:
    """Return episodes by the time they happened, not by the time they were read; each session once."""
    unique = {episode.session_id: episode for episode in episodes}
    return sorted(unique.values(), key=lambda each: (each.at, each.session_id))
