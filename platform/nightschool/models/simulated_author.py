"""A simulated author: makes a piece of work with seeded errors, and revises it when it is told about them.

    first draft   each decision is taken wrongly as often as is declared for its kind
    feedback      a decision that it names is put right with a declared probability; one that was right and is
                  named all the same may be spoilt; whatever is revised may break something else
    look again    without being told what is wrong, it seldom finds it
    blind spots   some errors are repeated whatever is said

What the work is, a suite says (`Craft`), from the task's own words: the author sees the request and nothing
else, least of all the truth that results are scored by. Which decisions stand wrong follows from the seed,
the task and what was said since, so a session that is woken goes on as it would have. Every reply carries
the model id `simulated`.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from nightschool.models.wire import Answer

__all__ = ["Craft", "Decision", "Habits", "SimulatedAuthor"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """Something an author has to get right."""

    name: str
    """Without a colon."""
    kind: str
    """How often it goes wrong is declared for its kind: `form`, `rule`, `slip`."""


class Craft(Protocol):
    """What a suite knows of its own work, from the task's words alone. Pure."""

    def decisions(self, document: str, /) -> Sequence[Decision]:
        """Return what there is to get right in a task."""

    def made(self, document: str, wrong: frozenset[str], /) -> dict[str, Any]:
        """Return the work, as it is handed in, with these decisions taken wrongly."""

    def faults(self, document: str, answer: Mapping[str, Any], /) -> Mapping[str, str]:
        """Return the decisions that a careful reader would find wrong, and in what words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Habits:
    """The declared distribution."""

    errors: Mapping[str, float] = field(default_factory=dict)
    """Kind to how often a decision of it is taken wrongly at first."""
    blind: Mapping[str, float] = field(default_factory=dict)
    """Kind to the share of these errors that are repeated whatever is said."""
    spread: float = 0.0
    """Spread of the logarithm of how good a day the author has; it moves all errors of a trial together."""
    mends: float = 0.8
    """How often a revision puts right what feedback names."""
    spoils: float = 0.3
    """How often a revision spoils what was right and is named all the same."""
    breaks: float = 0.0
    """How often a revision takes another decision wrongly, each."""
    finds: float = 0.1
    """How often looking again, told nothing, puts an error right, each."""
    detects: float = 0.8
    """How often a grader sees an error, the same one always or never."""
    false_alarm: float = 0.02
    """How often a grader finds fault with a decision that is right."""


@dataclass(slots=True, kw_only=True)
class SimulatedAuthor:
    """Answers by making the work and drawing what goes wrong in it."""

    craft: Craft
    tool: str
    """The tool by which it hands in."""
    feedback_heading: str
    """Begins the message that says what is wrong; each line begins with a decision's name and a colon."""
    closing: str
    """Begins the message after which nothing can be handed in."""
    habits: Habits
    seed: str
    model_id: str = "simulated"

    def answer(self, request: Mapping[str, Any]) -> Answer:
        """Hand in a draft, or end the turn once it was accepted."""
        messages = request["messages"]
        offered = any(tool["name"] == self.tool for tool in request.get("tools") or ())
        document, *said = list(_texts(messages))
        is_over = bool(said) and said[-1].startswith(self.closing)
        if not offered or is_over or _is_answered(messages[-1]):
            return Answer(content=({"type": "text", "text": "done"},), stop_reason="end_turn")
        wrong = self.errors_after(document, said)
        call = {"type": "tool_use", "name": self.tool, "input": self.craft.made(document, wrong)}
        return Answer(content=(call,), stop_reason="tool_use")

    def errors_after(self, document: str, said: Sequence[str]) -> frozenset[str]:
        """Return the decisions that stand wrong once so much was said about the draft."""
        decisions = self.craft.decisions(document)
        wrong = {each.name for each in decisions if self._goes_wrong(document, each)}
        blind = {
            each.name
            for each in decisions
            if self._draw(document, "blind", each) < _of(self.habits.blind, each)
        }
        for number, words in enumerate(said):
            named = _named(words.removeprefix(self.feedback_heading), decisions)
            rest = 0.0 if words.startswith(self.feedback_heading) else self.habits.finds
            drawn = {each.name: self._draw(document, f"revision {number}", each) for each in decisions}
            mended = {
                name for name in wrong - blind if drawn[name] < (self.habits.mends if name in named else rest)
            }
            broken = {
                name
                for name in drawn.keys() - wrong
                if drawn[name] < (self.habits.spoils if name in named else self.habits.breaks)
            }
            wrong = (wrong - mended) | broken
        return frozenset(wrong)

    def _goes_wrong(self, document: str, decision: Decision) -> bool:
        day = random.Random(f"{self.seed}|{document}|day").lognormvariate(0.0, self.habits.spread)
        return self._draw(document, "first", decision) < min(1.0, _of(self.habits.errors, decision) * day)

    def _draw(self, document: str, step: str, decision: Decision) -> float:
        return random.Random(f"{self.seed}|{document}|{step}|{decision.name}").random()


def _of(rates: Mapping[str, float], decision: Decision) -> float:
    return rates.get(decision.kind, 0.0)


def _named(words: str, decisions: Sequence[Decision]) -> set[str]:
    lines = words.splitlines()
    return {each.name for each in decisions if any(line.startswith(f"{each.name}:") for line in lines)}


def _is_answered(message: Mapping[str, Any]) -> bool:
    return any(isinstance(each, dict) and each.get("type") == "tool_result" for each in message["content"])


def _texts(messages: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield what the user said, in order."""
    for message in messages:
        if message["role"] != "user":
            continue
        content = message["content"]
        if isinstance(content, str):
            yield content
            continue
        yield from (each["text"] for each in content if each.get("type") == "text")
