"""What past tasks taught: which agents do which kinds of task well, and how long these get. A pure fold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from nightschool.events.base import EventBase
from nightschool.events.plan import TaskCompleted, TaskFailed, TaskGraded

__all__ = ["Experience"]


@dataclass(slots=True)
class Experience:
    """Counts by type of task; grows with each verdict, in one run or over many."""

    verdicts: dict[str, dict[str, tuple[int, int]]] = field(default_factory=dict)
    """Type of task to agent to good and bad results."""
    tokens: dict[str, tuple[int, float]] = field(default_factory=dict)
    """Type of task to how many were counted and their mean."""

    @classmethod
    def of_json(cls, kept: Mapping[str, Any]) -> Experience:
        """Return what `as_json` gave."""
        verdicts = {
            kind: {agent: (good, bad) for agent, (good, bad) in by_agent.items()}
            for kind, by_agent in kept.get("verdicts", {}).items()
        }
        tokens = {kind: (many, mean) for kind, (many, mean) in kept.get("tokens", {}).items()}
        return cls(verdicts=verdicts, tokens=tokens)

    def as_json(self) -> dict[str, Any]:
        """Return the counts as a log keeps them; empty where nothing was learnt."""
        kept = {"verdicts": self.verdicts, "tokens": self.tokens}
        return {name: _plain(counts) for name, counts in kept.items() if counts}

    def of_type(self, task_type: str) -> Mapping[str, tuple[int, int]]:
        """Return good and bad results on a type of task, by agent."""
        return self.verdicts.get(task_type, {})

    def mean_tokens(self) -> dict[str, float]:
        """Return the tokens that a task of each type took, in the mean."""
        return {task_type: mean for task_type, (_, mean) in self.tokens.items()}

    def take(self, event: EventBase, task_type: str) -> None:
        """Learn from an event about a task of this type."""
        match event:
            case TaskCompleted():
                # Accepted with a note was not good.
                self._judge(task_type, event.agent_id, good=event.note is None)
                self._count(task_type, event.tokens)
            case TaskFailed():
                self._judge(task_type, event.agent_id, good=False)
            # What could not be graded says nothing about who made it.
            case TaskGraded() if not event.satisfied and (event.scores or event.next != "escalate"):
                self._judge(task_type, event.agent_id, good=False)

    def _judge(self, task_type: str, agent: str | None, *, good: bool) -> None:
        if agent is None:
            return
        by_agent = self.verdicts.setdefault(task_type, {})
        well, badly = by_agent.get(agent, (0, 0))
        by_agent[agent] = (well + good, badly + (not good))

    def _count(self, task_type: str, tokens: int | None) -> None:
        if tokens is None:
            return
        counted, mean = self.tokens.get(task_type, (0, 0.0))
        self.tokens[task_type] = (counted + 1, mean + (tokens - mean) / (counted + 1))


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _plain(each) for name, each in value.items()}
    return list(value) if isinstance(value, tuple) else value
